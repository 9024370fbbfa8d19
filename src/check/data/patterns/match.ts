// Patterns are matched with values in this folder, for `match`, `let` and generators.
//
// This file elaborates `match`. The arms are tried in order, so a `match` becomes a chain of
// choices. An arm that is known not to match is left out, and an arm that surely matches ends the
// chain. Arms that are left out are checked too.

import { fixed, remove } from "../../../diagnostics/fixes.ts";
import type * as ast from "../../../syntax/tree/ast.ts";
import { choose } from "../../values/choose.ts";
import { attemptCheck } from "../../attempt.ts";
import { both, knownTruth, truth } from "../../expressions/conditions.ts";
import { lint, newFrame, report, underBranch, wrongAt, type Place } from "../../context.ts";
import { patternNames } from "../../names/free-names.ts";
import { isReached, uncovered } from "./exhaustive.ts";
import { valueBinding } from "../../types/integers.ts";
import {
  constructorsOf,
  declaredConstructors,
  matchPattern,
  newPatterns,
  type Match,
  type Patterns,
} from "./patterns.ts";
import { scopeInside } from "../../names/scope.ts";
import { inBlock, share } from "../../values/share.ts";
import { standIn } from "../../calls/stand-ins.ts";
import type { Typed, ValueBinding } from "../../types/typed.ts";
import { settle, showType, unify, type Type, isNothing } from "../../types/types.ts";
import { underCondition } from "../../ranges/under-condition.ts";
import { expression, conditionOf } from "../../elaborate.ts";

/** An arm that may be taken. */
interface Taken {
  readonly condition: Typed;
  readonly value: Typed;
}

/** An arm that is known not to be taken. */
interface PassedOver {
  readonly arm: ast.Arm;
  readonly match: Match;
}

export function matchOf(place: Place, e: ast.Match): Typed {
  const written = expression(place, e.subject);
  if (written.kind === "wrong") return wrongAt(e.span);
  settle(written.type);
  const subject = share(place, { text: "subject", span: e.subject.span }, written);
  const patterns = newPatterns(place);
  const taken: Taken[] = [];
  let here = place;
  const passedOver: PassedOver[] = [];
  let wrong = false;
  let certain = false;
  for (const arm of e.arms) {
    const match = matchPattern(patterns, arm.pattern, subject.value);
    if (match.condition.kind === "wrong") {
      wrong = true;
      continue;
    }
    // An arm after a certain match, or of another variant, has no part in the value.
    if (certain || knownTruth(match.condition) === false) {
      passedOver.push({ arm, match });
      continue;
    }
    place.checker.elaborated.add(arm);
    const takenArm = checkArm(here, arm, match);
    taken.push(takenArm);
    if (takenArm.value.kind === "wrong" || takenArm.condition.kind === "wrong") wrong = true;
    certain = knownTruth(takenArm.condition) === true;
    here = underBranch(underCondition(here, takenArm.condition), takenArm.condition, false);
  }
  if (wrong || !coversAll(place, e, patterns)) return wrongAt(e.span);
  const others = passedOver.map((each) => checkPassedOver(place, each, subject.value));
  if (others.includes("wrong")) return wrongAt(e.span);
  // All cases are covered, so the last arm needs no condition.
  let value = taken.at(-1)!.value;
  for (const one of taken.slice(0, -1).reverse())
    value = choose(place, one.condition, one.value, value, e.span, "arms of `match`");
  if (value.kind === "wrong" || others.some((other) => refuseOtherType(place, e, other, value)))
    return wrongAt(e.span);
  return inBlock(subject.bindings, { ...value, span: e.span });
}

function checkArm(place: Place, arm: ast.Arm, match: Match): Taken {
  const scope = scopeInside(place.scope);
  const bindings: ValueBinding[] = [];
  for (const { name, value } of match.names.values()) {
    if (value.kind === "wrong") {
      scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
      continue;
    }
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

/**
 * Checks an arm that is not taken, for its mistakes and its type. In a recursive function such an
 * arm may end the recursion. There it is checked in other calls, or with unknown values
 * (`uncalled.ts`).
 */
function checkPassedOver(
  place: Place,
  { arm, match }: PassedOver,
  subject: Typed,
): Typed | "wrong" | undefined {
  if (place.unrolled || place.recursion) {
    place.checker.passedOver.add(arm);
    return undefined;
  }
  const aside: Place = { ...place, frame: newFrame(), effects: [] };
  const newMatch = (): Match =>
    knownTruth(match.condition) === false ? matchUnknown(aside, arm, subject) : match;
  let value: Typed | undefined;
  const trial = attemptCheck(aside, () => (value = checkArm(aside, arm, newMatch()).value));
  trial.undo();
  const errors = trial.said.filter(
    ({ level, code }) => level === "error" && code !== "E0190" && code !== "E0508",
  );
  place.checker.diagnostics.push(...errors);
  return errors.length > 0 ? "wrong" : value;
}

/** Reports an arm that is not taken and has another type than the arm that is taken. */
function refuseOtherType(
  place: Place,
  { span }: ast.Match,
  other: Typed | "wrong" | undefined,
  taken: Typed,
): boolean {
  if (!other || other === "wrong" || other.kind === "wrong" || mayBeOneType(other.type, taken.type))
    return false;
  const [here, there] = [showType(other.type), showType(taken.type)];
  report(place, "E0401", `the arms of \`match\` have different types: ${here} and ${there}`, span, {
    labels: [
      { span: other.span, text: `this is ${here}` },
      { span: taken.span, text: `this is ${there}` },
    ],
  });
  return true;
}

/** The match of a pattern with an unknown value of the subject's type. */
function matchUnknown(place: Place, { pattern }: ast.Arm, { type }: Typed): Match {
  const match = matchPattern(newPatterns(place), pattern, standIn(place, type, pattern.span));
  if (match.condition.kind !== "wrong") return match;
  // Uses of these names are not reported.
  const names = new Map(
    patternNames(pattern).map((text) => {
      const name: ast.Name = { text, span: pattern.span };
      return [text, { name, value: wrongAt(pattern.span) }];
    }),
  );
  return { condition: truth(true, pattern.span), names };
}

/** Whether two types are equal except for their extents. */
function mayBeOneType(a: Type, b: Type): boolean {
  // `[]` is an array of any type.
  if ((isNothing(a) && b.kind === "list") || (isNothing(b) && a.kind === "list")) return true;
  if (a.kind === "tensor" && b.kind === "tensor")
    return a.axes.length === b.axes.length && unify(a.element, b.element);
  if (a.kind === "data" && b.kind === "data") return a.of.declaration === b.of.declaration;
  if (a.kind === "tuple" && b.kind === "tuple")
    return (
      a.members.length === b.members.length &&
      a.members.every((member, k) => mayBeOneType(member, b.members[k]!))
    );
  return a.kind === b.kind || a.kind === "absent" || b.kind === "absent";
}

/** Whether the arms cover all cases. An arm with a guard may decline, so it covers nothing. */
function coversAll(place: Place, e: ast.Match, patterns: Patterns): boolean {
  const sure = e.arms.filter((arm) => !arm.guard).map((arm) => arm.pattern);
  const missing = uncovered(sure, declaredConstructors(patterns));
  if (missing === undefined) {
    lintUnreached(place, e, patterns);
    return true;
  }
  const guarded = e.arms.find((arm) => arm.guard);
  report(place, "E0412", `this \`match\` has no arm for \`${missing}\``, e.subject.span, {
    labels:
      guarded && e.arms.length === sure.length + 1
        ? [{ span: guarded.guard!.span, text: "this arm may decline" }]
        : [],
    help: `add \`${missing} => …\`${missing === "_" ? "" : ", or `_ => …` for all that is left"}`,
  });
  return false;
}

/**
 * Reports arms that are never reached, because earlier arms match all their values. The lengths in
 * this call do not count.
 */
function lintUnreached(place: Place, e: ast.Match, patterns: Patterns): void {
  const constructors = { ...constructorsOf(patterns), length: () => undefined };
  const before: ast.Pattern[] = [];
  for (const arm of e.arms) {
    const { pattern, guard } = arm;
    const isLast = before.length > 0 && uncovered(before, constructors) === undefined;
    if (isLast || !isReached(pattern, before, constructors)) {
      const why = isLast ? "cover everything" : "match all that it matches";
      const next = e.arms[e.arms.indexOf(arm) + 1];
      const end = next ? next.span.start : arm.span.end;
      const previous = e.arms[e.arms.indexOf(arm) - 1];
      const whole = next
        ? { ...arm.span, end }
        : { ...arm.span, start: previous?.span.end ?? arm.span.start };
      lint(place, "W0401", `this arm is never reached: the arms above it ${why}`, pattern.span, {
        help: "move it up, or leave it out",
        ...fixed("leave it out", remove(whole)),
      });
    }
    if (isLast) return;
    if (!guard) before.push(pattern);
  }
}
