// The order in which definitions are computed. A strongly connected component is a recurrence; it
// is scheduled as Allen and Kennedy do (Optimizing Compilers for Modern Architectures, 2001, ch.
// 5): find an axis along which every read inside the component goes backward or stays, make it a
// loop, drop the reads that it carries, and repeat inside the step.
//
// Where data decides an index, nothing is known along that axis. An axis is a loop before others if
// no read needs to be trusted along it: in h[nb[n], t - 1] that is t, wherever it stands. Where
// there is none, lookups are trusted not to go forward, and the run holds them to it; they go back
// in the order of the loops, so that a loop inside still has to carry them where it can.

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
  /** Whether cells are read while others are still to come. */
  readonly recurrent: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: "cells"; readonly definition: Definition }
  /** One loop over an axis of each of its definitions, aligned at equal positions. */
  | {
      readonly kind: "loop";
      readonly axes: Aligned;
      readonly reversed: boolean;
      readonly body: Schedule;
    };

/** A recurrence for which no order was found, and the read that is in the way. */
export interface Unordered {
  readonly definitions: readonly Definition[];
  readonly access?: Access;
  /** The definition whose clause makes the read. */
  readonly reader: Definition;
}

export type Ordered = { readonly schedule: Schedule } | { readonly unordered: Unordered };

/** Schedules of the definitions that the roots need, each after those that it reads. */
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

/** A read of one member of the recurrence by another. */
interface Edge {
  readonly reader: Definition;
  readonly clause: Clause;
  readonly to: Definition;
  /** Which cell it is; in a function that is called, only the run knows. */
  readonly access?: Access;
  /** Of such a read: whether it is taken to be of an earlier step. */
  readonly isEarlier?: boolean;
  /**
   * Whether a loop around trusts it to go back in the order of the loops. "everywhere": along every
   * axis inside. "alone": no loop is found for it, but the cells of its definition that are left in
   * the end have an order.
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
  // What functions read of the same step has to be there, unless that leaves no order: then they
  // read of steps before.
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

/** What the functions read that a clause calls. */
function readsInCalls(clause: Clause): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const scalar of scalarsOf(clause))
    eachScalar(scalar, (part) => {
      if (part.kind === "call")
        for (const read of readsOfFunction(part.invocation.function)) found.add(read);
    });
  return found;
}

/** What is in the way of an order, as far as it was looked for. */
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
 * Steps for definitions of which some axes are already loops; `edges` are the reads no loop carries
 * yet.
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
      steps.push(inTurn(members[0]!, inside, taken));
      continue;
    }
    const loop = findLoop(opaque, members, inside, taken, problem);
    if (!loop) return undefined;
    steps.push(loop);
  }
  return steps;
}

/**
 * The cells of a definition; where data may say that they read one another, one after another, as
 * brackets and `rev` have it.
 */
function inTurn(definition: Definition, edges: readonly Edge[], taken: Taken): Step {
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

/** Which reads are taken not to go forward along axes without a proof. */
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
 * Extents of one or two cells let axes fit that do not belong together: more than one alignment is
 * tried.
 */
const mostAlignments = 16;

/**
 * The steps within a loop over aligned axes; nothing where the loop settles no read, or leaves what
 * has no order.
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
  const open = edges.filter((edge) => !crosses(opaque, edge, axes, reversed, "before"));
  const settled = open.filter((edge) => !trusts(edge, axes));
  if (settled.length === edges.filter((edge) => !isAlone(edge)).length) return undefined;
  const inner = [...taken, axes];
  // A trusted read may stay in its step if the loops inside have an order for it, or the cells of
  // its definition do; if not, it is of a step before.
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
 * Downward if some clause walks its axis of the loop by `rev`, else upward; what the compiler made
 * itself may run either way, and goes along where it belongs to a recurrence that was written.
 * Which axes of the other members take part is known once they are aligned.
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

/** Whether aligned members may run this way. */
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

/** Whether a member's own direction counts: what was written decides for what was made. */
function isHeard(members: readonly Definition[], member: Definition): boolean {
  return member.origin === "declared" || members.every((each) => each.origin !== "declared");
}

/**
 * The ways to give every member an axis such that no read goes forward along them; members are
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
    if (trusts(edge, chosen) || crosses(opaque, edge, chosen, reversed, "not after")) continue;
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
function crosses(
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

/** Whether data decides where a read lies along the chosen axes. */
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
