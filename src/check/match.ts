// `match`: each arm is tried in order, so it becomes a chain of choices. What is known when compiling is decided here: an arm
// that cannot match is left out, and one that surely matches ends the chain.

import type * as ast from "../syntax/ast.ts";
import { choose } from "./choose.ts";
import { both, knownTruth } from "./conditions.ts";
import { lint, report, underBranch, wrongAt, type Place } from "./context.ts";
import { isReached, uncovered } from "./exhaustive.ts";
import { conditionOf, expression, underCondition } from "./expressions.ts";
import { valueBinding } from "./integers.ts";
import { constructorsOf, layOver, newPatterns, type Match, type Patterns } from "./patterns.ts";
import { scopeInside } from "./scope.ts";
import { inBlock, share } from "./share.ts";
import type { Typed, ValueBinding } from "./typed.ts";
import { settle } from "./types.ts";

/** An arm that may be taken. */
interface Taken {
  readonly condition: Typed;
  readonly value: Typed;
}

export function matchOf(place: Place, e: ast.Match): Typed {
  const written = expression(place, e.subject);
  if (written.kind === "wrong") return wrongAt(e.span);
  settle(written.type);
  const subject = share(place, { text: "subject", span: e.subject.span }, written);
  const patterns = newPatterns(place);
  const taken: Taken[] = [];
  let here = place;
  let wrong = false;
  let certain = false;
  for (const arm of e.arms) {
    const match = layOver(patterns, arm.pattern, subject.value);
    if (match.condition.kind === "wrong") {
      wrong = true;
      continue;
    }
    // An arm behind one that surely matches, or of a case that is not there, is not elaborated.
    if (certain || knownTruth(match.condition) === false) continue;
    const one = armOf(here, arm, match);
    taken.push(one);
    if (one.value.kind === "wrong" || one.condition.kind === "wrong") wrong = true;
    certain = knownTruth(one.condition) === true;
    here = underBranch(underCondition(here, one.condition), one.condition, false);
  }
  if (wrong || !covers(place, e, patterns)) return wrongAt(e.span);
  // Everything is covered, so the last arm needs no question.
  let value = taken.at(-1)!.value;
  for (const one of taken.slice(0, -1).reverse())
    value = choose(place, one.condition, one.value, value, e.span, "arms of `match`");
  return inBlock(subject.bindings, value.kind === "wrong" ? value : { ...value, span: e.span });
}

function armOf(place: Place, arm: ast.Arm, match: Match): Taken {
  const scope = scopeInside(place.scope);
  const bindings: ValueBinding[] = [];
  for (const { name, value } of match.names.values()) {
    const shared = share(place, name, value);
    const binding = valueBinding(place, "parameter", name, shared.value);
    bindings.push(...shared.bindings, binding);
    scope.names.set(name.text, binding);
  }
  const inside = underCondition({ ...place, scope }, match.condition);
  const guard = arm.guard && conditionOf(inside, arm.guard, "the guard of an arm");
  const condition = guard ? both(match.condition, inBlock(bindings, guard)) : match.condition;
  const inArm = underBranch(underCondition(inside, condition), condition, true);
  return { condition, value: inBlock(bindings, expression(inArm, arm.body)) };
}

/** Arms with a guard may decline, so they cover nothing. */
function covers(place: Place, e: ast.Match, patterns: Patterns): boolean {
  const sure = e.arms.filter((arm) => !arm.guard).map((arm) => arm.pattern);
  const missing = uncovered(sure, constructorsOf(patterns));
  if (missing === undefined) {
    lintUnreached(place, e, patterns);
    return true;
  }
  const guarded = e.arms.find((arm) => arm.guard);
  report(place, "E0412", `this \`match\` has no arm for \`${missing}\``, e.subject.span, {
    labels:
      guarded && e.arms.length === sure.length + 1 ? [{ span: guarded.guard!.span, text: "this arm may decline" }] : [],
    help: `add \`${missing} => …\`${missing === "_" ? "" : ", or `_ => …` for all that is left"}`,
  });
  return false;
}

/** An arm whose values all belong to arms above it is never taken, whatever the lengths in this call of the function around it. */
function lintUnreached(place: Place, e: ast.Match, patterns: Patterns): void {
  const constructors = { ...constructorsOf(patterns), length: () => undefined };
  const before: ast.Pattern[] = [];
  for (const { pattern, guard } of e.arms) {
    const isLast = before.length > 0 && uncovered(before, constructors) === undefined;
    if (isLast || !isReached(pattern, before, constructors)) {
      const why = isLast ? "cover everything" : "match all that it matches";
      lint(place, "W0401", `this arm is never reached: the arms above it ${why}`, pattern.span, {
        help: "move it up, or leave it out",
      });
    }
    if (isLast) return;
    if (!guard) before.push(pattern);
  }
}
