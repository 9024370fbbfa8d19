// This folder computes definitions over the same rows together, row by row or strip by strip, so
// that cells are still in registers or in the cache when they are read. It decides which units fit
// together; the loops are in `loops/` and the code of cells is in `code/`.
//
// This file emits definitions over the same rows as one kernel. A definition has either one cell
// for each row, with reductions along the row, or its cells along the rows:
//
//   let m[i] = max[j](x[i, j]);
//   let e[i, j] = exp(x[i, j] - m[i]);
//
// Sums over the rows can be added up in the same kernel.

import { instantiate, coordinateScalar, type Replacements } from "../../../ir/substitute.ts";
import { constantOf } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../../ir/program.ts";
import {
  freshVariable,
  scalarsIn,
  type Blocks,
  type Case,
  type Reduced,
  type Side,
  type Sized,
} from "../../../plan/regions/regions.ts";
import type { Kernel } from "../code/kernel.ts";
import type { Piece } from "../code/maps.ts";
import { hasVectorsOfNeighbours, emitPasses, isIndexOf, type Line, type Step } from "./passes.ts";
import { enterBlock, rowTotalOf, stepsOfTotal, type RowTotal } from "./row-totals.ts";
import { emitValue } from "../code/scalars.ts";
import { alongLine, stepsOfShares } from "../loops/shares.ts";
import { emitOverSides } from "../loops/sides.ts";
import { emitStore } from "../code/stores.ts";

/** Definitions that are computed row by row, with their common coordinates. */
interface Rows {
  readonly members: readonly Member[];
  /** The coordinates that say which row it is. */
  readonly sides: readonly Side[];
  readonly line: Line;
  readonly totals: readonly RowTotal[];
}

/** A definition with the coordinates of the rows. */
interface Member {
  readonly sized: Sized;
  readonly indices: readonly Scalar[];
  readonly only: Case;
}

/** Shorter rows are faster as several rows at a time. */
const shortest = 16;

/**
 * Takes as many definitions as fit together, from the first on. If all of them fit, adds the blocks
 * of rows that can be added up as well. `undefined` if there is only one thing to compute.
 */
export function rowsOf(
  all: readonly Sized[],
  blocks: readonly Blocks[],
  probe: Kernel,
): Rows | undefined {
  const [first] = all;
  const shape = first && rowShape(first);
  if (!shape) return undefined;
  const { rows, length } = shape;
  const sides = rows.map((to): Side => ({ variable: freshVariable("row"), from: 0, to }));
  const line: Line = { variable: freshVariable("along"), length };
  if (length < shortest) return undefined;
  for (const { variable, to } of sides) probe.known.set(variable, { least: 0, most: to - 1 });
  const members: Member[] = [];
  const written = new Set<Definition>();
  for (const sized of all) {
    const member = memberInRows(sized, sides, line);
    if (!member || !readsOwnRows(scalarsIn(member.only), written, sides)) break;
    if (
      !stepsOf(probe, member, line).every(
        (step) => step.kind === "once" || hasVectorsOfNeighbours(probe, line, step),
      )
    )
      break;
    members.push(member);
    written.add(sized.definition);
    if (sized.shares) written.add(sized.shares.definition);
  }
  const totals = members.length === all.length ? totalsOf(blocks, written, sides, line, probe) : [];
  return members.length + totals.length > 1 ? { members, sides, line, totals } : undefined;
}

/** The blocks that can be added up row by row. */
function totalsOf(
  blocks: readonly Blocks[],
  written: ReadonlySet<Definition>,
  sides: readonly Side[],
  line: Line,
  probe: Kernel,
): readonly RowTotal[] {
  const [row, ...others] = sides;
  if (!row || others.length > 0) return [];
  return blocks.flatMap((each) => {
    const total = each.length === row.to ? rowTotalOf(each, row.variable, line) : undefined;
    if (!total || !readsOwnRows([total.term], written, sides)) return [];
    const steps = stepsOfTotal(probe, total, row.variable, line);
    return steps.every((step) => step.kind === "once" || hasVectorsOfNeighbours(probe, line, step))
      ? [total]
      : [];
  });
}

/** The number of rows along each coordinate, and the length of a row. */
function rowShape({
  shape,
  regions,
}: Sized): { rows: readonly number[]; length: number } | undefined {
  const [reduced] = regions[0]?.cases[0]?.reductions ?? [];
  const rows = reduced ? shape : shape.slice(0, -1);
  const length = reduced ? endFromZero(reduced.body.loops[0]) : shape.at(-1);
  return rows.length > 0 && length !== undefined ? { rows, length } : undefined;
}

/** The end of a range that begins at 0 and has a number as its end. */
function endFromZero(loop: Loop | undefined): number | undefined {
  if (
    loop?.from.kind !== "integer" ||
    loop.to.kind !== "integer" ||
    constantOf(loop.from.term) !== 0
  )
    return undefined;
  return constantOf(loop.to.term);
}

function memberInRows(sized: Sized, sides: readonly Side[], line: Line): Member | undefined {
  const { shape, regions, blocks, contractions, scratch = [] } = sized;
  const [region, ...more] = regions;
  const [only, ...others] = region?.cases ?? [];
  if (!region || !only || more.length > 0 || others.length > 0 || only.guards.length > 0)
    return undefined;
  if (
    region.cells ||
    region.scan ||
    region.scatters ||
    blocks ||
    contractions ||
    scratch.length > 0
  )
    return undefined;
  const isWhole = region.sides.every(({ from, to }, axis) => from === 0 && to === shape[axis]);
  if (!isWhole || sides.some(({ to }, axis) => to !== shape[axis])) return undefined;
  const isAlong = shape.length === sides.length + 1;
  if (
    isAlong
      ? shape.at(-1) !== line.length || only.reductions.length > 0
      : shape.length !== sides.length
  )
    return undefined;
  if (
    !only.reductions.every(
      ({ body }) => body.loops.length === 1 && endFromZero(body.loops[0]) === line.length,
    )
  )
    return undefined;
  const variables = [...sides, line].map(coordinateScalar);
  const renaming: Replacements = new Map(
    region.sides.map(({ variable }, axis) => [variable, variables[axis]!]),
  );
  return {
    sized,
    indices: variables.slice(0, shape.length),
    only: caseWithCoordinates(only, renaming),
  };
}

/** A case with other coordinates. The reductions keep their names. */
function caseWithCoordinates({ reductions, value }: Case, by: Replacements): Case {
  const names = new Map<Local, Local>(reductions.map(({ name }) => [name, name]));
  const renamed = (scalar: Scalar): Scalar => instantiate(scalar, by, names);
  return {
    guards: [],
    reductions: reductions.map(({ name, body }): Reduced => {
      return {
        name,
        body: { ...body, guards: body.guards.map(renamed), value: renamed(body.value) },
      };
    }),
    value: renamed(value),
  };
}

/** Whether cells that the other definitions write are read in their own row only. */
function readsOwnRows(
  scalars: readonly Scalar[],
  written: ReadonlySet<Definition>,
  sides: readonly Side[],
): boolean {
  let areOwnRows = true;
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (part.kind !== "read" || !written.has(part.definition)) return;
      areOwnRows &&= sides.every(({ variable }, axis) => isIndexOf(part.indices[axis]!, variable));
    });
  return areOwnRows;
}

function stepsOf(kernel: Kernel, member: Member, line: Line): readonly Step[] {
  const { sized, indices, only } = member;
  const piece: Piece = member;
  if (sized.shares) return stepsOfShares(kernel, piece, sized.shares, line);
  if (indices.length > 0 && isIndexOf(indices.at(-1)!, line.variable))
    return [{ kind: "cells", piece }];
  const sums = only.reductions.map((reduced): Step => ({
    kind: "sum",
    sum: alongLine(reduced, only.reductions, line),
  }));
  const emit = (): void => emitStore(kernel, sized, indices, emitValue(kernel, only.value));
  return [...sums, { kind: "once", definition: sized.definition, reads: [only.value], emit }];
}

/** Emits all rows, or the caller's part of them. */
export function emitRows(kernel: Kernel, { members, sides, line, totals }: Rows): void {
  const row = sides[0]!.variable;
  emitOverSides(kernel, sides, () => {
    for (const total of totals) enterBlock(kernel, total, row);
    const steps = members.flatMap((member) => stepsOf(kernel, member, line));
    const added = totals.flatMap((total) => stepsOfTotal(kernel, total, row, line));
    const { part } = kernel;
    emitPasses(
      kernel,
      line,
      [...steps, ...added],
      sides.length === 1 && part?.variable === row ? part : undefined,
    );
  });
}
