// Derivatives through structs and enums that a run passes by reference: they have no adjoint of
// their own, so that what makes them is put in the place where they are read, and the derivative
// goes on to the floats that they are made of.

import { variable } from "../../affine/term.ts";
import type {
  Definition,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { mapParts, partsOf, isAnywhere } from "../../ir/parts.ts";
import { readsOf, readsOfFunction } from "../../ir/references.ts";
import { asFormula, readsWithFormulas } from "../sweep/formulas.ts";
import { instantiate, copied, atIndices } from "../../ir/substitute.ts";
import { compared } from "../../ir/integers.ts";

function readsData(scalar: Scalar): boolean {
  return isAnywhere(
    scalar,
    (part) =>
      (part.kind === "read" && part.type === "data") ||
      (part.kind === "call" && [...readsOfFunction(part.invocation.function)].some(isData)),
  );
}

/**
 * The scalar with the makings of data in the place of reads of it, also in the functions that it
 * calls; some may stay.
 */
export function withoutDataReads(
  root: Scalar,
  staying: ReadonlySet<Definition> = new Set(),
): Scalar {
  if (!readsData(root)) return root;
  const made = new Map<Definition, Local>();
  const copies = new Map<Local, Local>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, copies) };
    if (scalar.kind === "call") return { ...scalar, invocation: called(scalar.invocation) };
    if (scalar.kind !== "read" || scalar.type !== "data") return mapParts(scalar, change);
    return scalar.indices.length > 0
      ? change(makingOf(scalar.definition, scalar.indices))
      : whole(scalar.definition);
  };
  const whole = (definition: Definition): Scalar => {
    if (staying.has(definition))
      return { kind: "read", type: "data", definition, indices: [], span: definition.span };
    let local = made.get(definition);
    if (!local) {
      local = { name: definition.name, value: change(makingOf(definition, [])) };
      made.set(definition, local);
    }
    return { kind: "local", type: "data", local };
  };
  const calls = new Map<Invocation, Invocation>();
  const called = (invocation: Invocation): Invocation => {
    let found = calls.get(invocation);
    if (!found) {
      const lifted = givenData(invocation.function);
      const given = [...invocation.arguments.map(change), ...lifted.data.map(whole)];
      calls.set(
        invocation,
        (found = { ...invocation, function: lifted.function, arguments: given }),
      );
    }
    return found;
  };
  return change(root);
}

/** A function that is given the data that it reads from around it. */
interface Lifted {
  readonly function: ScalarFunction;
  readonly data: readonly Definition[];
}

const known = new WeakMap<ScalarFunction, Lifted>();

function givenData(of: ScalarFunction): Lifted {
  const before = known.get(of);
  if (before) return before;
  const read = dataReadBy(of);
  if (read.length === 0 || of.rule) return { function: of, data: [] };
  const data = read.filter(({ axes }) => axes.length === 0);
  const parameters = data.map(({ name }): Parameter => ({
    name,
    type: "data",
    variable: variable(name),
  }));
  const lifted: ScalarFunction = {
    ...of,
    parameters: [...of.parameters, ...parameters],
    results: [],
  };
  // Remembered before its results are made, because they may call it.
  known.set(of, { function: lifted, data });
  const given = new Map(
    data.map((each, k): [Definition, Scalar] => [
      each,
      { kind: "parameter", type: "data", parameter: parameters[k]! },
    ]),
  );
  const copies = new Map<Local, Local>();
  const calls = new Map<Invocation, Invocation>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, copies) };
    if (scalar.kind === "call") {
      let invocation = calls.get(scalar.invocation);
      if (!invocation) {
        const inner = givenData(scalar.invocation.function);
        const all = [
          ...scalar.invocation.arguments.map(change),
          ...inner.data.map((each) => given.get(each)!),
        ];
        invocation = { ...scalar.invocation, function: inner.function, arguments: all };
        calls.set(scalar.invocation, invocation);
      }
      return { ...scalar, invocation };
    }
    if (scalar.kind !== "read" || scalar.type !== "data") return mapParts(scalar, change);
    return given.get(scalar.definition) ?? change(makingOf(scalar.definition, scalar.indices));
  };
  lifted.results = of.results.map(change);
  return known.get(of)!;
}

/**
 * The data that a function reads, and what the cells of it are made of in turn: they stand in the
 * place of their reads.
 */
function dataReadBy(of: ScalarFunction): readonly Definition[] {
  const found = new Set([...readsOfFunction(of)].filter(isData));
  for (const each of found) {
    if (each.axes.length === 0) continue;
    const making = { ...each, clauses: each.clauses.map(asFormula) };
    for (const further of readsOf(making)) if (isData(further)) found.add(further);
  }
  return [...found];
}

function isData({ element }: Definition): boolean {
  return element === "data";
}

/** The value of one cell: of the last clause that owns it. */
function makingOf({ clauses }: Definition, indices: readonly Scalar[]): Scalar {
  const none: Scalar = { kind: "constant", type: "data", value: [] };
  return clauses.map(asFormula).reduce<Scalar>((before, { loops, guards, body }) => {
    const by = atIndices(loops, indices);
    const value = instantiate(body.value, by);
    const within =
      clauses.length === 1
        ? []
        : loops.flatMap((loop, k) => inside(loop.from, indices[k]!, loop.to));
    const conditions = [...within, ...guards.map((guard) => instantiate(guard, by))];
    return conditions.reduceRight<Scalar>(
      (then, condition) => ({ kind: "select", type: "data", condition, then, otherwise: before }),
      value,
    );
  }, none);
}

function inside(from: Scalar, index: Scalar, to: Scalar): readonly Scalar[] {
  return [compared("lessEqual", from, index), compared("less", index, to)];
}

/** What a definition reads, and through data that it reads, what that is made of. */
export function readsThroughData(definition: Definition): readonly Definition[] {
  const found = new Set(readsWithFormulas(definition));
  for (const read of found)
    if (read.element === "data") for (const further of readsOf(read)) found.add(further);
  return [...found];
}

/** Whether data stands among the parts of a scalar right inside it. */
export function takesData(scalar: Scalar): boolean {
  return partsOf(scalar).some((part) => part.type === "data");
}
