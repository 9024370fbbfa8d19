// This folder audits a program that compiles: it lists the broadcasts and finds questionable code.
// It reports; it does not decide whether a program is right.
//
// A term that omits a coordinate is broadcast along it. Each declaration is differentiated on its
// own, down to the named values that it reads. A read whose indices omit a coordinate of the left
// side is a broadcast, and its transpose is a sum:
//
//    let y[i, j] = x[i, j] + bias[j];   answered by   let d_bias[j] = sum[i](d_y[i, j]);

import { newDefinition } from "../../autodiff/sweep/cells.ts";
import { graphOf } from "../../autodiff/sweep/graph.ts";
import { clauseOf } from "../../autodiff/transpose/transpose.ts";
import { withoutAllowed } from "../../check/lints/allow.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { ordered } from "../../diagnostics/sort.ts";
import type { Variable } from "../../affine/term.ts";
import { wordingOf } from "../../print/print.ts";
import type { Definition, Program } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";
import { isFloat } from "../../scalar/types.ts";
import { positionOf, textOf } from "../../base/source.ts";
import { lintsOf } from "./lints.ts";
import { statementAt } from "../source/statement-at.ts";
import {
  isNamed,
  isNamedFloat,
  isOwn,
  ownValues,
  usesIn,
  type Audited,
  type Use,
} from "../source/uses.ts";

export interface Audit {
  readonly broadcasts: readonly Broadcast[];
  readonly shared: readonly Shared[];
  readonly lints: readonly Diagnostic[];
}

/** One term that has the same value along some coordinates. */
export interface Broadcast {
  /** The value in whose declaration the term stands. `statement` is that declaration. */
  readonly in: string;
  readonly statement: string;
  readonly line: number;
  readonly term: string;
  /** The value of which the term is a cell. */
  readonly of: string;
  readonly omits: readonly string[];
  /** The line of the backward program that sums over the omitted coordinates. */
  readonly backward: string;
}

/** A value that is computed from no other float, and the coordinates along which it is shared. */
export interface Shared {
  readonly parameter: string;
  readonly over: readonly { readonly coordinate: string; readonly in: readonly string[] }[];
}

/** Audits a program. Its requests are not answered, so that `program` is the program as written. */
export function auditOf(program: Program, extents: Iterable<Variable>): Audit {
  const audited = { program, written: reachable(rootsOf(program)), extents };
  const broadcasts = broadcastsOf(audited);
  return {
    broadcasts,
    shared: sharedIn(audited, broadcasts),
    lints: ordered(withoutAllowed(lintsOf(audited))),
  };
}

function broadcastsOf(audited: Audited): readonly Broadcast[] {
  const found = ownValues(audited).flatMap((definition) => {
    const uses = usesIn(audited, definition);
    return uses.flatMap((use) =>
      use.omits.length > 0 ? [broadcast(audited, definition, use)] : [],
    );
  });
  const rows = new Map<string, Broadcast>();
  for (const each of found) {
    const key = JSON.stringify([each.line, each.in, each.term, each.omits]);
    const row = rows.get(key);
    rows.set(key, row ? { ...row, backward: addedUp(row.backward, each.backward) } : each);
  }
  return [...rows.values()];
}

/**
 * A term that stands twice in a declaration is one broadcast. The sums of its two places are added
 * in one line.
 */
function addedUp(one: string, other: string): string {
  if (one === other) return one;
  const [before, after] = [one, other].map((text) => text.split("\n"));
  const [last, next] = [before!.pop()!, after!.pop()!];
  const [, left, sum] = /^(let [^=]*) = (.*);$/.exec(last) ?? [];
  const [, same, more] = /^(let [^=]*) = (.*);$/.exec(next) ?? [];
  const isGuarded = [sum, more].some(
    (text) => text === undefined || /\) where [^)]*$|^[^(]* where /.test(text),
  );
  const lines = [...new Set([...before!, ...after!])];
  const added = left === same && !isGuarded ? [`${left} = ${sum} + ${more};`] : [last, next];
  return [...lines, ...added].join("\n");
}

function broadcast(
  { program }: Audited,
  definition: Definition,
  { pullback, seed, omits, adjoints }: Use,
): Broadcast {
  const { output, read, through, piece } = pullback;
  const clause = through.kind === "clause" ? through.clause : undefined;
  const { name, element, axes, span } = read.definition;
  const collected = newDefinition(`d_${name}`, element, axes, [clauseOf(piece)], span);
  const between = gradientsBetween(collected, adjoints, seed);
  const parts = partsBetween([...between, collected], new Set([seed, ...adjoints]));
  const words = wordingOf(program, [seed], [...parts, ...between, collected, definition, output]);
  const written = statementAt(clause!.span);
  return {
    in: words.name(definition),
    statement: written?.text ?? textOf(clause!.span),
    line: written?.line ?? positionOf(read.span.source, read.span.start).line,
    term: words.within(output, clause!)(read),
    of: words.name(read.definition),
    omits,
    backward: [...parts, ...between, collected]
      .flatMap((definition) => words.lines(definition))
      .join("\n"),
  };
}

/**
 * The gradients of unnamed parts that the sum reads, each after the gradients that it needs itself.
 */
function gradientsBetween(
  collected: Definition,
  adjoints: ReadonlySet<Definition>,
  seed: Definition,
): readonly Definition[] {
  const seen = new Set<Definition>([seed]);
  const found = new Set<Definition>();
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (!adjoints.has(read) || seen.has(read)) continue;
      seen.add(read);
      visit(read);
      found.add(read);
    }
  };
  visit(collected);
  return [...found];
}

/**
 * The unnamed parts of the program that the sum reads, each after the parts that it needs itself.
 */
function partsBetween(
  readers: readonly Definition[],
  gradients: ReadonlySet<Definition>,
): readonly Definition[] {
  const seen = new Set<Definition>(readers);
  const found = new Set<Definition>();
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (gradients.has(read) || seen.has(read) || isNamed(read)) continue;
      seen.add(read);
      visit(read);
      found.add(read);
    }
  };
  for (const definition of readers) visit(definition);
  return [...found];
}

/**
 * The values that are computed from no other float, and the coordinates along which they are
 * shared.
 */
function sharedIn({ written }: Audited, broadcasts: readonly Broadcast[]): readonly Shared[] {
  const leaves = written.filter(
    (definition) =>
      isNamedFloat(definition) &&
      isOwn(definition) &&
      graphOf(definition, isNamed).all.every(
        (other) => other === definition || !isFloat(other.element),
      ),
  );
  return leaves.flatMap((leaf) => {
    const over = new Map<string, Set<string>>();
    for (const each of broadcasts) {
      if (each.of !== leaf.name) continue;
      for (const coordinate of each.omits)
        over.set(coordinate, (over.get(coordinate) ?? new Set()).add(each.in));
    }
    if (over.size === 0) return [];
    return [
      {
        parameter: leaf.name,
        over: [...over].map(([coordinate, places]) => ({ coordinate, in: [...places] })),
      },
    ];
  });
}
