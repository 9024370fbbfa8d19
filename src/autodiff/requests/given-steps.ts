// A request inside a recurrence by a name that stands around it, `let h[t] = { let y = h[t - 1] * w
// * w; @y / @w }`: it is answered within its step, in which `w` is independent. For that the name
// is given the step, w_2[t] = w, and so is whatever else stands around the recurrence and depends
// on the name: whoever reads it in that step reads it there. Earlier steps read what they read
// before.

import { mapParts } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Scalar } from "../../ir/program.ts";
import { callsOf, readsOf, readsOfFunction } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { copied, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { readCell, wholeLoops } from "../sweep/cells.ts";
import { graphOf } from "../sweep/graph.ts";
import { atStep } from "./single-steps.ts";
import { stepGraphOf, stepTerm } from "./step-graph.ts";

/** Whether a request stands in the steps of a recurrence, and its denominator at none of them. */
export function isByNoStep(asking: Definition): boolean {
  const { of, wrt, step } = asking.request!;
  return (
    wrt.outer === 0 && step === undefined && of.axes.length > 0 && graphOf(of).all.includes(asking)
  );
}

/** Those that stand for a name at each step of a recurrence. */
const stepped = new WeakMap<Definition, Set<Definition>>();

/**
 * Gives the denominator of such a request a step, and rewrites the clauses that read it there;
 * false where functions read it, which are called at no step.
 */
export function giveStep(asking: Definition, claim: (name: string) => string): boolean {
  const { of, wrt } = asking.request!;
  // Along another axis than that of the steps the numerator depends on what is asked at its own
  // position.
  const graphs = of.axes.map((_, axis) => stepGraphOf(of, axis));
  const step = graphs.findIndex(({ all }) => !all.includes(asking));
  const graph = graphs[step];
  if (!graph) return false;
  const axis = of.axes[step]!;
  const made = new Map<Definition, Definition>();
  let isWhole = true;
  const before = graph.all.find((each) => stepped.get(wrt)?.has(each));
  const here = before ?? newPart(wrt, axis, claim);
  const isAround = (read: Definition): boolean => {
    const all = graph.stepAxis(read) === undefined ? reachable([read]) : [];
    return all.includes(wrt) && !all.includes(of);
  };
  const partOf = (read: Definition): Definition | undefined => {
    if (read === wrt) return here;
    return isAround(read) ? (made.get(read) ?? stand(read)) : undefined;
  };
  const stand = (read: Definition): Definition => {
    const part = newPart(read, axis, claim);
    made.set(read, part);
    isWhole &&= !read.rule && !read.request && !isCalled(read);
    const [at] = wholeLoops(part);
    const clauses = isWhole ? read.clauses.map((clause) => atStep(clause, at!)) : [];
    part.clauses = clauses.map((clause) =>
      reading(clause, coordinateScalar(clause.loops[0]!), partOf),
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
      reader.clauses.map((clause) => reading(clause, integerScalar(stepTerm(clause, at)), partOf)),
    ];
  });
  if (!isWhole) return false;
  if (!before) {
    const loops = wholeLoops(here);
    const value = readCell(wrt, loops.slice(1), wrt.span);
    here.clauses = [{ loops, guards: [], body: { kind: "map", value }, span: wrt.span }];
    stepped.set(wrt, new Set([...(stepped.get(wrt) ?? []), here]));
  }
  for (const [reader, clauses] of changed) reader.clauses = clauses;
  const isTensor = of.axes.length > 1;
  asking.request = { of, wrt: here, step, ...(isTensor ? { jacobian: true, shared: [step] } : {}) };
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

/** A clause that reads parts at a step. */
function reading(
  clause: Clause,
  step: Scalar,
  partOf: (read: Definition) => Definition | undefined,
): Clause {
  const locals = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, locals) };
    const inside = mapParts(scalar, change);
    const part = inside.kind === "read" ? partOf(inside.definition) : undefined;
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
