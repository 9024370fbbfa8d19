// Prints equal derived definitions once. A definition that only copies another one is not printed:
// its readers read the other one.
//
//    let d_a[i] = d_y[i];                    is left out, and
//    let d_x[i] = 2.0 * d_a[i];   becomes   let d_x[i] = 2.0 * d_y[i];

import { keyOf as termKey, ofVariable, variable, zero, type Variable } from "../../affine/term.ts";
import { keyOf } from "../../ir/keys.ts";
import { bareVariable } from "../../print/scalar.ts";
import { mapParts } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { callsOf, readsOf, readsOfFunction } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";
import { copied, instantiate, integerScalar } from "../../ir/substitute.ts";

/**
 * Calls `look` with the definitions that neither repeat an earlier one nor copy one. Definitions
 * with `isStaying` stay in any case. Afterwards all clauses are as before.
 */
export function withoutRepeats<T>(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
  look: (left: readonly Definition[]) => T,
): T {
  const before = definitions.map(({ clauses }) => clauses);
  const inCalls = new Set(
    definitions.flatMap((each) => [...callsOf(each)].flatMap((of) => [...readsOfFunction(of)])),
  );
  // Ranges may be written with a number, so numbers stay.
  const isHeld = (each: Definition): boolean =>
    isStaying(each) || inCalls.has(each) || (each.axes.length === 0 && !isFloat(each.element));
  let left = definitions;
  for (;;) {
    const first = new Map<string, Definition>();
    const repeated = new Map<Definition, Definition>();
    for (const definition of left) {
      const key = definitionText(definition);
      const other = copiedBy(definition) ?? first.get(key);
      if (!other) first.set(key, definition);
      else if (!isHeld(definition)) repeated.set(definition, other);
    }
    if (repeated.size === 0) break;
    left = left.filter((definition) => !repeated.has(definition));
    for (const definition of left)
      definition.clauses = definition.clauses.map((clause) =>
        withOtherReads(clause, finalReplacements(repeated)),
      );
  }
  left = withoutLastCopies(left, isHeld);
  try {
    return look(left);
  } finally {
    for (const [k, definition] of definitions.entries()) definition.clauses = before[k]!;
  }
}

/** The final replacement of each definition: a replacement may have a replacement itself. */
function finalReplacements(
  instead: ReadonlyMap<Definition, Definition>,
): ReadonlyMap<Definition, Definition> {
  const end = (definition: Definition): Definition => {
    const next = instead.get(definition);
    return next ? end(next) : definition;
  };
  return new Map([...instead.keys()].map((definition) => [definition, end(definition)]));
}

/** The definition that a definition copies cell by cell, as `let b[i] = a[i];` does. */
function copiedBy({ element, axes, clauses }: Definition): Definition | undefined {
  const [clause, ...others] = clauses;
  if (!clause || others.length > 0 || clause.guards.length > 0 || clause.body.kind !== "map")
    return undefined;
  const { value } = clause.body;
  if (value.kind !== "read" || value.type !== element || element === "data" || axes.length === 0)
    return undefined;
  const copiesEveryCell = clause.loops.every(({ variable: v, from, to }, k) => {
    const extent = axes[k]!.extent;
    const isWhole =
      keyOf(from) === keyOf(integerScalar(zero)) && keyOf(to) === keyOf(integerScalar(extent));
    const otherAxis = value.definition.axes[k];
    const index = value.indices[k];
    return (
      isWhole &&
      otherAxis &&
      termKey(otherAxis.extent) === termKey(extent) &&
      index &&
      bareVariable(index) === v
    );
  });
  return copiesEveryCell && value.indices.length === axes.length ? value.definition : undefined;
}

/**
 * If a definition that stays copies another one that nothing else reads, the clauses of the other
 * one move to the definition that stays.
 */
function withoutLastCopies(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
): readonly Definition[] {
  const gone = new Set<Definition>();
  for (const definition of definitions) {
    const other = copiedBy(definition);
    // A list of numbers has no clauses.
    if (!other?.clauses.length || isStaying(other) || !definitions.includes(other)) continue;
    if (definitions.some((each) => each !== definition && readsOf(each).has(other))) continue;
    const names = definition.clauses[0]!.loops.map((loop) => loop.variable.name);
    definition.clauses = other.clauses.map((clause) => withCoordinateNames(clause, names));
    gone.add(other);
  }
  return definitions.filter((definition) => !gone.has(definition));
}

/** The clause with other names for its coordinates. */
function withCoordinateNames(clause: Clause, names: readonly string[]): Clause {
  const by = new Map<Variable, Scalar>();
  const renamed = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const loops = clause.loops.map((loop, k): Loop => {
    const own = variable(names[k]!);
    const renamedLoop = { ...loop, variable: own, from: renamed(loop.from), to: renamed(loop.to) };
    by.set(loop.variable, integerScalar(ofVariable(own)));
    return renamedLoop;
  });
  const { guards, body, otherwise } = clause;
  const renamedRange = (loop: Loop): Loop => ({
    ...loop,
    from: renamed(loop.from),
    to: renamed(loop.to),
  });
  const value = renamed(body.value);
  return {
    ...clause,
    loops,
    guards: guards.map(renamed),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, loops: body.loops.map(renamedRange), guards: body.guards.map(renamed) },
    ...(otherwise ? { otherwise: renamed(otherwise) } : {}),
  };
}

/** One variable for each place among the coordinates of a clause. */
const places: Variable[] = [];

/** A text that is equal for definitions that differ only in the names of their coordinates. */
function definitionText({ element, axes, clauses }: Definition): string {
  const extents = axes.map(({ extent }) => termKey(extent));
  return [element, ...extents, ...clauses.map(clauseText)].join(";");
}

function clauseText({ loops, guards, body, otherwise }: Clause): string {
  const by = new Map<Variable, Scalar>();
  const text = (scalar: Scalar): string => keyOf(instantiate(scalar, by));
  const range = (loop: Loop): string => {
    places[by.size] ??= variable(`place_${by.size}`);
    const bounds = `${text(loop.from)}..${text(loop.to)}${loop.reversed ? " down" : ""}`;
    by.set(loop.variable, integerScalar(ofVariable(places[by.size]!)));
    return bounds;
  };
  const left = loops.map(range);
  const reduced =
    body.kind === "reduce"
      ? [body.reduction, ...body.loops.map(range), "|", ...body.guards.map(text)]
      : [];
  const rest = [...guards, body.value, ...(otherwise ? [otherwise] : [])].map(text);
  return [...left, "|", ...reduced, "|", ...rest].join(",");
}

/** The clause with other definitions in its reads. */
function withOtherReads(clause: Clause, instead: ReadonlyMap<Definition, Definition>): Clause {
  const locals = new Map<Parameters<typeof copied>[0], ReturnType<typeof copied>>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, locals) };
    const inside = mapParts(scalar, change);
    return inside.kind === "read"
      ? { ...inside, definition: instead.get(inside.definition) ?? inside.definition }
      : inside;
  };
  const changedLoop = (loop: Loop): Loop => ({
    ...loop,
    from: change(loop.from),
    to: change(loop.to),
  });
  const { loops, guards, body, otherwise } = clause;
  const value = change(body.value);
  return {
    ...clause,
    loops: loops.map(changedLoop),
    guards: guards.map(change),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, loops: body.loops.map(changedLoop), guards: body.guards.map(change) },
    ...(otherwise ? { otherwise: change(otherwise) } : {}),
  };
}
