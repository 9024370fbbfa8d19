// Operands of a contraction that are expressions of one tensor's cells, made before they are
// contracted.
//
//   y[b, o] = Σ { i } W[o, i]·g[i]·(x[b, i] - m[i]) / s[i]
//     has gradients by m, s and g that go through all of its points once more each;
//   t[b, i] = g[i]·(x[b, i] - m[i]) / s[i],   y[b, o] = Σ { i } W[o, i]·t[b, i]
//     have one by t, and those of m, s and g are sums over its cells.
//
// An operand has the cells of a tensor that it is made of, its anchor: whatever else it reads is
// read at coordinates of that one. It is read where the anchor was, be it at i + k, and so it is
// never larger than what is there.

import { equal, variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { pointsOf } from "../../cost/points.ts";
import { exceeds } from "../../cost/polynomial.ts";
import { eachScalar, mapParts, partsOf } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { reachable } from "../../analyse/schedule.ts";
import { usesAny } from "../../analyse/ties.ts";
import { nowhere } from "../../base/source.ts";
import { wholeLoops, type Define } from "../sweep/cells.ts";
import { factorsOf, productScalar } from "../scalar/products.ts";
import { coordinateScalar } from "../../ir/substitute.ts";

type Read = Extract<Scalar, { kind: "read" }>;

/** A factor of a product, or what it is divided by. */
interface Member {
  readonly scalar: Scalar;
  readonly below: boolean;
}

/** A clause whose sum reads its operands; itself where nothing is to be made before it. */
export function withOperands(
  definition: Definition,
  clause: Clause,
  varies: (definition: Definition) => boolean,
  define: Define,
): Clause {
  const { body, guards } = clause;
  if (body.kind !== "reduce" || (body.reduction !== "sum" && body.reduction !== "mean"))
    return clause;
  if (guards.length > 0 || body.guards.length > 0 || !isFloat(body.value.type)) return clause;
  // In f16 the factors of an operand may need those of the others to stay in range.
  if (body.value.type === "f16") return clause;
  const loops = [...clause.loops, ...body.loops];
  /** What a recurrence reads of itself is not there before it. */
  const isThere = (scalar: Scalar): boolean =>
    readsIn(scalar).every((read) => !reachable([read.definition]).includes(definition));
  /**
   * Whether the derivative goes through several tensors: there is something that their gradients
   * would have in common.
   */
  const hasSeveral = (list: readonly Member[]): boolean =>
    new Set(
      list.flatMap(({ scalar }) => readsIn(scalar).map((read) => read.definition)).filter(varies),
    ).size > 1;
  const written = membersOf(body.value);
  const anchors = written.flatMap(({ scalar, below }) =>
    below ? [] : (anchorOf(scalar, loops) ?? []),
  );
  let members = written;
  for (const anchor of anchors.toSorted((a, b) => b.indices.length - a.indices.length)) {
    const along = members.filter(({ scalar }) => isAlong(scalar, anchor, loops));
    if (!hasSeveral(along)) continue;
    const own = along.filter(({ scalar }) => isThere(scalar));
    const first = own.find(({ scalar, below }) => !below && readsIn(scalar).includes(anchor));
    if (!first || !hasSeveral(own)) continue;
    const [points, cells] = [loops, wholeLoops(anchor.definition)].map(
      (each) => pointsOf(each, []).count,
    );
    if (!exceeds(points!, cells!)) continue;
    const operand = operandOf(definition, clause, anchor, productOf(own, body.value.type), define);
    members = members.flatMap((member): readonly Member[] => {
      if (member === first) return [{ scalar: operand, below: false }];
      return own.includes(member) ? [] : [member];
    });
  }
  return members === written
    ? clause
    : { ...clause, body: { ...body, value: productOf(members, body.value.type) } };
}

/**
 * Quotients are taken apart where they stand above the line; what they divide by is a product at
 * most.
 */
function membersOf(value: Scalar): readonly Member[] {
  return factorsOf(value).flatMap((factor): readonly Member[] => {
    if (factor.kind !== "apply" || factor.operation !== "divide")
      return [{ scalar: factor, below: false }];
    const [above, under] = factor.operands as readonly [Scalar, Scalar];
    return [...membersOf(above), ...factorsOf(under).map((scalar) => ({ scalar, below: true }))];
  });
}

function productOf(members: readonly Member[], type: Scalar["type"]): Scalar {
  const [factors, divisors] = [false, true].map((below) =>
    members.filter((member) => member.below === below).map(({ scalar }) => scalar),
  );
  return productScalar(
    { constant: 1, factors: factors!, divisors: divisors! },
    type as FloatType,
    nowhere,
  );
}

function readsIn(scalar: Scalar): readonly Read[] {
  const found: Read[] = [];
  eachScalar(scalar, (part) => void (part.kind === "read" && found.push(part)));
  return found;
}

/**
 * The read that says where an expression stands, each of its axes along a coordinate or several:
 * the one with the most axes.
 */
function anchorOf(scalar: Scalar, loops: readonly Loop[]): Read | undefined {
  const isAnchor = (read: Read): boolean =>
    read.indices.every(
      (index, k) =>
        usesAny(index, loops) && !read.indices.slice(0, k).some((other) => isSame(other, index)),
    ) && isAlong(scalar, read, loops);
  return readsIn(scalar)
    .filter(isAnchor)
    .toSorted((a, b) => b.indices.length - a.indices.length)[0];
}

function isSame(a: Scalar, b: Scalar): boolean {
  return a.kind === "integer" && b.kind === "integer" && equal(a.term, b.term);
}

/**
 * Whether all that an expression reads lies at coordinates of an anchor, along axes of the same
 * extents.
 */
function isAlong(scalar: Scalar, anchor: Read, loops: readonly Loop[]): boolean {
  const isFixed = (index: Scalar): boolean => index.kind === "integer" && !usesAny(index, loops);
  switch (scalar.kind) {
    case "constant":
      return true;
    case "integer":
      return isFixed(scalar);
    case "read":
      return scalar.indices.every(
        (index, k) => isFixed(index) || axisOf(anchor, index, scalar.definition.axes[k]!) >= 0,
      );
    case "apply":
      return (
        isFloat(scalar.within) &&
        scalar.operands.every((operand) => isAlong(operand, anchor, loops))
      );
    case "cast":
      return isFloat(scalar.type) && isAlong(scalar.operand, anchor, loops);
    case "select":
      return partsOf(scalar).every((part) => isAlong(part, anchor, loops));
    case "parameter":
    case "local":
    case "call":
    case "data":
    case "text":
      return false;
    default:
      return scalar satisfies never;
  }
}

/** The axis of an anchor that an index stands at; below 0 where there is none. */
function axisOf(anchor: Read, index: Scalar, { extent }: Axis): number {
  return anchor.indices.findIndex(
    (other, k) => isSame(other, index) && equal(anchor.definition.axes[k]!.extent, extent),
  );
}

/** An expression at all cells of its anchor, read where that was read. */
function operandOf(
  definition: Definition,
  { span }: Clause,
  anchor: Read,
  value: Scalar,
  define: Define,
): Scalar {
  const { axes } = anchor.definition;
  const loops = namedAfter(anchor);
  const moved = (scalar: Scalar): Scalar => {
    if (scalar.kind !== "read") return mapParts(scalar, moved);
    const indices = scalar.indices.map((index, k) => {
      const at = axisOf(anchor, index, scalar.definition.axes[k]!);
      return at < 0 ? index : coordinateScalar(loops[at]!);
    });
    return { ...scalar, indices };
  };
  const made = define(
    `${definition.name}_part`,
    value.type,
    axes,
    [{ loops, guards: [], body: { kind: "map", value: moved(value) }, span }],
    span,
  );
  return { ...anchor, type: value.type, definition: made };
}

/** The cells of an anchor, along coordinates with the names that they have where it is read. */
function namedAfter({ definition, indices }: Read): readonly Loop[] {
  const names = indices.map((index) =>
    index.kind === "integer" ? [...variablesOf(index.term)][0]?.name : undefined,
  );
  const isEachItsOwn = new Set(names).size === names.length;
  return wholeLoops(definition).map((loop, k) => {
    const name = isEachItsOwn ? names[k] : undefined;
    return name === undefined ? loop : { ...loop, variable: variable(name) };
  });
}
