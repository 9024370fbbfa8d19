// What a clause sends back to several operands is often one number, and is computed once: whoever gets it after the first reads the first one's cells.
//
//   y[b, i] = tanh(sum[k](x[b, k] * W[k, i]) + c[i])
//
// sends g[b, i] = d_y[b, i] * (1 - y[b, i] * y[b, i]) to the sum and to c. The sum's adjoint is a definition over b and i, and d_c[i] = sum[b](g[b, i]) reads it.
// Two gradients are the same if they are written alike once coordinates are numbered in the order in which they occur. The cells of the first have the number
// where its conditions hold, so these have to follow from where it is asked for.

import { isOff } from "../ir/rewrites.ts";
import { holds, nonNegative, within } from "../affine/prove.ts";
import { equal, ofVariable, subtract, zero, type Term, type Variable } from "../affine/term.ts";
import { eachVariable } from "../affine/visit.ts";
import { factsOf, isImplied, loopFacts } from "../ir/facts.ts";
import { keyOf, placeholder } from "../ir/keys.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Definition, Local, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { conjuncts } from "../ir/ties.ts";
import { isWorthNaming } from "./share.ts";
import { isStepGraph } from "./step-graph.ts";
import type { Sweep } from "./sweep.ts";
import { conditionsOf, keyOfPiece, type Piece } from "./transpose.ts";

/** A gradient that has cells: which coordinate each of its axes is, by its number, and the conditions in terms of numbers. */
export interface Gradient {
  readonly definition: Definition;
  readonly axes: readonly number[];
  readonly conditions: readonly Scalar[];
}

/** Remembers what the cells of a definition are. */
export function remember(sweep: Sweep, definition: Definition, piece: Piece): void {
  if (piece.summed.length > 0 || piece.ties.length > 0 || isOff("same-gradients")) return;
  const numbers = numbersIn(sweep, piece);
  if (!numbers || sweep.gradients.has(numbers.key)) return;
  const axes = piece.axes.map(({ variable: v }) => numbers.order.indexOf(v));
  const by = new Map(numbers.order.map((v, k) => [v, integerScalar(ofVariable(placeholder(k)))]));
  const conditions = conditionsOf(piece)
    .flatMap(conjuncts)
    .map((each) => instantiate(each, by));
  if (!axes.includes(-1)) sweep.gradients.set(numbers.key, { definition, axes, conditions });
}

/** A piece whose number is read where it has been computed before. */
export function withSame(sweep: Sweep, piece: Piece): Piece {
  const same = sameAs(sweep, piece);
  if (!same) return piece;
  const { type } = piece.value;
  const { definition, indices } = same;
  return {
    ...piece,
    value: {
      kind: "read",
      type,
      definition,
      indices: indices.map(integerScalar),
      span: piece.span,
    },
  };
}

/** The definition whose cells are those of a piece, all of them: 0 where the piece's conditions fail. */
export function sameCells(sweep: Sweep, piece: Piece): Definition | undefined {
  if (piece.summed.length > 0 || piece.ties.length > 0) return undefined;
  const same = sameAs(sweep, piece);
  if (!same || same.indices.length !== piece.axes.length) return undefined;
  const isInPlace = same.indices.every((at, k) => {
    const { variable: v, to } = piece.axes[k]!;
    return (
      at === ofVariable(v) &&
      to.kind === "integer" &&
      equal(to.term, same.definition.axes[k]!.extent)
    );
  });
  const theirs = new Set(same.conditions.map(keyOf));
  const isAll = conditionsOf(piece)
    .flatMap(conjuncts)
    .every((each) => theirs.has(keyOf(each)));
  return isInPlace && isAll ? same.definition : undefined;
}

/** The definition with the sum of a piece: one that is there already, or a new one. */
export function sumOnce(sweep: Sweep, piece: Piece, define: () => Definition): Definition {
  if (isOff("same-gradients")) return define();
  const key = keyOfSum(piece);
  const known = sweep.sums.get(key);
  if (known && hasCellsOf(known, piece, sweep)) return known;
  const made = define();
  if (!known) sweep.sums.set(key, made);
  return made;
}

/** Where all cells of a piece have been summed: operands that stand beside one another in a sum get the same. */
export function sumBefore(sweep: Sweep, piece: Piece): Definition | undefined {
  const known = sweep.sums.size > 0 ? sweep.sums.get(keyOfSum(piece)) : undefined;
  return known && hasCellsOf(known, piece, sweep) ? known : undefined;
}

function hasCellsOf({ axes }: Definition, piece: Piece, { known }: Sweep): boolean {
  return piece.axes.every(({ from, to }, k) => {
    if (from.kind !== "integer" || to.kind !== "integer" || !equal(from.term, zero)) return false;
    return holds(nonNegative(subtract(axes[k]!.extent, to.term)), known);
  });
}

/** A text that is the same for sums of the same, wherever their cells end. */
function keyOfSum(piece: Piece): string {
  const [from, to] = [integerScalar(zero), integerScalar(zero)];
  return `${piece.value.type} ${keyOfPiece({ ...piece, axes: piece.axes.map((axis) => ({ ...axis, from, to })) })}`;
}

interface Same {
  readonly definition: Definition;
  readonly indices: readonly Term[];
  readonly conditions: readonly Scalar[];
}

/** Where the number of a piece has been computed before, if all points of the piece have cells there and their conditions hold. */
function sameAs(sweep: Sweep, piece: Piece): Same | undefined {
  const numbers = numbersIn(sweep, piece);
  const found = numbers && sweep.gradients.get(numbers.key);
  if (!found || found.definition.element !== piece.value.type) return undefined;
  const { opaque, known } = sweep;
  const own = conditionsOf(piece).flatMap(conjuncts);
  const around = [...known, ...loopFacts(opaque, [...piece.axes, ...piece.summed], known)];
  const facts = [...around, ...own.flatMap((each) => factsOf(opaque, each, true, around))];
  const indices = found.axes.map((number) => ofVariable(numbers.order[number]!));
  const isInside = (at: Term, axis: number): boolean =>
    within(at, { from: zero, to: found.definition.axes[axis]!.extent }).every((fact) =>
      holds(fact, facts),
    );
  const by = new Map(numbers.order.map((v, k) => [placeholder(k), integerScalar(ofVariable(v))]));
  const conditions = found.conditions.map((each) => instantiate(each, by));
  if (!indices.every(isInside) || !conditions.every((each) => isImplied(opaque, each, own, facts)))
    return undefined;
  return { definition: found.definition, indices, conditions };
}

interface Numbers {
  /** The coordinates in the order in which they occur. */
  readonly order: readonly Variable[];
  /** What is the same for numbers that are written alike. */
  readonly key: string;
}

const written = new WeakMap<Piece, Numbers | false>();

/** How a piece is written. A sweep asks for it several times: before it makes a definition, when it does, and when that is there. */
function numbersIn(sweep: Sweep, piece: Piece): Numbers | undefined {
  const numbers = written.get(piece) ?? numbered(sweep, piece) ?? false;
  written.set(piece, numbers);
  return numbers || undefined;
}

/** Nothing where a read would save nothing, or where each cell is looked at by itself: in the lanes of a Jacobian, and within a step. */
function numbered(sweep: Sweep, { axes, summed, value }: Piece): Numbers | undefined {
  if (sweep.lanes.length > 0 || isStepGraph(sweep.graph)) return undefined;
  const number = value.kind === "select" && value.isProduct ? value.otherwise : value;
  if (!isWorthNaming(number)) return undefined;
  const own = new Set([...axes, ...summed].map((loop) => loop.variable));
  const order = new Set<Variable>();
  let isPlain = true;
  eachScalar(value, (part) => {
    if (part.kind === "integer") eachVariable(part.term, (v) => void (own.has(v) && order.add(v)));
    isPlain &&=
      part.kind === "local"
        ? !part.local.slope
        : part.kind === "select"
          ? !part.found
          : kinds.has(part.kind);
  });
  if (!isPlain) return undefined;
  const by = new Map([...order].map((v, k) => [v, integerScalar(ofVariable(placeholder(k)))]));
  return { order: [...order], key: keyOf(withNames(instantiate(value, by), sweep.names)) };
}

/** What can be told by how it is written. */
const kinds: ReadonlySet<Scalar["kind"]> = new Set([
  "constant",
  "integer",
  "read",
  "apply",
  "cast",
]);

/** A scalar in which parts that are written alike have one name; each of its own is looked at once. */
function withNames(
  scalar: Scalar,
  names: Map<string, Local>,
  own = new Map<Local, Local>(),
): Scalar {
  if (scalar.kind !== "local") return mapParts(scalar, (part) => withNames(part, names, own));
  let local = own.get(scalar.local);
  if (!local) {
    const value = withNames(scalar.local.value, names, own);
    const key = keyOf(value);
    own.set(scalar.local, (local = names.get(key) ?? { ...scalar.local, value }));
    names.set(key, local);
  }
  return { ...scalar, local };
}
