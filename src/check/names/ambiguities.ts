// A name that two `use …::*` bring with different meanings. It is an error only if the program uses
// the name. For example:
//
//   use a::*; use b::*;   // both have `f`
//   print(f(1.0));        // error: `f` comes from `a::*` and from `b::*`

import { after, fix } from "../../diagnostics/fixes.ts";
import { report, type Checker, type Place } from "../context.ts";
import type { AllOf, Ambiguity, Scope } from "./scope.ts";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../base/source.ts";

/**
 * Records an ambiguous name. The scope keeps the meaning of the first star; a use is reported
 * later.
 */
export function noteAmbiguity(place: Place, name: string, first: AllOf, second: AllOf): void {
  const { scope, checker } = place;
  const ambiguity: Ambiguity = {
    name,
    meanings: new Set(meaningsOf(scope, name)),
    from: [first, second],
    used: false,
  };
  scope.ambiguous.set(name, ambiguity);
  checker.ambiguities.push({ place, two: ambiguity });
}

/** Reports the ambiguous names that were used. Everything else must have been checked before. */
export function checkAmbiguities(checker: Checker): void {
  for (const { place, two: ambiguity } of checker.ambiguities) {
    if (!ambiguity.used) continue;
    const [first, second] = ambiguity.from;
    const at = second.path.slice(0, -1);
    report(
      place,
      "E0203",
      `\`${ambiguity.name}\` comes from \`${first.path}\` and from \`${second.path}\``,
      second.span,
      {
        labels: [{ span: first.span, text: "the first one" }],
        help:
          `say which one is meant: \`use ${at}${ambiguity.name};\`, ` +
          `or \`use ${at}${ambiguity.name} as …;\` for a name of its own`,
        fixes: [first, second].map((each) => {
          const meant = `use ${each.path.slice(0, -1)}${ambiguity.name};`;
          return fix(`write \`${meant}\` too`, behindStatement(second.span, ` ${meant}`));
        }),
      },
    );
  }
}

/** An insertion behind the `;` of the statement around a span. */
function behindStatement(place: Span, text: string): Edit {
  const end = place.source.text.indexOf(";", place.end) + 1 || place.end;
  return after({ ...place, end }, text);
}

/** The meanings of a name. A value, a function, a type and a module may share one name. */
function meaningsOf(scope: Scope, name: string): readonly object[] {
  const found = [scope.names, scope.functions, scope.types, scope.modules].map((table) =>
    table.get(name),
  );
  return found.filter((meaning) => meaning !== undefined);
}

/**
 * Whether a name has different meanings in two scopes. One meaning may have arrived by two paths.
 */
export function haveDifferentMeanings(a: Scope, b: Scope, name: string): boolean {
  const [first, second] = [meaningsOf(a, name), meaningsOf(b, name)];
  const isSame =
    first.length === second.length && first.every((meaning, k) => meaning === second[k]);
  return !isSame || a.builtins.get(name) !== b.builtins.get(name);
}
