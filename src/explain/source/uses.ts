// Finds how each declaration of the author uses the named values that it reads. Each declaration is
// differentiated on its own, down to these values.
//
//    let y[i, j] = a[i] * b[j];   uses a[i], which omits j, and b[j], which omits i

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

/** The named float values that the author wrote, in the order of the source. */
export function ownValues({ written }: Audited): readonly Definition[] {
  return written
    .filter(
      (definition) =>
        definition.clauses.length > 0 && isNamedFloat(definition) && isOwn(definition),
    )
    .sort((a, b) => a.span.start - b.span.start);
}

/** Did the author write this definition? The library and the compiler did not. */
export function isOwn({ span }: Definition): boolean {
  return !span.source.name.startsWith("std/") && span.source.name !== "<compiler>";
}

export function isNamedFloat(definition: Definition): boolean {
  return isFloat(definition.element) && !definition.request && isNamed(definition);
}

/**
 * Does the source have a name for the value? A helper is named if the text at its span is its name,
 * or its name without a number: `x` for `x_2`. The gradient `d_x` has the span of `x`, so it is not
 * named.
 */
export function isNamed({ origin, name, span }: Definition): boolean {
  if (origin !== "helper") return true;
  const text = textOf(span);
  return /^[A-Za-z_]\w*$/.test(text) && (name === text || new RegExp(`^${text}_\\d+$`).test(name));
}

/**
 * One read of a named value in the declaration of another value, and the coordinates that it omits.
 */
export interface Use {
  readonly pullback: Pullback;
  readonly seed: Definition;
  /** The gradients between the declaration and the read. */
  readonly adjoints: ReadonlySet<Definition>;
  readonly omits: readonly string[];
  /** The coordinates of the left side that the indices of the read contain. */
  readonly has: readonly string[];
}

export function usesIn({ program, extents }: Audited, definition: Definition): readonly Use[] {
  const graph = graphOf(definition, isNamed);
  // Only one declaration at a time: a recurrence reads its own cells as the cells of any other
  // value.
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
  // The reads of an unnamed part omit what the part itself omits, and what their own indices omit.
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

/** The name of a coordinate in the source. A coordinate of a pack has the name of the pack. */
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
