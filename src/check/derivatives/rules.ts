// Attaches tangent rules to functions. A rule `@fn f(a, b) { … }` has the name, the parameters and
// the coordinate parameters of its function `f`. Calls with rules are checked in `tangents.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { report, type Place } from "../context.ts";
import type { FunctionBinding } from "../names/scope.ts";

/**
 * Attaches the rules of a block to the functions of that block. A rule that does not match its
 * function is reported and ignored.
 */
export function declareRules(place: Place, list: readonly ast.Statement[]): void {
  for (const statement of list) {
    if (statement.kind !== "tangent-fn") continue;
    const { name } = statement;
    const own = place.scope.functions.get(name.text);
    if (!own) {
      report(
        place,
        "E0706",
        `there is no function \`${name.text}\` here for this rule`,
        name.span,
        {
          help: `declare \`fn ${name.text}(…)\` beside it`,
        },
      );
    } else if (own.rule) {
      report(place, "E0203", `\`@fn ${name.text}\` is defined twice`, name.span, {
        labels: [{ span: own.rule.name.span, text: "first defined here" }],
      });
    } else if (haveEqualParameters(place, own, statement)) own.rule = statement;
  }
}

/**
 * Whether a rule has the parameters and coordinate parameters of its function, by name and in
 * order.
 */
function haveEqualParameters(place: Place, own: FunctionBinding, rule: ast.TangentFn): boolean {
  const { declaration } = own;
  const refuseParameters = (
    what: string,
    have: readonly string[],
    want: readonly string[],
  ): false => {
    report(
      place,
      "E0706",
      `\`@fn ${own.name}\` has the ${what} (${have.join(", ")}), ` +
        `\`fn ${own.name}\` has (${want.join(", ")})`,
      rule.name.span,
      {
        labels: [{ span: own.span, text: "the function" }],
        help: "a rule has its function's parameters, by name and in order",
      },
    );
    return false;
  };
  const names = (list: readonly { readonly name: ast.Name }[]): readonly string[] =>
    list.map((parameter) => parameter.name.text);
  const areEqual = (a: readonly string[], b: readonly string[]): boolean =>
    a.length === b.length && a.every((name, k) => name === b[k]);
  const [coordinates, wanted] = [names(rule.coordinates), names(declaration.coordinates)];
  if (!areEqual(coordinates, wanted)) return refuseParameters("coordinates", coordinates, wanted);
  const [parameters, declared] = [names(rule.parameters), names(declaration.parameters)];
  return areEqual(parameters, declared) || refuseParameters("parameters", parameters, declared);
}
