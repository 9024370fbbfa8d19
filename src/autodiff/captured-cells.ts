// Which cells of a tensor a scalar may read, itself and inside of the functions that it calls. Where every read there has a number that was passed along as one
// of its indices, that index is known at the call: a step of a recurrence reads what its own step, or the one before it, has.

import { ofVariable, type Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Definition, Invocation, Loop, Scalar, ScalarFunction } from "../ir/program.ts";
import { functionsFrom, readsOfFunction } from "../ir/references.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { wholeLoops } from "./cells.ts";

/** The cells that something moves with: those at the indices, for all positions of the loops. */
export interface Cells {
  readonly indices: readonly Scalar[];
  readonly over: readonly Loop[];
}

/** The cells of a tensor that a scalar may read. */
export function cellsReadIn(scalar: Scalar, definition: Definition): Cells {
  const pinned = definition.axes.map((_, axis) => indexIn(scalar, definition, axis));
  const loops = wholeLoops(definition);
  return {
    indices: loops.map((loop, axis) => pinned[axis] ?? integerScalar(ofVariable(loop.variable))),
    over: loops.filter((_, axis) => !pinned[axis]),
  };
}

/** The index that all reads in a scalar have along one axis, those in the functions that it calls included. */
function indexIn(scalar: Scalar, definition: Definition, axis: number): Scalar | undefined {
  return only(indicesIn([scalar], definition, axis, new Set()));
}

/** Every index along an axis that scalars read a tensor at; nothing for one that only the run knows. */
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
    const index = indexInside(part.invocation.function, definition, axis, under);
    found.push(index && givenAt(part.invocation, index));
  };
  for (const scalar of scalars) eachScalar(scalar, look);
  return found;
}

/** The same for the body of a function, in its parameters, all of which it passes along as they are where it calls itself. */
function indexInside(
  of: ScalarFunction,
  definition: Definition,
  axis: number,
  under: ReadonlySet<ScalarFunction>,
): Scalar | undefined {
  const index = only(indicesIn(of.results, definition, axis, new Set([...under, of])));
  if (!index || !isMadeOf(index, new Set(of.parameters.map((parameter) => parameter.variable)))) return undefined;
  let isSame = true;
  const look = (part: Scalar): void => {
    if (part.kind !== "call") return;
    const { invocation } = part;
    if (invocation.function === of) isSame &&= keyOf(givenAt(invocation, index)) === keyOf(index);
    // Functions that call one another may pass on something else.
    else if (functionsFrom(invocation.function).has(of)) isSame = false;
  };
  for (const result of of.results) eachScalar(result, look);
  return isSame ? index : undefined;
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
  return instantiate(index, new Map(called.parameters.map(({ variable }, k) => [variable, given[k]!])));
}

function only(found: readonly (Scalar | undefined)[]): Scalar | undefined {
  const [first, ...others] = new Map(found.map((index) => [index && keyOf(index), index])).values();
  return others.length === 0 ? first : undefined;
}
