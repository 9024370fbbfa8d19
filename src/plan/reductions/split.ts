// Splits a long reduction of few cells into two steps: first each block of terms is reduced, then
// the results of the blocks.
//
//   s = sum[k in 0..n](x[k])   becomes
//   part[b] = sum[k in 0..B](x[B·b + k]),   s = sum[b](part[b])
//
// Several threads can reduce different blocks. The blocks depend only on sizes, so the result has
// the same bits for any number of threads. Where neighbouring cells read neighbouring memory and
// the terms of a cell lie whole rows apart, a block is a few rows, so that memory is read in order.

import { isOff } from "../../ir/rewrites.ts";
import { add, constant, ofVariable, scale, type Variable } from "../../affine/term.ts";
import { mentions } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { instantiate, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import {
  cellsIn,
  freshVariable,
  type Case,
  type Reduced,
  type Reduction,
  type Region,
  type Side,
  type Sized,
} from "../regions/regions.ts";
import { rewriteScalar } from "../rewrite.ts";
import { noted } from "../rules.ts";
import { reductionText } from "../text.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { applied } from "../../ir/simple-scalars.ts";

/** With fewer evaluations than this, dividing the work does not pay. */
const leastWork = 1 << 16;
/** A block of a single total has at least `leastTerms` terms, so that it is worth a call. */
const leastTerms = 1 << 12;
const mostTerms = 1 << 17;
/** The rows of a block where cells lie side by side. */
const rowsTogether = 32;
const fewCells = 8;

/**
 * Splits the long reduction of a definition into blocks; a definition without one is unchanged.
 * `hasCompanions` says that other definitions walk the same points. Then all of them must be
 * divided along the same coordinate.
 */
export function inBlocks(sized: Sized, hasCompanions = false): Sized {
  if (isOff("blocks")) return sized;
  const [region, ...others] = sized.regions;
  const [only, ...more] = region?.cases ?? [];
  if (!region || !only || others.length > 0 || more.length > 0 || region.scan || region.scatters)
    return sized;
  const [reduced, ...rest] = only.reductions;
  if (!reduced || rest.length > 0 || sized.contractions) return sized;
  const block = blockOf(region, reduced.body, hasCompanions);
  if (block)
    noted(
      "blocks",
      (names) => `${reductionText(names, reduced.body)} in blocks of ${block.size}`,
      sized.definition,
    );
  return block ? withBlocks(sized, region, only, reduced, block) : sized;
}

interface Block {
  /** The index of the divided loop, its length, and the length of a block. */
  readonly at: number;
  readonly length: number;
  readonly size: number;
}

function blockOf(
  { sides }: Region,
  { reduction, loops, guards, value }: Reduction,
  hasCompanions: boolean,
): Block | undefined {
  if (reduction !== "sum" && reduction !== "mean" && reduction !== "max" && reduction !== "min")
    return undefined;
  if (guards.length > 0 || !isFloat(value.type)) return undefined;
  const lengths = loops.map(({ from, to }) => (valueOf(from) === 0 ? Number(valueOf(to)) : NaN));
  const terms = lengths.reduce((total, length) => total * length, 1);
  const cells = cellsIn(sides);
  if (!(terms * cells >= leastWork)) return undefined;
  const isRowByRow = readsCellsTogether(sides, value);
  if (cells >= fewCells && !isRowByRow) return undefined;
  // Companions must get the same blocks, whatever cells they have. So all of them divide the
  // longest coordinate.
  const longest = hasCompanions ? Math.max(...lengths) : 0;
  const at = lengths.findIndex(
    (length) => length >= Math.max(longest, 4 * (isRowByRow ? rowsTogether : 2)),
  );
  if (at < 0) return undefined;
  const length = lengths[at]!;
  if (hasCompanions && cells >= length && areTermsOfVectors(loops, value)) return undefined;
  if (isRowByRow && cells >= fewCells) return { at, length, size: rowsTogether };
  const wanted = Math.min(mostTerms, Math.max(leastTerms, terms / 64));
  const size = Math.ceil(wanted / (terms / length) / 16) * 16;
  return size <= length / 2 ? { at, length, size } : undefined;
}

/**
 * Whether neighbouring cells read neighbouring memory and terms do not. Then the terms of a cell
 * lie rows apart.
 */
function readsCellsTogether(sides: readonly Side[], value: Scalar): boolean {
  const last = sides.at(-1);
  if (!last) return false;
  let together = 0;
  let apart = 0;
  eachScalar(value, (part) => {
    const index = part.kind === "read" ? part.indices.at(-1) : undefined;
    if (index?.kind !== "integer" || index.term.parts.length === 0) return;
    if (mentions(index.term, last.variable)) together++;
    else if (
      !sides.some(({ variable }) => mentions(index.term, variable)) &&
      part.kind === "read" &&
      part.indices.length > 1
    )
      apart++;
  });
  return together > 0 && apart === 0;
}

/**
 * Whether the terms of a cell read only vectors, `x[k]`. Then the terms lie side by side, and the
 * companions may take either coordinate as the rows.
 */
function areTermsOfVectors([only, ...others]: readonly Loop[], value: Scalar): boolean {
  if (!only || others.length > 0) return false;
  let areAllVectors = true;
  eachScalar(value, (part) => {
    if (part.kind === "read" && part.indices.some((index) => usesAny(index, [only])))
      areAllVectors &&= part.indices.length === 1;
  });
  return areAllVectors;
}

function withBlocks(
  sized: Sized,
  region: Region,
  only: Case,
  { name, body }: Reduced,
  block: Block,
): Sized {
  const { definition, shape } = sized;
  const { type } = body.value;
  const count = Math.ceil(block.length / block.size);
  const whole = Math.floor(block.length / block.size);
  const blockResults: Definition = {
    ...definition,
    name: `${definition.name}_blocks`,
    element: type,
    axes: [{ extent: constant(count) }, ...definition.axes],
    origin: "helper",
    clauses: [],
  };
  const inBlock = body.reduction === "mean" ? "sum" : body.reduction;
  // Both regions use one variable, because a call computes a range of blocks across both.
  const variable = freshVariable("block");
  const blocksOf = (from: number, to: number, length: number): readonly Region[] =>
    from < to
      ? [regionOfBlocks(region, body, inBlock, blockResults, block, { variable, from, to }, length)]
      : [];
  const regions = [
    ...blocksOf(0, whole, block.size),
    ...blocksOf(whole, count, block.length - whole * block.size),
  ];
  const partShape = [count, ...shape];
  const parts: Sized = { definition: blockResults, element: type, shape: partShape, regions };
  const blockVariable = freshVariable("block");
  const read: Scalar = {
    kind: "read",
    type,
    definition: blockResults,
    indices: [
      ofVariable(blockVariable),
      ...region.sides.map(({ variable }) => ofVariable(variable)),
    ].map(integerScalar),
    span: body.span,
  };
  const totalOfBlocks: Local = { ...name };
  const loop = {
    variable: blockVariable,
    from: integerScalar(constant(0)),
    to: integerScalar(constant(count)),
    reversed: false,
  };
  const ofBlocks: Reduced = {
    name: totalOfBlocks,
    body: { ...body, reduction: inBlock, loops: [loop], value: read },
  };
  const names = new Map<Local, Local>([
    [totalOfBlocks, totalOfBlocks],
    [name, { name: name.name, value: resultOfBlocks(body, totalOfBlocks) }],
  ]);
  const value = rewriteScalar(only.value, () => undefined, names);
  return {
    ...sized,
    scratch: [
      ...(sized.scratch ?? []),
      { definition: blockResults, element: type, shape: partShape, start: 0 },
    ],
    blocks: { parts, length: block.length, size: block.size, at: block.at },
    regions: [{ ...region, cases: [{ guards: [], reductions: [ofBlocks], value }] }],
  };
}

function resultOfBlocks(body: Reduction, total: Local): Scalar {
  const { type } = body.value;
  const sum: Scalar = { kind: "local", type, local: total };
  if (body.reduction !== "mean") return sum;
  const terms = body.loops.reduce(
    (product, { from, to }) => product * (Number(valueOf(to)) - Number(valueOf(from))),
    1,
  );
  const count: Scalar = { kind: "constant", type, value: terms };
  return applied("divide", [sum, count], body.span);
}

/** The region of some blocks; each block has `length` positions of the divided loop. */
function regionOfBlocks(
  { sides }: Region,
  body: Reduction,
  reduction: Reduction["reduction"],
  part: Definition,
  { at, size }: Block,
  own: Side,
  length: number,
): Region {
  const renewed = new Map<Variable, Scalar>();
  const loops = body.loops.map((loop, k) => {
    const variable = freshVariable(loop.variable.name);
    const here = ofVariable(variable);
    const term = k === at ? add(scale(ofVariable(own.variable), size), here) : here;
    renewed.set(loop.variable, integerScalar(term));
    return { ...loop, variable, ...(k === at ? { to: integerScalar(constant(length)) } : {}) };
  });
  const inner: Reduction = { ...body, reduction, loops, value: instantiate(body.value, renewed) };
  const all = [own, ...sides];
  const indices = all.map(coordinateScalar);
  const { type } = body.value;
  const name: Local = {
    name: part.name,
    value: { kind: "read", type, definition: part, indices, span: body.span },
  };
  const value: Scalar = { kind: "local", type, local: name };
  return { sides: all, cases: [{ guards: [], reductions: [{ name, body: inner }], value }] };
}
