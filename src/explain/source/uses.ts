// How the author's own declarations use the values they name: each is passed back through on its
// own, down to those values.

import { backward } from "../../autodiff/sweep/backward.ts";
import type { Pullback } from "../../autodiff/sweep/sweep.ts";
import { graphOf } from "../../autodiff/sweep/graph.ts";
import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Program, Scalar } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { isFloat } from "../../scalar/types.ts";
import { textOf } from "../../base/source.ts";

/** A program as its author wrote it. */
export interface Audited {
  readonly program: Program;
  /** The definitions of the program itself, without derivatives. */
  readonly written: readonly Definition[];
  readonly extents: Iterable<Variable>;
}

/** The named float values of the author's own text, in its order. */
export function ownValues({ written }: Audited): readonly Definition[] {
  return written
    .filter(
      (definition) =>
        definition.clauses.length > 0 && isNamedFloat(definition) && isOwn(definition),
    )
    .sort((a, b) => a.span.start - b.span.start);
}

/** The library is not the author's. */
export function isOwn({ span }: Definition): boolean {
  return !span.source.name.startsWith("std/") && span.source.name !== "<compiler>";
}

export function isNamedFloat(definition: Definition): boolean {
  return isFloat(definition.element) && !definition.request && isNamed(definition);
}

/**
 * Does the source have a name for it? A gradient stands where its value stands, under a name of its
 * own.
 */
export function isNamed({ origin, name, span }: Definition): boolean {
  if (origin !== "helper") return true;
  const text = textOf(span);
  return /^[A-Za-z_]\w*$/.test(text) && (name === text || new RegExp(`^${text}_\\d+$`).test(name));
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
  const along = {
    ...graph,
    ways: (from: Definition) => graph.ways(from).filter((read) => read !== definition),
  };
  const ends = graph.all.filter(
    (other) => other !== definition && isNamed(other) && isFloat(other.element),
  );
  const taken = new Set(program.names);
  const workshop = {
    claim: (wanted: string) => claim(taken, wanted),
    known: knownOfSizes(program, extents),
  };
  const seed: Definition = {
    ...definition,
    name: `d_${definition.name}`,
    origin: "input",
    clauses: [],
    needs: new Set(),
  };
  const { trace } = backward(definition, ends, workshop, { seed, along });
  const adjoints = new Set(trace.adjoints.values());
  // A part without a name is as far from the left side as its reader, and what the reading of it
  // leaves out besides.
  const around = new Map<Definition, ReadonlySet<string>>();
  const uses: Use[] = [];
  for (const pullback of trace.pullbacks) {
    const { output, through, read } = pullback;
    if (through.kind === "start") continue;
    const mentioned = new Set(read.indices.flatMap(variablesIn));
    const loops = pullback.loops.filter((loop) => !loop.fixed);
    const left = loops
      .filter((loop) => !mentioned.has(loop.variable))
      .map(({ variable }) => written(variable));
    const omits = new Set([...(around.get(output) ?? []), ...left]);
    if (!ends.includes(read.definition))
      around.set(read.definition, new Set([...(around.get(read.definition) ?? []), ...omits]));
    else if (through.kind === "clause") {
      const has = loops
        .filter((loop) => mentioned.has(loop.variable))
        .map(({ variable }) => written(variable));
      uses.push({
        pullback,
        seed,
        adjoints,
        omits: [...omits].filter((name) => !has.includes(name)),
        has,
      });
    }
  }
  return uses;
}

/** A coordinate as it is written: one of a pack goes by the pack's name. */
export function written({ name, pack }: Variable): string {
  return pack === undefined ? name : `..${pack}`;
}

export function variablesIn(scalar: Scalar): readonly Variable[] {
  const found = new Set<Variable>();
  eachScalar(scalar, (part) => {
    if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
  });
  return [...found];
}
