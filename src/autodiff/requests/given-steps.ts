// A request inside a recurrence by a name outside the recurrence:
//
//    let h[t] = { let y = h[t - 1] * w * w; @y / @w }
//
// The request is answered within its step, in which `w` is independent. For that, the name gets a
// step: w_2[t] = w. All other definitions outside the recurrence that depend on `w` get a step as
// well, and the readers in that step read these. Earlier steps read the same cells as before.

import { mapParts } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Scalar } from "../../ir/program.ts";
import { callsOf, readsOf, readsOfFunction } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { copied, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { readCell, wholeLoops } from "../sweep/cells.ts";
import { graphOf } from "../sweep/graph.ts";
import { atStep } from "./single-steps.ts";
import { stepGraphOf, stepTerm } from "./step-graph.ts";

/** Does the request stand inside a recurrence and its denominator outside of it? */
export function isByNoStep(asking: Definition): boolean {
  const { of, wrt, step } = asking.request!;
  return (
    wrt.outer === 0 && step === undefined && of.axes.length > 0 && graphOf(of).all.includes(asking)
  );
}

/** For each name, the definitions that stand for it at each step of a recurrence. */
const standIns = new WeakMap<Definition, Set<Definition>>();

/**
 * Gives the denominator of the request a step and rewrites the clauses that read it there. `false`
 * if a function reads the denominator: a function is not called at a step.
 */
export function giveStep(asking: Definition, claim: (name: string) => string): boolean {
  const { of, wrt } = asking.request!;
  // Along an axis that is not the step, the numerator depends on the request at its own position.
  const graphs = of.axes.map((_, axis) => stepGraphOf(of, axis));
  const step = graphs.findIndex(({ all }) => !all.includes(asking));
  const graph = graphs[step];
  if (!graph) return false;
  const axis = of.axes[step]!;
  const parts = new Map<Definition, Definition>();
  let isWhole = true;
  const existing = graph.all.find((each) => standIns.get(wrt)?.has(each));
  const denominator = existing ?? newPart(wrt, axis, claim);
  const isAround = (read: Definition): boolean => {
    const all = graph.stepAxis(read) === undefined ? reachable([read]) : [];
    return all.includes(wrt) && !all.includes(of);
  };
  const partFor = (read: Definition): Definition | undefined => {
    if (read === wrt) return denominator;
    return isAround(read) ? (parts.get(read) ?? newPartFor(read)) : undefined;
  };
  const newPartFor = (read: Definition): Definition => {
    const part = newPart(read, axis, claim);
    parts.set(read, part);
    isWhole &&= !read.rule && !read.request && !isCalled(read);
    const [at] = wholeLoops(part);
    const clauses = isWhole ? read.clauses.map((clause) => atStep(clause, at!)) : [];
    part.clauses = clauses.map((clause) =>
      readingParts(clause, coordinateScalar(clause.loops[0]!), partFor),
    );
    return part;
  };
  const isCalled = (each: Definition): boolean =>
    [...callsOf(each)].some((called) =>
      [...readsOfFunction(called)].some((read) => read === wrt || isAround(read)),
    );
  const changed = graph.all.map((reader): readonly [Definition, readonly Clause[]] => {
    isWhole &&= !isCalled(reader);
    const at = graph.stepAxis(reader)!;
    const reads = [...readsOf(reader)].some((read) => read === wrt || isAround(read));
    if (!reads) return [reader, reader.clauses];
    return [
      reader,
      reader.clauses.map((clause) =>
        readingParts(clause, integerScalar(stepTerm(clause, at)), partFor),
      ),
    ];
  });
  if (!isWhole) return false;
  if (!existing) {
    const loops = wholeLoops(denominator);
    const value = readCell(wrt, loops.slice(1), wrt.span);
    denominator.clauses = [{ loops, guards: [], body: { kind: "map", value }, span: wrt.span }];
    standIns.set(wrt, new Set([...(standIns.get(wrt) ?? []), denominator]));
  }
  for (const [reader, clauses] of changed) reader.clauses = clauses;
  const isTensor = of.axes.length > 1;
  asking.request = {
    of,
    wrt: denominator,
    step,
    ...(isTensor ? { jacobian: true, shared: [step] } : {}),
  };
  return true;
}

function newPart(
  { name, element, axes, needs, span }: Definition,
  axis: Axis,
  claim: (name: string) => string,
): Definition {
  return {
    name: claim(name),
    element,
    axes: [axis, ...axes],
    origin: "helper",
    outer: 1,
    clauses: [],
    needs: new Set(needs),
    span,
  };
}

/** The clause with reads of parts at a step. */
function readingParts(
  clause: Clause,
  step: Scalar,
  partFor: (read: Definition) => Definition | undefined,
): Clause {
  const locals = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, locals) };
    const inside = mapParts(scalar, change);
    const part = inside.kind === "read" ? partFor(inside.definition) : undefined;
    return inside.kind === "read" && part
      ? { ...inside, definition: part, indices: [step, ...inside.indices] }
      : inside;
  };
  const { guards, body, otherwise } = clause;
  const value = change(body.value);
  return {
    ...clause,
    guards: guards.map(change),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, guards: body.guards.map(change) },
    ...(otherwise ? { otherwise: change(otherwise) } : {}),
  };
}
