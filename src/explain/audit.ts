// The audit of a program: every broadcast with the backward sum that answers it, and which parameters are shared over what.
//
// A term that omits a coordinate is broadcast along it. What the program writes for each value is passed back through on its own,
// down to the values that it names; a read whose indices leave out a coordinate around it is a broadcast, and its transpose
// is the sum.

import { backward, clauseOf, newDefinition, type Pullback } from "../autodiff/backward.ts";
import { graphOf } from "../autodiff/graph.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { wordingOf } from "../ir/print.ts";
import { claim, eachScalar, readsOf, type Definition, type Program, type Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { positionOf, textOf } from "../syntax/source.ts";
import { statementAt } from "./statement-at.ts";

/** A program as its author wrote it. */
export interface Audited {
  readonly program: Program;
  /** The definitions of the program itself, without derivatives. */
  readonly written: readonly Definition[];
  readonly extents: Iterable<Variable>;
}

export interface Audit {
  readonly broadcasts: readonly Broadcast[];
  readonly shared: readonly Shared[];
  readonly lints: readonly Diagnostic[];
}

/** One term that is the same along some coordinates. */
export interface Broadcast {
  /** The value in whose declaration it stands, and the declaration. */
  readonly in: string;
  readonly statement: string;
  readonly line: number;
  readonly term: string;
  /** What the term is a cell of. */
  readonly of: string;
  readonly omits: readonly string[];
  /** The line of the backward program that collects what was spread. */
  readonly backward: string;
}

/** A value that is computed from no other, and the coordinates along which it is the same for all. */
export interface Shared {
  readonly parameter: string;
  readonly over: readonly { readonly coordinate: string; readonly in: readonly string[] }[];
}

export function broadcastsOf(audited: Audited): readonly Broadcast[] {
  const found = ownValues(audited).flatMap((definition) => {
    const uses = usesIn(audited, definition);
    return uses.flatMap((use) => (use.omits.length > 0 ? [broadcast(audited, definition, use)] : []));
  });
  const seen = new Set<string>();
  return found.filter((each) => {
    const key = JSON.stringify([each.line, each.term, each.omits, each.backward]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The named float values of the author's own text, in its order. */
export function ownValues({ written }: Audited): readonly Definition[] {
  return written
    .filter((definition) => definition.clauses.length > 0 && isNamedFloat(definition) && isOwn(definition))
    .sort((a, b) => a.span.start - b.span.start);
}

/** The library is not the author's. */
export function isOwn({ span }: Definition): boolean {
  return !span.source.name.startsWith("std/") && span.source.name !== "<compiler>";
}

function isNamedFloat(definition: Definition): boolean {
  return isFloat(definition.element) && !definition.request && isNamed(definition);
}

function isNamed(definition: Definition): boolean {
  return definition.origin !== "helper" || /^\w+$/.test(textOf(definition.span));
}

/** One read of a named value in the declaration of another, and what it leaves out. */
export interface Use {
  readonly pullback: Pullback;
  readonly seed: Definition;
  /** The gradients on the way to it. */
  readonly adjoints: ReadonlySet<Definition>;
  readonly omits: readonly string[];
  /** Coordinates of the left side that it has. */
  readonly has: readonly string[];
}

export function usesIn({ program, extents }: Audited, definition: Definition): readonly Use[] {
  const graph = graphOf(definition, isNamed);
  // One declaration at a time: what a recurrence reads of itself is a value like any other.
  const along = { ...graph, ways: (from: Definition) => graph.ways(from).filter((read) => read !== definition) };
  const ends = graph.all.filter((other) => other !== definition && isNamed(other) && isFloat(other.element));
  const taken = new Set(program.names);
  const workshop = { claim: (wanted: string) => claim(taken, wanted), extents };
  const seed: Definition = {
    ...definition,
    name: `d_${definition.name}`,
    origin: "input",
    clauses: [],
    needs: new Set(),
  };
  const { trace } = backward(definition, ends, workshop, { seed, along });
  const adjoints = new Set(trace.adjoints.values());
  return trace.pullbacks
    .filter(({ clause, read }) => clause && ends.includes(read.definition))
    .map((pullback) => {
      const mentioned = new Set(pullback.read.indices.flatMap(variablesIn));
      const loops = pullback.loops.filter((loop) => !loop.fixed);
      return {
        pullback,
        seed,
        adjoints,
        omits: loops.filter((loop) => !mentioned.has(loop.variable)).map((loop) => loop.variable.name),
        has: loops.filter((loop) => mentioned.has(loop.variable)).map((loop) => loop.variable.name),
      };
    });
}

export function variablesIn(scalar: Scalar): readonly Variable[] {
  const found = new Set<Variable>();
  eachScalar(scalar, (part) => {
    if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
  });
  return [...found];
}

function broadcast({ program }: Audited, definition: Definition, { pullback, seed, omits, adjoints }: Use): Broadcast {
  const { read, clause, piece } = pullback;
  const { name, element, axes, span } = read.definition;
  const collected = newDefinition(`d_${name}`, element, axes, [clauseOf(piece)], span);
  const between = gradientsBetween(collected, adjoints, seed);
  const words = wordingOf(program, [seed], [...between, collected, definition]);
  const written = statementAt(clause!.span);
  return {
    in: words.name(definition),
    statement: written?.text ?? textOf(clause!.span),
    line: written?.line ?? positionOf(read.span.source, read.span.start).line,
    term: words.within(definition, clause!)(read),
    of: words.name(read.definition),
    omits,
    backward: [...between, collected].flatMap((made) => words.lines(made)).join("\n"),
  };
}

/** Gradients of parts of the declaration that the sum is written with, each after those that it needs. */
function gradientsBetween(
  collected: Definition,
  adjoints: ReadonlySet<Definition>,
  seed: Definition,
): readonly Definition[] {
  const found = new Set<Definition>();
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (read === seed || !adjoints.has(read) || found.has(read)) continue;
      visit(read);
      found.add(read);
    }
  };
  visit(collected);
  return [...found];
}

/** The values that nothing else is behind, and what they are the same for. */
export function sharedIn({ written }: Audited, broadcasts: readonly Broadcast[]): readonly Shared[] {
  const leaves = written.filter(
    (definition) =>
      isNamedFloat(definition) &&
      isOwn(definition) &&
      graphOf(definition, isNamed).all.every((other) => other === definition || !isFloat(other.element)),
  );
  return leaves.flatMap((leaf) => {
    const over = new Map<string, Set<string>>();
    for (const each of broadcasts) {
      if (each.of !== leaf.name) continue;
      for (const coordinate of each.omits) over.set(coordinate, (over.get(coordinate) ?? new Set()).add(each.in));
    }
    if (over.size === 0) return [];
    return [{ parameter: leaf.name, over: [...over].map(([coordinate, places]) => ({ coordinate, in: [...places] })) }];
  });
}
