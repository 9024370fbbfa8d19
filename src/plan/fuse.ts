// Decides which definitions need no cells of their own.
//
//   let y[i] = 2.0 * x[i];
//   let z[i] = y[i] + 1.0;    // inline: z[i] = 2.0 * x[i] + 1.0
//
// A map that is cheap, or that is read once, is inlined. A reduction that one map reads cell by
// cell is merged: it becomes the first part of that map.

import { isOff } from "../ir/rewrites.ts";
import { constantOf, subtract, type Term } from "../affine/term.ts";
import { eachScalar, scalarsOf, isAnywhere } from "../ir/parts.ts";
import type { Clause, Definition, Loop, Program, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import type { Schedule } from "../analyse/schedule.ts";
import { bytesOf, isUnsized } from "../scalar/types.ts";
import { instantiate, atIndices } from "../ir/substitute.ts";
import { tiesOf, usesAny } from "../analyse/ties.ts";
import { rewriteClause } from "./rewrite.ts";
import { noted } from "./rules.ts";
import { isVariable } from "./same.ts";
import { newShared } from "./share.ts";
import { logsumexpOf } from "./reductions/shares.ts";
import { textOfScalar } from "./text.ts";
import { twinsAmong } from "./twins.ts";
import { askedRoots } from "../ir/roots.ts";

export interface Fused {
  /** The clauses of a definition, with the inlined maps written in place of their reads. */
  readonly clausesOf: (definition: Definition) => readonly Clause[];
  /** Definitions that are computed only where they are read. */
  readonly inlined: ReadonlySet<Definition>;
  /** Reductions that are computed in the map that reads them, with this map. */
  readonly merged: ReadonlyMap<Definition, Definition>;
  /**
   * For a logsumexp, the map that computes the shares of its terms: `exp(x[i] - logsumexp)`. Both
   * are computed together.
   */
  readonly sharesOf: ReadonlyMap<Definition, Definition>;
}

/** Every definition is computed by itself. */
export const unfused: Fused = {
  clausesOf: ({ clauses }) => clauses,
  inlined: new Set(),
  merged: new Map(),
  sharesOf: new Map(),
};

/** The value of a term at the time of planning; NaN where the value is not known yet. */
type Sizes = (term: Term) => number;

interface Use {
  readonly reader: Definition;
  readonly indices: readonly Scalar[];
  readonly clause: Clause;
  /** How many times a run makes this read; NaN where the number is unknown. */
  readonly times: number;
}

/**
 * The definitions whose values the host looks at: those that it asks for by name (all if `asked` is
 * absent), and `also`.
 */
interface Asked {
  readonly asked: readonly string[] | undefined;
  readonly also?: readonly Definition[];
}

/** What the plan of a run permits. */
export interface Freedom {
  /** Whether a definition may do without cells of its own. */
  readonly mayFuse: (definition: Definition) => boolean;
  /** Whether a definition keeps all its cells for every reader. */
  readonly mayShare: (definition: Definition) => boolean;
  /**
   * Whether a definition can be computed before a reader that did not read it so far. The caller
   * records the answer yes as a new dependency of the reader.
   */
  readonly mayRead: (reader: Definition, definition: Definition) => boolean;
}

/** A map with at most this much work may be computed again instead of being stored. */
const cheap = 4;
/** An expression with at least this much work costs more than a read of a cell. */
const slower = 10;
/** A body with more work than this is not inlined. */
const mostWork = 60;

export function fuse(
  program: Program,
  schedules: readonly Schedule[],
  { asked, also = [] }: Asked,
  sizes: Sizes,
  mostBytes: number,
  { mayFuse, mayShare, mayRead }: Freedom,
): Fused {
  const observed = new Set([...observedDefinitionsIn(program, asked), ...also]);
  const wanted = withAllReadBy(observed);
  const isNeeded = (definition: Definition): boolean => wanted.has(definition);
  // Reads of definitions that are not computed do not count.
  const all = schedules.flatMap((schedule) => schedule.definitions.filter(isNeeded));
  const uses = usesIn(all, sizes);
  const needed = new Set(all.flatMap((definition) => [...definition.needs]));
  const changed = new Map<Definition, readonly Clause[]>();
  const inlined = new Set<Definition>();
  const merged = new Map<Definition, Definition>();
  const clausesOf = (definition: Definition): readonly Clause[] =>
    changed.get(definition) ?? definition.clauses;
  const shared = newShared(sizes, (scalar) => evaluationWorkOf(scalar) >= slower, canRead);
  const sharesOf = new Map<Definition, Definition>();
  const recurrent = new Set(
    schedules.flatMap((schedule) => (schedule.recurrent ? schedule.definitions : [])),
  );
  const reached = new Map<Definition, ReadonlySet<Definition>>();
  const isSeen = (definition: Definition): boolean =>
    observed.has(definition) || needed.has(definition);
  const twins = twinsAmong(all, {
    sizes,
    isSeen,
    mayShare: (definition) => !recurrent.has(definition) && mayShare(definition),
    readersOf: (definition) => readersIn(uses.get(definition)),
    canRead,
  });
  for (const [twin, kept] of twins) {
    inlined.add(twin);
    uses.set(kept, [...(uses.get(kept) ?? []), ...(uses.get(twin) ?? [])]);
    noted("twins", (names) => `the same as ${names.definition(kept)}`, twin);
  }
  /**
   * The replacement of a scalar: the body of an inlined map for a read of the map, and a read for
   * an expression that another map has computed.
   */
  const replacementFor = (reader: Definition, scalar: Scalar): Scalar | undefined => {
    const twin = scalar.kind === "read" ? twins.get(scalar.definition) : undefined;
    if (scalar.kind === "read" && twin) return { ...scalar, definition: twin };
    if (scalar.kind === "read" && inlined.has(scalar.definition))
      return bodyAtIndices(clausesOf(scalar.definition)[0]!, scalar.indices);
    const read = shared.readFor(reader, scalar);
    if (read)
      noted(
        "share",
        (names) => `${textOfScalar(names, scalar)} is ${textOfScalar(names, read)}`,
        reader,
      );
    return read;
  };
  for (const schedule of schedules) {
    for (const definition of schedule.definitions) {
      if (definition.clauses.length === 0 || twins.has(definition) || !isNeeded(definition))
        continue;
      changed.set(
        definition,
        definition.clauses.map((clause) =>
          rewriteClause(clause, (scalar) => replacementFor(definition, scalar)),
        ),
      );
      if (isUnsized(definition.element)) continue;
      if (!isSeen(definition) && mayFuse(definition)) fuseOne(definition, schedule);
      if (
        inlined.has(definition) ||
        merged.has(definition) ||
        schedule.recurrent ||
        !mayShare(definition)
      )
        continue;
      if (!ownsEveryCell(definition, clausesOf(definition), sizes)) continue;
      shared.add(definition, clausesOf(definition)[0]!);
      const total = logsumexpOf(clausesOf(definition)[0]!, clausesOf, sizes);
      if (
        total &&
        !recurrent.has(total) &&
        mayShare(total) &&
        !sharesOf.has(total) &&
        isNeeded(definition)
      )
        sharesOf.set(total, definition);
    }
  }
  return { clausesOf, inlined, merged, sharesOf };

  /** Whether the definition is computed in any case, and before the reader. */
  function canRead(reader: Definition, definition: Definition): boolean {
    let before = reached.get(reader);
    if (!before) reached.set(reader, (before = withAllReadBy(readsOf(reader))));
    return before.has(definition) || (isNeeded(definition) && mayRead(reader, definition));
  }

  function fuseOne(definition: Definition, schedule: Schedule): void {
    const own = uses.get(definition) ?? [];
    const isTarget = [...merged.values()].includes(definition);
    const mayInline = !schedule.recurrent && !isTarget && !isOff("inline");
    if (mayInline && isInlinable(definition, clausesOf(definition), own, sizes, mostBytes)) {
      inlined.add(definition);
      noted(
        "inline",
        (names) =>
          "computed in " +
          [...new Set(own.map(({ reader }) => names.definition(reader)))].join(", "),
        definition,
      );
      return;
    }
    const reader = isOff("merge")
      ? undefined
      : mapToMergeInto(definition, clausesOf(definition), own);
    // The reductions of one clause share a loop. If the ranges of two reductions depend on the
    // cell, they may differ, so that a clause takes at most one such reduction.
    const clauses = new Set(own.map(({ clause }) => clause));
    const isBeside = ([other, into]: readonly [Definition, Definition]): boolean =>
      into === reader && (uses.get(other) ?? []).some(({ clause }) => clauses.has(clause));
    if (reader && clausesOf(definition).some(rangeDependsOnCell) && [...merged].some(isBeside))
      return;
    if (!reader || (schedule.recurrent && !schedule.definitions.includes(reader))) return;
    merged.set(definition, reader);
    noted("merge", (names) => `a part of ${names.definition(reader)}`, definition);
  }
}

/** The given definitions and all definitions that they read, directly or not. */
function withAllReadBy(roots: ReadonlySet<Definition>): ReadonlySet<Definition> {
  const found = new Set(roots);
  for (const each of found) for (const read of readsOf(each)) found.add(read);
  return found;
}

/** The definitions that the host asks for, and those that are printed or asserted. */
function observedDefinitionsIn(
  program: Program,
  asked: readonly string[] | undefined,
): ReadonlySet<Definition> {
  return new Set(askedRoots(program, asked));
}

/** The definitions that make the given reads; `undefined` where it is not known what they read. */
function readersIn(uses: readonly Use[] | undefined): ReadonlySet<Definition> | undefined {
  if (!uses || uses.some(({ times }) => Number.isNaN(times))) return undefined;
  return new Set(uses.map(({ reader }) => reader));
}

function usesIn(definitions: readonly Definition[], sizes: Sizes): Map<Definition, readonly Use[]> {
  const uses = new Map<Definition, Use[]>();
  for (const reader of definitions) {
    const cells = reader.axes.reduce((total, axis) => total * sizes(axis.extent), 1);
    for (const clause of reader.clauses) {
      const inside =
        clause.body.kind === "reduce"
          ? clause.body.loops.reduce((total, loop) => total * lengthOfLoop(loop, sizes), 1)
          : 1;
      for (const scalar of scalarsOf(clause)) {
        eachScalar(scalar, (part) => {
          if (part.kind !== "read") return;
          const list = uses.get(part.definition) ?? [];
          uses.set(part.definition, list);
          list.push({ reader, indices: part.indices, clause, times: cells * inside });
        });
      }
    }
    for (const read of readsOf(reader)) if (!uses.has(read)) uses.set(read, [unknownUse(reader)]);
  }
  return uses;
}

/** A read that does not stand in a scalar. Its indices and its number are unknown. */
function unknownUse(reader: Definition): Use {
  return { reader, indices: [], clause: reader.clauses[0]!, times: NaN };
}

function lengthOfLoop({ from, to }: Loop, sizes: Sizes): number {
  if (from.kind !== "integer" || to.kind !== "integer") return NaN;
  const fixed = constantOf(subtract(to.term, from.term));
  return fixed ?? sizes(to.term) - sizes(from.term);
}

/** Whether a single clause without guards defines every cell. */
function ownsEveryCell(definition: Definition, clauses: readonly Clause[], sizes: Sizes): boolean {
  const [only, ...more] = clauses;
  if (!only || more.length > 0 || only.guards.length > 0) return false;
  return only.loops.every(({ from, to }, axis) => {
    if (from.kind !== "integer" || to.kind !== "integer") return false;
    return constantOf(from.term) === 0 && sizes(to.term) >= sizes(definition.axes[axis]!.extent);
  });
}

function isInlinable(
  definition: Definition,
  clauses: readonly Clause[],
  uses: readonly Use[],
  sizes: Sizes,
  mostBytes: number,
): boolean {
  if (!ownsEveryCell(definition, clauses, sizes)) return false;
  const { body } = clauses[0]!;
  if (body.kind !== "map" || uses.length === 0) return false;
  if (uses.some((use) => use.clause === undefined || isUnsized(use.reader.element))) return false;
  // A gather has to check that its index is in range, so the cells must exist.
  if (uses.some((use) => use.indices.some((index) => index.kind !== "integer"))) return false;
  const cells = definition.axes.reduce((total, axis) => total * sizes(axis.extent), 1);
  const times = uses.reduce((total, use) => total + use.times, 0);
  const work = evaluationWorkOf(body.value);
  if (Number.isNaN(cells) || Number.isNaN(times) || work > mostWork) return false;
  // A run refuses a definition that does not fit into its memory. Inlining must not hide that.
  if (isUnsized(definition.element) || cells * bytesOf(definition.element) >= mostBytes)
    return false;
  if ((uses.length === 1 && times <= cells) || isCopyOfCells(clauses[0]!)) return true;
  return work <= cheap && uses.length <= 6 && uses.every((use) => use.times <= 2 * cells);
}

/** Whether a map only copies the cells of another definition: `y[i, j] = x[i, j]`. */
function isCopyOfCells({ loops, body }: Clause): boolean {
  const { value } = body;
  if (value.kind !== "read" || value.definition.axes.length !== loops.length) return false;
  return value.indices.every(
    (index, axis) => index.kind === "integer" && isVariable(index.term, loops[axis]!.variable),
  );
}

/**
 * The work of evaluating a scalar once: one unit for each read and each fast operation, more for a
 * slow operation.
 */
export function evaluationWorkOf(scalar: Scalar): number {
  let work = 0;
  eachScalar(scalar, (part) => {
    switch (part.kind) {
      case "read":
      case "select":
      case "cast":
        work += 1;
        return;
      case "apply":
        work += workOfSlowOperations[part.operation] ?? 1;
        return;
      case "call":
      case "text":
        work += 1000;
        return;
      default:
        return;
    }
  });
  return work;
}

const workOfSlowOperations: Readonly<Record<string, number>> = {
  divide: 3,
  sqrt: 3,
  exp: 15,
  log: 15,
  sin: 20,
  cos: 20,
  tan: 25,
  tanh: 15,
  sigmoid: 15,
  erf: 25,
  log1p: 20,
  expm1: 20,
  power: 30,
  uniform: 100,
  normal: 200,
  randint: 100,
  remainder: 10,
};

/** The value of a map at the given indices. */
function bodyAtIndices(clause: Clause, indices: readonly Scalar[]): Scalar | undefined {
  if (clause.body.kind !== "map") return undefined;
  return instantiate(clause.body.value, atIndices(clause.loops, indices));
}

/**
 * The one map that reads a reduction, if each of its cells reads the reduction at its own
 * coordinates.
 */
function mapToMergeInto(
  definition: Definition,
  clauses: readonly Clause[],
  uses: readonly Use[],
): Definition | undefined {
  const [only, ...more] = clauses;
  if (
    !only ||
    more.length > 0 ||
    only.body.kind !== "reduce" ||
    only.otherwise ||
    definition.origin !== "helper"
  )
    return undefined;
  if (only.body.reduction === "logsumexp") return undefined;
  // A scatter adds its terms to its own cells, so it needs the cells.
  if (tiesOf(only.loops, only.body.loops, only.body.guards).length > 0) return undefined;
  const [first] = uses;
  if (!first || uses.some((use) => use.reader !== first.reader)) return undefined;
  const { reader } = first;
  if (reader.axes.length !== definition.axes.length) return undefined;
  const readsOwnCell = ({ clause, indices }: Use): boolean =>
    clause.body.kind === "map" &&
    clause.guards.every((guard) => !mentionsDefinition(guard, definition)) &&
    indices.length === clause.loops.length &&
    indices.every(
      (index, axis) =>
        index.kind === "integer" && isVariable(index.term, clause.loops[axis]!.variable),
    );
  return uses.every(readsOwnCell) ? reader : undefined;
}

/** Whether a range of a reduction depends on the cell, as `j` does in `sum[j in 0..i](x[j])`. */
function rangeDependsOnCell({ loops, body }: Clause): boolean {
  return (
    body.kind === "reduce" &&
    body.loops.some(({ from, to }) => usesAny(from, loops) || usesAny(to, loops))
  );
}

function mentionsDefinition(scalar: Scalar, definition: Definition): boolean {
  return isAnywhere(scalar, (part) => part.kind === "read" && part.definition === definition);
}
