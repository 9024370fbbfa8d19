// Finds where a derivative goes wrong: the first value after the denominator whose tangent differs
// from a numerical difference.

import type { Workshop } from "../../autodiff/sweep/sweep.ts";
import { newDefinition } from "../../autodiff/sweep/cells.ts";
import { forward } from "../../autodiff/sweep/forward.ts";
import { graphOf } from "../../autodiff/sweep/graph.ts";
import { addNeeds } from "../../autodiff/requests/requests.ts";
import { evaluateAt } from "../../run/run.ts";
import { fromScalars } from "../../scalar/values/value.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import { analyse } from "../../analyse/analyse.ts";
import type { Definition } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { inReadingOrder } from "../../print/names.ts";
import { callsOf, functionsFrom } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { uniform } from "../../scalar/random.ts";
import { isFloat } from "../../scalar/types.ts";
import { positionOf, textOf, type Span } from "../../base/source.ts";
import { columnOf, compared, ofRow } from "./differences.ts";
import { movingBy, numbersOf, type Setting } from "./moving.ts";

/** A text that names the value, and the rule that gives it a wrong tangent, if it has a rule. */
export function blame(setting: Setting, of: Definition, wrt: Definition): string | undefined {
  const { inputs, program, extents } = setting;
  const moving = movingBy(setting, wrt);
  const v = moving.point.map((_, k) => uniform(3, k) - 0.5);
  const groups = inReadingOrder(reachable([of]));
  for (const definition of groups.flat()) {
    if (definition === wrt || definition.clauses.length === 0 || !isFloat(definition.element))
      continue;
    if (!graphOf(definition).all.includes(wrt)) continue;
    const names = new Set(program.names);
    const workshop: Workshop = {
      claim: (wanted) => claim(names, wanted),
      known: knownOfSizes(program, extents),
    };
    const direction = newDefinition(
      workshop.claim("direction"),
      wrt.element,
      wrt.axes,
      [],
      wrt.span,
    );
    const { adjoints, problems } = forward(definition, wrt, workshop, direction);
    const tangent = adjoints.get(wrt);
    if (!tangent || problems.length > 0) continue;
    for (const needed of reachable([tangent])) addNeeds(program, needed);
    const outputs = new Map([
      ...program.outputs,
      [direction.name, { definition: direction }],
      [tangent.name, { definition: tangent }],
    ] as const);
    const whole = { ...program, outputs };
    const held = new Map([[direction, fromScalars("f64", moving.shape, v)]]);
    const own = numbersOf(evaluateAt(whole, analyse(whole, extents), inputs, held, tangent));
    const still = moving.point.map(() => 0);
    const along = (step: number): readonly number[] =>
      moving.moved(
        v.map((x) => step * x),
        definition,
      );
    const column = columnOf(along, moving.moved(still, definition), 1);
    const largest = Math.max(...own.map(Math.abs), 1e-9);
    const isWrong = own.some(
      (x, row) => compared(x, ofRow(column, row), 1e-3 * largest).kind === "differs",
    );
    if (isWrong)
      return valueAndRules(
        definition,
        groups.find((group) => group.includes(definition))!,
      );
  }
  return undefined;
}

/**
 * The value, and the rules that give its tangent: its own rule, the rules of the functions that it
 * calls, and the rules of the recurrence that it belongs to.
 */
function valueAndRules(definition: Definition, group: readonly Definition[]): string {
  const { span, rule } = definition;
  const place = `\`${sourceText(span)}\` (line ${positionOf(span.source, span.start).line})`;
  if (rule) return `${place}, whose tangent comes from an \`@fn\` rule`;
  const functions = [...callsOf(definition)].flatMap((called) => [...functionsFrom(called)]);
  const rules = [
    ...group.flatMap((each) => (each.rule ? [sourceText(each.span)] : [])),
    ...functions.flatMap((each) => (each.rule ? [each.name] : [])),
  ];
  if (rules.length === 0) return place;
  const names = [...new Set(rules)].map((name) => `\`${name}\``).join(", ");
  return `${place}, in which the tangent of ${names} comes from an \`@fn\` rule`;
}

function sourceText(span: Span): string {
  const text = textOf(span).replace(/\s+/g, " ");
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
