// The audit of a program: every broadcast with the backward sum that answers it, and which
// parameters are shared over what.
//
// A term that omits a coordinate is broadcast along it. What the program writes for each value is
// passed back through on its own, down to the values that it names; a read whose indices leave out
// a coordinate around it is a broadcast, and its transpose is the sum.

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

/**
 * A value that is computed from no other, and the coordinates along which it is the same for all.
 */
export interface Shared {
  readonly parameter: string;
  readonly over: readonly { readonly coordinate: string; readonly in: readonly string[] }[];
}

/** The program as it is written: its derivatives are asked for, and not answered. */
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
 * A term that stands in a declaration twice is one broadcast: what its places send back is added up
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
    backward: [...parts, ...between, collected].flatMap((made) => words.lines(made)).join("\n"),
  };
}

/**
 * Gradients of parts of the declaration that the sum is written with, each after those that it
 * needs.
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
 * Parts of the program without a name that the sum is written with, each after those that it needs.
 */
function partsBetween(
  made: readonly Definition[],
  gradients: ReadonlySet<Definition>,
): readonly Definition[] {
  const seen = new Set<Definition>(made);
  const found = new Set<Definition>();
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (gradients.has(read) || seen.has(read) || isNamed(read)) continue;
      seen.add(read);
      visit(read);
      found.add(read);
    }
  };
  for (const definition of made) visit(definition);
  return [...found];
}

/** The values that nothing else is behind, and what they are the same for. */
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
