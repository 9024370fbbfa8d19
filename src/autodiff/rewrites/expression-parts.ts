// Parts of expressions: definitions that have what an expression computes at every point of its
// clause, and expressions that read them.

import { ofVariable, type Variable } from "../../affine/term.ts";
import { keyOf, placeholder } from "../../ir/keys.ts";
import { mapParts, partsOf } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import type { ElementType } from "../../scalar/types.ts";
import { instantiate, integerScalar, coordinateScalar, atIndices } from "../../ir/substitute.ts";
import {
  loopsOutside,
  countedFromStart,
  freshLoops,
  type Counted,
  type Define,
} from "../sweep/cells.ts";
import { alongWithFormula } from "../sweep/formulas.ts";

export type Read = Extract<Scalar, { kind: "read" }>;

/**
 * A scalar with something else wherever an expression of some structure stood; itself where there
 * is none.
 */
export function replaced(value: Scalar, key: string, by: Scalar): Scalar {
  return rebuilt(value, (scalar) => (keyOf(scalar) === key ? by : undefined));
}

/** A scalar with the parts that stand-ins stand for. */
export function withParts(value: Scalar, read: (standIn: Definition) => Read | undefined): Scalar {
  return rebuilt(value, (scalar) => (scalar.kind === "read" ? read(scalar.definition) : undefined));
}

/** A scalar with something else in some places, in the values of its locals too. */
export function rebuilt(value: Scalar, other: (scalar: Scalar) => Scalar | undefined): Scalar {
  const locals = new Map<Local, Local>();
  const visit = (scalar: Scalar): Scalar => {
    const found = other(scalar);
    if (found) return found;
    if (scalar.kind === "local") {
      const { local } = scalar;
      let made = locals.get(local);
      if (!made) {
        const inside = visit(local.value);
        locals.set(local, (made = inside === local.value ? local : { ...local, value: inside }));
      }
      return made === local ? scalar : { ...scalar, local: made };
    }
    const parts = new Map(partsOf(scalar).map((part) => [part, visit(part)]));
    return [...parts].every(([part, inside]) => part === inside)
      ? scalar
      : mapParts(scalar, (part) => parts.get(part)!);
  };
  return visit(value);
}

/** Where a part has its cells: one for each point of a clause. */
interface Place extends Counted {
  /** The clause's coordinates there. */
  readonly by: ReadonlyMap<Variable, Scalar>;
  /** Cells that the clause has no points for. */
  readonly around: readonly (readonly Loop[])[];
}

/** Some of a clause's coordinates, each from where it starts. */
export function placeOfOwn(along: readonly Loop[]): Place {
  const by = new Map<Variable, Scalar>();
  return { ...countedFromStart(along, by), by, around: [] };
}

/**
 * In step with a recurrence: the cells along some coordinates of the clause are where the
 * recurrence has them.
 */
export function placeBeside(
  { axes }: Definition,
  { loops, body }: Clause,
  along: readonly Loop[],
): Place {
  const by = new Map<Variable, Scalar>();
  const own = loops.filter((loop) => along.includes(loop));
  const beside = freshLoops(own, by);
  const inner = countedFromStart(
    body.kind === "reduce" ? body.loops.filter((loop) => along.includes(loop)) : [],
    by,
  );
  const all = [...axes.filter((_, k) => own.includes(loops[k]!)), ...inner.axes];
  return {
    loops: [...beside, ...inner.loops],
    axes: all,
    indices: [...own.map(coordinateScalar), ...inner.indices],
    by,
    around: loopsOutside(all, [...beside, ...inner.loops]),
  };
}

/** What is computed at the points of a clause, or at those that branches on coordinates leave. */
export interface Part {
  readonly value: Scalar;
  readonly under: readonly Scalar[];
  /** What the cells have where there is nothing to compute, if somebody reads them there. */
  readonly otherwise?: Scalar;
}

/**
 * A value at every point, as a definition of its own; read where it stood. Where there is nothing
 * to compute there is no part either.
 */
export function partOf(
  definition: Definition,
  place: Place,
  clause: Clause,
  { value, under, otherwise }: Part,
  define: Define,
): Read {
  const { loops, axes, indices, by, around } = place;
  const { body, span } = clause;
  const guards = [...clause.guards, ...(body.kind === "reduce" ? body.guards : []), ...under];
  const nothing: Scalar = { kind: "constant", type: value.type, value: 0 };
  const clauses: readonly Clause[] = [
    ...around.map((each): Clause => ({
      loops: each,
      guards: [],
      body: { kind: "map", value: nothing },
      span,
    })),
    {
      loops,
      guards: guards.map((guard) => instantiate(guard, by)),
      body: { kind: "map", value: instantiate(value, by) },
      ...(otherwise && { otherwise }),
      span,
    },
  ];
  const own = clauses.at(-1)!;
  if (guards.length === under.length) inBranches.add(own);
  const made = define(`${definition.name}_part`, value.type, axes, clauses, span);
  if (value.kind === "read") copies.set(made, { loops, value: instantiate(value, by) });
  return { kind: "read", type: value.type, definition: made, indices, span };
}

/** A cell that is copied, in the coordinates of the copy. */
type Copy = Pick<Clause, "loops"> & Pick<Part, "value">;

const copies = new WeakMap<Definition, Copy>();

/**
 * A definition that reads cells where they are, and not copies of them: those are there to be
 * differentiated.
 */
export function readDirectly(definition: Definition): void {
  if (![...readsOf(definition)].some((read) => copies.has(read))) return;
  definition.clauses = definition.clauses.map((clause) => alongWithFormula(clause, withoutCopies));
}

function withoutCopies({ guards, body, otherwise, ...rest }: Clause): Clause {
  const found = new Map<string, Scalar>();
  const read = ({ indices }: Read, { loops, value }: Copy): Scalar =>
    instantiate(value, atIndices(loops, indices.map(directly)));
  const directly = (value: Scalar): Scalar =>
    rebuilt(value, (scalar) => {
      const copy = scalar.kind === "read" ? copies.get(scalar.definition) : undefined;
      if (!copy) return undefined;
      const key = keyOf(scalar);
      if (!found.has(key)) found.set(key, read(scalar as Read, copy));
      return found.get(key);
    });
  const value = directly(body.value);
  return {
    ...rest,
    guards: guards.map(directly),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, guards: body.guards.map(directly), value },
    ...(otherwise ? { otherwise: directly(otherwise) } : {}),
  };
}

const inBranches = new WeakSet<Clause>();

/**
 * Whether guards filter the cells of a clause or the elements of its reduction; those of a part may
 * only say in which branch it stands.
 */
export function isFiltered(clause: Clause): boolean {
  const { guards, body } = clause;
  return (
    !inBranches.has(clause) &&
    (guards.length > 0 || (body.kind === "reduce" && body.guards.length > 0))
  );
}

/**
 * Defines what is not there yet: of definitions that compute the same at the same points, whatever
 * they and their coordinates are called, one is made.
 */
export function definingOnce(known: Map<string, Definition>, define: Define): Define {
  const own = new Set(known.values());
  return (name, element, axes, clauses, span) => {
    const key = keyOfCells(element, axes, clauses, own);
    let definition = known.get(key);
    if (!definition) known.set(key, (definition = define(name, element, axes, clauses, span)));
    own.add(definition);
    return definition;
  };
}

/**
 * The same for definitions that compute the same at the same points, parts being what they are made
 * of.
 */
export function keyOfCells(
  element: ElementType,
  axes: readonly Axis[],
  clauses: readonly Clause[],
  parts: ReadonlySet<Definition>,
): string {
  const extents = axes.map(({ extent }) => keyOf(integerScalar(extent)));
  return `${element} ${extents.join()} ${clauses.map((clause) => keyOfMap(clause, parts)).join()}`;
}

/**
 * Loops by their ranges, and their coordinates by their positions: the same for loops that go
 * through the same points, whatever those are called.
 */
export function placeholdersFor(loops: readonly Loop[]): {
  readonly ranges: string;
  readonly by: ReadonlyMap<Variable, Scalar>;
} {
  const by = new Map<Variable, Scalar>();
  const ranges = loops.map(({ variable: v, from, to }, k) => {
    const range = [from, to].map((end) => keyOf(instantiate(end, by))).join("..");
    by.set(v, integerScalar(ofVariable(placeholder(k))));
    return range;
  });
  return { ranges: ranges.join(), by };
}

/** The same for clauses that compute the same at the same points. */
function keyOfMap(
  { loops, guards, body, otherwise }: Clause,
  parts: ReadonlySet<Definition>,
): string {
  const { ranges, by } = placeholdersFor(loops);
  const said = (scalar: Scalar): string => keyOf(instantiate(madeOf(scalar, parts), by));
  return (
    `${ranges} ` + [...guards, body.value, ...(otherwise ? [otherwise] : [])].map(said).join(" ")
  );
}

/**
 * A scalar with the values of parts in the place of their reads, where they have one for every
 * cell.
 */
function madeOf(scalar: Scalar, parts: ReadonlySet<Definition>): Scalar {
  return rebuilt(scalar, (read) => {
    if (read.kind !== "read" || !parts.has(read.definition)) return undefined;
    const [clause, ...others] = read.definition.clauses;
    if (others.length > 0 || clause!.guards.length > 0) return undefined;
    const by = atIndices(clause!.loops, read.indices);
    return madeOf(instantiate(clause!.body.value, by), parts);
  });
}

/**
 * A value that omits some coordinates, along the others: it can be computed whatever the guards of
 * the clause say.
 */
export function partAlong(
  definition: Definition,
  along: readonly Loop[],
  value: Scalar,
  { span }: Clause,
  define: Define,
): Read {
  const by = new Map<Variable, Scalar>();
  const { loops, axes, indices } = countedFromStart(along, by);
  const clause: Clause = {
    loops,
    guards: [],
    body: { kind: "map", value: instantiate(value, by) },
    span,
  };
  const made = define(`${definition.name}_part`, value.type, axes, [clause], span);
  return { kind: "read", type: value.type, definition: made, indices, span };
}
