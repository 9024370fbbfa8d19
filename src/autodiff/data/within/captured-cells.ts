// Which cells of a tensor a scalar may read, itself and inside of the functions that it calls.
// Where every read there has a number that was passed along as one of its indices, that index is
// known at the call: a step of a recurrence reads what its own step, or the one before it, has.
// Where some read the one and some the other, these are two groups of cells.

import { constantOf, subtract, type Variable } from "../../../affine/term.ts";
import { variablesOf } from "../../../affine/visit.ts";
import { integerOf } from "../../../ir/integers.ts";
import { keyOf } from "../../../ir/keys.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition, Invocation, Loop, Scalar, ScalarFunction } from "../../../ir/program.ts";
import { functionsFrom, readsOfFunction } from "../../../ir/references.ts";
import { instantiate, coordinateScalar } from "../../../ir/substitute.ts";
import { wholeLoops } from "../../sweep/cells.ts";

/** The cells that something moves with: those at the indices, for all positions of the loops. */
interface Cells {
  readonly indices: readonly Scalar[];
  readonly over: readonly Loop[];
}

/** The cells of a tensor that a scalar may read, in groups that have none in common. */
export function cellsReadIn(scalar: Scalar, definition: Definition): readonly Cells[] {
  const pinned = definition.axes.map((_, axis) =>
    apart(indicesIn([scalar], definition, axis, new Set())),
  );
  // Indices along one axis are told apart: along several, most of their pairs would be read by
  // nobody.
  const told = pinned.findIndex((indices) => indices && indices.length > 1);
  const isPinned = (axis: number): boolean =>
    pinned[axis] !== undefined && (axis === told || pinned[axis].length === 1);
  return (pinned[told] ?? [undefined]).map((index) => {
    const loops = wholeLoops(definition);
    return {
      indices: loops.map((loop, axis) => {
        if (!isPinned(axis)) return coordinateScalar(loop);
        return axis === told ? index! : pinned[axis]![0]!;
      }),
      over: loops.filter((_, axis) => !isPinned(axis)),
    };
  });
}

/**
 * Every index along an axis that scalars read a tensor at; nothing for one that only the run knows.
 */
function indicesIn(
  scalars: readonly Scalar[],
  definition: Definition,
  axis: number,
  under: ReadonlySet<ScalarFunction>,
): readonly (Scalar | undefined)[] {
  const found: (Scalar | undefined)[] = [];
  const look = (part: Scalar): void => {
    if (part.kind === "read" && part.definition === definition) found.push(part.indices[axis]);
    if (part.kind !== "call" || under.has(part.invocation.function)) return;
    if (!readsOfFunction(part.invocation.function).has(definition)) return;
    const inside = indicesInside(part.invocation.function, definition, axis, under);
    found.push(...(inside ? inside.map((index) => givenAt(part.invocation, index)) : [undefined]));
  };
  for (const scalar of scalars) eachScalar(scalar, look);
  return found;
}

/**
 * The same for the body of a function, in its parameters, all of which it passes along as they are
 * where it calls itself.
 */
function indicesInside(
  of: ScalarFunction,
  definition: Definition,
  axis: number,
  under: ReadonlySet<ScalarFunction>,
): readonly Scalar[] | undefined {
  const indices = apart(indicesIn(of.results, definition, axis, new Set([...under, of])));
  const own = new Set(of.parameters.map((parameter) => parameter.variable));
  if (!indices?.every((index) => isMadeOf(index, own))) return undefined;
  let isSame = true;
  const look = (part: Scalar): void => {
    if (part.kind !== "call") return;
    const { invocation } = part;
    if (invocation.function === of)
      isSame &&= indices.every((index) => keyOf(givenAt(invocation, index)) === keyOf(index));
    // Functions that call one another may pass on something else.
    else if (functionsFrom(invocation.function).has(of)) isSame = false;
  };
  for (const result of of.results) eachScalar(result, look);
  return isSame ? indices : undefined;
}

/** Whether an index is arithmetic on some integers alone. */
function isMadeOf(index: Scalar, integers: ReadonlySet<Variable>): boolean {
  let fine = true;
  eachScalar(index, (part) => {
    if (part.kind === "integer") fine &&= [...variablesOf(part.term)].every((v) => integers.has(v));
    else fine &&= part.kind === "constant" || part.kind === "apply";
  });
  return fine;
}

/** What an index in a function's parameters is where it is called. */
function givenAt({ function: called, arguments: given }: Invocation, index: Scalar): Scalar {
  return instantiate(
    index,
    new Map(called.parameters.map(({ variable }, k) => [variable, given[k]!])),
  );
}

/** Indices that are never the same, each once; nothing where one is not known, or two may be. */
function apart(found: readonly (Scalar | undefined)[]): readonly Scalar[] | undefined {
  const distinct = [...new Map(found.map((index) => [index && keyOf(index), index])).values()];
  const [first, ...others] = distinct;
  if (!first || others.includes(undefined)) return undefined;
  const start = integerOf(first);
  const isAlone = others.length === 0;
  if (!isAlone && !start) return undefined;
  const gaps = others.map((index) => {
    const term = integerOf(index!);
    return term && constantOf(subtract(term, start!));
  });
  return gaps.includes(undefined) ? undefined : (distinct as readonly Scalar[]);
}
