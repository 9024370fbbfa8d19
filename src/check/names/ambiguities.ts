// Names that two `use …::*` bring with different meanings: wrong only where one of them is used.

import { after, fix } from "../../diagnostics/fixes.ts";
import { report, type Checker, type Place } from "../context.ts";
import type { AllOf, Ambiguity, Scope } from "./scope.ts";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../base/source.ts";

/** What the first star brought stands in the scope; using it will be reported. */
export function noteAmbiguity(place: Place, name: string, first: AllOf, second: AllOf): void {
  const { scope, checker } = place;
  const two: Ambiguity = {
    name,
    meanings: new Set(meaningsOf(scope, name)),
    from: [first, second],
    used: false,
  };
  scope.ambiguous.set(name, two);
  checker.ambiguities.push({ place, two });
}

/** Names that were used although two stars bring them, once everything has been checked. */
export function checkAmbiguities(checker: Checker): void {
  for (const { place, two } of checker.ambiguities) {
    if (!two.used) continue;
    const [first, second] = two.from;
    const at = second.path.slice(0, -1);
    report(
      place,
      "E0203",
      `\`${two.name}\` comes from \`${first.path}\` and from \`${second.path}\``,
      second.span,
      {
        labels: [{ span: first.span, text: "the first one" }],
        help:
          `say which one is meant: \`use ${at}${two.name};\`, ` +
          `or \`use ${at}${two.name} as …;\` for a name of its own`,
        fixes: [first, second].map((each) => {
          const meant = `use ${each.path.slice(0, -1)}${two.name};`;
          return fix(`write \`${meant}\` too`, behindStatement(second.span, ` ${meant}`));
        }),
      },
    );
  }
}

/** Behind the `;` of the statement in which a place is. */
function behindStatement(place: Span, text: string): Edit {
  const end = place.source.text.indexOf(";", place.end) + 1 || place.end;
  return after({ ...place, end }, text);
}

/** What a name stands for: a value, a function, a type and a module may share it. */
function meaningsOf(scope: Scope, name: string): readonly object[] {
  const found = [scope.names, scope.functions, scope.types, scope.modules].map((table) =>
    table.get(name),
  );
  return found.filter((meaning) => meaning !== undefined);
}

/**
 * Whether one name stands for different things in two scopes; one thing may have come by two ways.
 */
export function differ(a: Scope, b: Scope, name: string): boolean {
  const [first, second] = [meaningsOf(a, name), meaningsOf(b, name)];
  const isSame =
    first.length === second.length && first.every((meaning, k) => meaning === second[k]);
  return !isSame || a.builtins.get(name) !== b.builtins.get(name);
}
