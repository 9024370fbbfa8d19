// Long reductions of few cells, in two steps: blocks of terms first, then what the blocks have come
// to.
//
//   s = sum[k in 0..n](x[k])   becomes   part[b] = sum[k in 0..B](x[B·b + k]),   s = sum[b](part[b])
//
// Blocks can be reduced on several threads, and the bits of the result depend on sizes alone. Where
// the cells lie side by side and the terms of each lie rows apart, a block is some rows, so that
// memory is read in its order.

import { isOff } from "../../ir/rewrites.ts";
import { add, constant, ofVariable, scale, type Variable } from "../../affine/term.ts";
import { mentions } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
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

/** Fewer evaluations than this are no work to be divided. */
const leastWork = 1 << 16;
/** Blocks of a single total: as many terms as are worth a call. */
const leastTerms = 1 << 12;
const mostTerms = 1 << 17;
/** Rows of a block where cells lie side by side. */
const rowsTogether = 32;
const fewCells = 8;

/**
 * A definition whose long reduction comes in blocks; itself where it has none. With companions, it
 * has the same rows as others that go through the same points.
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
  return block ? blocked(sized, region, only, reduced, block) : sized;
}

interface Block {
  /** Which of the loops is divided, how long it is, and how long a block of it is. */
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
  // What goes through the same points has the same rows, whatever it has cells for: the coordinate
  // that is longest.
  const longest = hasCompanions ? Math.max(...lengths) : 0;
  const at = lengths.findIndex(
    (length) => length >= Math.max(longest, 4 * (isRowByRow ? rowsTogether : 2)),
  );
  if (at < 0) return undefined;
  const length = lengths[at]!;
  if (hasCompanions && cells >= length && areLine(loops, value)) return undefined;
  if (isRowByRow && cells >= fewCells) return { at, length, size: rowsTogether };
  const wanted = Math.min(mostTerms, Math.max(leastTerms, terms / 64));
  const size = Math.ceil(wanted / (terms / length) / 16) * 16;
  return size <= length / 2 ? { at, length, size } : undefined;
}

/** Whether neighbouring cells read neighbours, and no term does: then terms lie rows apart. */
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
 * Whether terms of one cell lie side by side as well, in tensors that have no rows: then either may
 * be the rows.
 */
function areLine([only, ...others]: readonly Loop[], value: Scalar): boolean {
  if (!only || others.length > 0) return false;
  let fine = true;
  eachScalar(value, (part) => {
    if (part.kind === "read" && part.indices.some((index) => usesAny(index, [only])))
      fine &&= part.indices.length === 1;
  });
  return fine;
}

function blocked(
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
  const part: Definition = {
    ...definition,
    name: `${definition.name}_blocks`,
    element: type,
    axes: [{ extent: constant(count) }, ...definition.axes],
    origin: "helper",
    clauses: [],
  };
  const inBlock = body.reduction === "mean" ? "sum" : body.reduction;
  // One variable for both, so that a call that does some of the blocks does no others.
  const variable = freshVariable("block");
  const blocksOf = (from: number, to: number, length: number): readonly Region[] =>
    from < to
      ? [partRegion(region, body, inBlock, part, block, { variable, from, to }, length)]
      : [];
  const regions = [
    ...blocksOf(0, whole, block.size),
    ...blocksOf(whole, count, block.length - whole * block.size),
  ];
  const partShape = [count, ...shape];
  const parts: Sized = { definition: part, element: type, shape: partShape, regions };
  const at = freshVariable("block");
  const read: Scalar = {
    kind: "read",
    type,
    definition: part,
    indices: [ofVariable(at), ...region.sides.map(({ variable }) => ofVariable(variable))].map(
      integerScalar,
    ),
    span: body.span,
  };
  const total: Local = { ...name };
  const loop = {
    variable: at,
    from: integerScalar(constant(0)),
    to: integerScalar(constant(count)),
    reversed: false,
  };
  const ofBlocks: Reduced = {
    name: total,
    body: { ...body, reduction: inBlock, loops: [loop], value: read },
  };
  const names = new Map<Local, Local>([
    [total, total],
    [name, { name: name.name, value: resultOf(body, total) }],
  ]);
  const value = rewriteScalar(only.value, () => undefined, names);
  return {
    ...sized,
    scratch: [
      ...(sized.scratch ?? []),
      { definition: part, element: type, shape: partShape, start: 0 },
    ],
    blocks: { parts, length: block.length, size: block.size, at: block.at },
    regions: [{ ...region, cases: [{ guards: [], reductions: [ofBlocks], value }] }],
  };
}

function resultOf(body: Reduction, total: Local): Scalar {
  const { type } = body.value;
  const sum: Scalar = { kind: "local", type, local: total };
  if (body.reduction !== "mean") return sum;
  const terms = body.loops.reduce(
    (product, { from, to }) => product * (Number(valueOf(to)) - Number(valueOf(from))),
    1,
  );
  const count: Scalar = { kind: "constant", type, value: terms };
  return {
    kind: "apply",
    type,
    within: type,
    operation: "divide",
    operands: [sum, count],
    span: body.span,
  };
}

/** Some blocks, each of `length` positions of the loop that is divided. */
function partRegion(
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
  const indices = all.map(({ variable }) => integerScalar(ofVariable(variable)));
  const { type } = body.value;
  const name: Local = {
    name: part.name,
    value: { kind: "read", type, definition: part, indices, span: body.span },
  };
  const value: Scalar = { kind: "local", type, local: name };
  return { sides: all, cases: [{ guards: [], reductions: [{ name, body: inner }], value }] };
}
