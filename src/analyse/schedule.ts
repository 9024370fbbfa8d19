// The order in which definitions are computed. A strongly connected component of definitions is a
// recurrence. It is scheduled as Allen and Kennedy do (Optimizing Compilers for Modern
// Architectures, 2001, ch. 5): find an axis along which every read inside the component goes
// backward or stays, make it a loop, drop the reads that the loop carries, and repeat inside the
// step.
//
//   let h[t in 1..9, i in 0..3] = h[t - 1, i] + 1.0;      a loop along `t`, all `i` at once
//
// If data decides an index, nothing is known along its axis. An axis for which no read needs to be
// trusted comes first: in h[nb[n], t - 1] that is t, wherever it stands. If there is no such axis,
// lookups are trusted not to go forward, and the run checks them. They are trusted to go back in
// the order of the loops, so an inner loop still has to carry them if it can.

import { components } from "../base/components.ts";
import { ofVariable } from "../affine/term.ts";
import { atMost, holds, lessThan, type Fact } from "../affine/prove.ts";
import { accessesByCase } from "./cases.ts";
import { isOpaque, termOf, type Access, type Opaque } from "./facts.ts";
import type { Clause, Definition } from "../ir/program.ts";
import { waitsForItself, type Aligned } from "./own-step.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import { readsOf, readsOfFunction } from "../ir/references.ts";

export interface Schedule {
  readonly definitions: readonly Definition[];
  /** Whether cells are read while other cells are still to come. */
  readonly recurrent: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: "cells"; readonly definition: Definition }
  /** One loop, along an axis of each of its definitions, aligned at equal positions. */
  | {
      readonly kind: "loop";
      readonly axes: Aligned;
      readonly reversed: boolean;
      readonly body: Schedule;
    };

/** A recurrence for which no order was found, and the read that prevents one. */
export interface Unordered {
  readonly definitions: readonly Definition[];
  readonly access?: Access;
  /** The definition whose clause contains the read. */
  readonly reader: Definition;
}

type Ordered = { readonly schedule: Schedule } | { readonly unordered: Unordered };

/** Schedules of the definitions that the roots need. Each comes after those that it reads. */
export function scheduleAll(
  opaque: Opaque,
  roots: readonly Definition[],
  known: readonly Fact[],
): readonly Ordered[] {
  const all = reachable(roots);
  const at = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) => [...readsOf(definition)].map((read) => at.get(read)!));
  return components(all.length, (k) => edges[k]!).map((members) => {
    const definitions = members.map((k) => all[k]!);
    const [only] = definitions;
    const recurrent = definitions.length > 1 || edges[members[0]!]!.includes(members[0]!);
    if (!recurrent)
      return {
        schedule: { definitions, recurrent, steps: [{ kind: "cells", definition: only! }] },
      };
    return recurrence(opaque, definitions, known);
  });
}

export function reachable(roots: readonly Definition[]): readonly Definition[] {
  const found = new Set<Definition>(roots);
  for (const definition of found) for (const read of readsOf(definition)) found.add(read);
  return [...found];
}

/** Whether a definition reads its own cells, directly or through other definitions. */
export function isRecurrent(definition: Definition): boolean {
  return reachable([...readsOf(definition)]).includes(definition);
}

/** A read of one member of the recurrence by another. */
interface Edge {
  readonly reader: Definition;
  readonly clause: Clause;
  readonly to: Definition;
  /** The read. Undefined for a read inside a called function, whose cell only the run knows. */
  readonly access?: Access;
  /** For a read inside a function: whether it is assumed to be of an earlier step. */
  readonly isEarlier?: boolean;
  /**
   * Whether a loop around trusts the read to go back in the order of the loops. "everywhere": along
   * every inner axis. "alone": no loop is searched for it, but the remaining cells of its
   * definition are computed in order.
   */
  readonly trusted?: "everywhere" | "alone";
}

function recurrence(
  opaque: Opaque,
  definitions: readonly Definition[],
  known: readonly Fact[],
): Ordered {
  const members = new Set(definitions);
  const edges: Edge[] = [];
  const inside: Edge[] = [];
  for (const reader of definitions) {
    for (const clause of reader.clauses) {
      for (const access of accessesByCase(opaque, clause, known)) {
        const to = access.read.definition;
        if (members.has(to)) edges.push({ reader, clause, to, access });
      }
      for (const to of readsInCalls(clause))
        if (members.has(to) && to !== reader) inside.push({ reader, clause, to });
    }
  }
  const problem: Problem = {};
  // A read inside a function is of the same step, unless no order allows that. Then it is of
  // earlier steps.
  const earlier = inside.map((edge) => ({ ...edge, isEarlier: true }));
  const body =
    (inside.length > 0 ? order(opaque, definitions, [...edges, ...inside], [], {}) : undefined) ??
    order(opaque, definitions, [...edges, ...earlier], [], problem);
  if (!body)
    return {
      unordered: {
        definitions,
        reader: problem.reader ?? definitions[0]!,
        ...(problem.access ? { access: problem.access } : {}),
      },
    };
  return { schedule: { definitions, recurrent: true, steps: body } };
}

/** The definitions that the functions called by a clause read. */
function readsInCalls(clause: Clause): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const scalar of scalarsOf(clause))
    eachScalar(scalar, (part) => {
      if (part.kind === "call")
        for (const read of readsOfFunction(part.invocation.function)) found.add(read);
    });
  return found;
}

/** What prevents an order, as far as the search went. */
interface Problem {
  access?: Access;
  reader?: Definition;
}

/** The loops around, outermost first. */
type Taken = readonly Aligned[];

function isTaken(taken: Taken, definition: Definition, axis: number): boolean {
  return taken.some((axes) => axes.get(definition) === axis);
}

/**
 * Steps for definitions of which some axes are loops already. `edges` are the reads that no loop
 * carries yet.
 */
function order(
  opaque: Opaque,
  definitions: readonly Definition[],
  edges: readonly Edge[],
  taken: Taken,
  problem: Problem,
): readonly Step[] | undefined {
  const at = new Map(definitions.map((definition, k) => [definition, k]));
  const targets = definitions.map((definition) =>
    edges.filter((edge) => edge.reader === definition).map((edge) => at.get(edge.to)!),
  );
  const steps: Step[] = [];
  for (const group of components(definitions.length, (k) => targets[k]!)) {
    const members = group.map((k) => definitions[k]!);
    const inside = edges.filter(
      (edge) => members.includes(edge.reader) && members.includes(edge.to),
    );
    if (inside.every(isAlone)) {
      steps.push(cellsInTurn(members[0]!, inside, taken));
      continue;
    }
    const loop = findLoop(opaque, members, inside, taken, problem);
    if (!loop) return undefined;
    steps.push(loop);
  }
  return steps;
}

/**
 * The cells of a definition. If data may let them read one another, they are computed one after
 * another, along each free axis, in the direction that `rev` gives.
 */
function cellsInTurn(definition: Definition, edges: readonly Edge[], taken: Taken): Step {
  const cells: Step = { kind: "cells", definition };
  if (edges.length === 0) return cells;
  const free = [...definition.axes.keys()].filter((axis) => !isTaken(taken, definition, axis));
  return free.reduceRight<Step>((step, axis) => {
    const reversed = edges.some(({ clause }) => clause.loops[axis]!.reversed);
    const body: Schedule = { definitions: [definition], recurrent: true, steps: [step] };
    return { kind: "loop", axes: new Map([[definition, axis]]), reversed, body };
  }, cells);
}

function isAlone({ trusted }: Edge): boolean {
  return trusted === "alone";
}

function findLoop(
  opaque: Opaque,
  members: readonly Definition[],
  edges: readonly Edge[],
  taken: Taken,
  problem: Problem,
): Step | undefined {
  const proved: Trust = isAlone;
  const lookups: Trust = (edge, axes) =>
    edge.trusted !== undefined || isLookedUp(opaque, edge, axes);
  const found = edges.some(({ access }) => access && hasLookup(opaque, access))
    ? (loopTrusting(proved, opaque, members, edges, taken, {}) ??
      loopTrusting(lookups, opaque, members, edges, taken, problem))
    : loopTrusting(proved, opaque, members, edges, taken, problem);
  if (found) return found;
  const [known] = edges.filter((edge) => edge.access);
  problem.reader ??= (known ?? edges[0]!).reader;
  if (known?.access) problem.access ??= known.access;
  return undefined;
}

/** Which reads are assumed, without a proof, not to go forward along axes. */
type Trust = (edge: Edge, axes: Aligned) => boolean;

function loopTrusting(
  trusts: Trust,
  opaque: Opaque,
  members: readonly Definition[],
  edges: readonly Edge[],
  taken: Taken,
  problem: Problem,
): Step | undefined {
  const first = members[0]!;
  const binding = edges.filter((edge) => !isAlone(edge));
  for (const axis of first.axes.keys()) {
    if (isTaken(taken, first, axis)) continue;
    for (const reversed of directions(members, binding, axis)) {
      let left = mostAlignments;
      for (const axes of alignments(
        trusts,
        opaque,
        edges,
        new Map([[first, axis]]),
        taken,
        reversed,
        problem,
      )) {
        if (left-- === 0) break;
        if (!isWanted(members, binding, axes, reversed)) continue;
        const body = bodyOf(trusts, opaque, members, edges, axes, taken, reversed, problem);
        if (body)
          return {
            kind: "loop",
            axes,
            reversed,
            body: { definitions: members, recurrent: true, steps: body },
          };
      }
    }
  }
  return undefined;
}

/**
 * How many alignments are tried. Axes of one or two cells fit one another even where they do not
 * belong together.
 */
const mostAlignments = 16;

/**
 * The steps within a loop along aligned axes. Undefined if the loop carries no read, or leaves
 * reads that have no order.
 */
function bodyOf(
  trusts: Trust,
  opaque: Opaque,
  members: readonly Definition[],
  edges: readonly Edge[],
  axes: Aligned,
  taken: Taken,
  reversed: boolean,
  problem: Problem,
): readonly Step[] | undefined {
  const open = edges.filter((edge) => !provablyLies(opaque, edge, axes, reversed, "before"));
  const settled = open.filter((edge) => !trusts(edge, axes));
  if (settled.length === edges.filter((edge) => !isAlone(edge)).length) return undefined;
  const inner = [...taken, axes];
  // A trusted read may stay in its step if the inner loops, or the cells of its definition, have an
  // order for it. Otherwise it is of an earlier step.
  const staying = open.filter(
    (edge) => trusts(edge, axes) && !isOfAnotherStep(opaque, edge, inner),
  );
  const everywhere = staying.map((edge): Edge => ({ trusted: "everywhere", ...edge }));
  const alone = staying
    .filter(({ reader, to }) => reader === to)
    .map((edge): Edge => ({ ...edge, trusted: "alone" }));
  return (
    (staying.length > 0
      ? order(opaque, members, [...settled, ...everywhere], inner, {})
      : undefined) ?? order(opaque, members, [...settled, ...alone], inner, problem)
  );
}

/**
 * The directions to try. Downward if a clause walks its axis of the loop with `rev`, else upward.
 * Definitions that the compiler made may run either way; in a recurrence of the program they follow
 * the program's. The axes of the other members are known once they are aligned.
 */
function directions(
  members: readonly Definition[],
  edges: readonly Edge[],
  axis: number,
): readonly boolean[] {
  const [first] = members;
  const saying = edges.filter((edge) => isHeard(members, edge.reader));
  if (saying.some((edge) => edge.reader === first && edge.clause.loops[axis]!.reversed))
    return [true];
  const isOpen =
    members.every((member) => member.origin !== "declared") ||
    saying.some((edge) => edge.reader !== first && edge.clause.loops.some((loop) => loop.reversed));
  return isOpen ? [false, true] : [false];
}

/** Whether aligned members may run in this direction. */
function isWanted(
  members: readonly Definition[],
  edges: readonly Edge[],
  axes: Aligned,
  reversed: boolean,
): boolean {
  const downward = edges.some(
    ({ reader, clause }) => isHeard(members, reader) && clause.loops[axes.get(reader)!]!.reversed,
  );
  return (
    downward === reversed || (!downward && members.every((member) => member.origin !== "declared"))
  );
}

/**
 * Whether the direction of a member counts: definitions of the program decide for those that the
 * compiler made.
 */
function isHeard(members: readonly Definition[], member: Definition): boolean {
  return member.origin === "declared" || members.every((each) => each.origin !== "declared");
}

/**
 * The ways to give every member an axis such that no read goes forward along them. Members are
 * reached through the reads.
 */
function* alignments(
  trusts: Trust,
  opaque: Opaque,
  edges: readonly Edge[],
  chosen: Aligned,
  taken: Taken,
  reversed: boolean,
  problem: Problem,
): Generator<Aligned> {
  for (const edge of edges) {
    if (!chosen.has(edge.reader) || !chosen.has(edge.to)) continue;
    if (trusts(edge, chosen) || provablyLies(opaque, edge, chosen, reversed, "not after")) continue;
    problem.reader = edge.reader;
    if (edge.access) problem.access = edge.access;
    return;
  }
  const open = edges.find((edge) => chosen.has(edge.reader) !== chosen.has(edge.to));
  if (!open) return yield chosen;
  const next = chosen.has(open.reader) ? open.to : open.reader;
  for (const axis of next.axes.keys()) {
    if (isTaken(taken, next, axis)) continue;
    yield* alignments(
      trusts,
      opaque,
      edges,
      new Map([...chosen, [next, axis]]),
      taken,
      reversed,
      problem,
    );
  }
}

/** Whether a read provably lies before (or not after) the reading cell along the chosen axes. */
function provablyLies(
  opaque: Opaque,
  edge: Edge,
  axes: Aligned,
  reversed: boolean,
  relation: "before" | "not after",
): boolean {
  if (!edge.access) return edge.isEarlier === true || relation === "not after";
  const { read, facts } = edge.access;
  const index = termOf(opaque, read.indices[axes.get(read.definition)!]!, facts);
  const here = ofVariable(edge.clause.loops[axes.get(edge.reader)!]!.variable);
  const [earlier, later] = reversed ? [here, index] : [index, here];
  return holds(relation === "before" ? lessThan(earlier, later) : atMost(earlier, later), facts);
}

/** Whether data decides the position of a read along the chosen axes. */
function isLookedUp(opaque: Opaque, { access }: Edge, axes: Aligned): boolean {
  if (!access) return false;
  const { read, facts } = access;
  return isOpaque(opaque, termOf(opaque, read.indices[axes.get(read.definition)!]!, facts));
}

function isOfAnotherStep(opaque: Opaque, { reader, clause, access }: Edge, loops: Taken): boolean {
  return access !== undefined && waitsForItself(opaque, loops, { reader, clause, ...access });
}

function hasLookup(opaque: Opaque, { read, facts }: Access): boolean {
  return read.indices.some((index) => isOpaque(opaque, termOf(opaque, index, facts)));
}
