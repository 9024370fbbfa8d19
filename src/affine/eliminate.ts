// Decides by elimination that a system of linear integer inequalities has no solution.
//
// A row (c, a₁, …, aₙ) stands for c + Σ aₖ·xₖ ≥ 0 (or = 0). There are three steps, each sound for
// the integers:
//
//   tighten      divide a row by g = gcd(aₖ) and round its constant down:
//                c + g·e ≥ 0  ⇒  ⌊c/g⌋ + e ≥ 0;
//                an equality whose constant g does not divide has no solution
//   substitute   use an equality to remove one of its unknowns from all other rows
//   eliminate    (Fourier, Motzkin) remove xₖ: add positive multiples of every row with aₖ > 0
//                to every row with aₖ < 0
//
// A row without unknowns and with a negative constant is the contradiction. To leave out a row
// loses conclusions, but makes none wrong. So rows whose numbers grow beyond the safe integers are
// dropped, and a budget of touched cells ends the search.

import { floorQuotient, gcd } from "./term.ts";

/** The constant first, then a coefficient for each unknown. */
export type Row = number[];

export interface System {
  readonly unknowns: number;
  readonly inequalities: readonly Row[];
  readonly equalities: readonly Row[];
}

export interface Budget {
  /** How many cells of rows may still be touched. */
  cells: number;
}

/** Lower and upper bounds of the unknowns. Index 0 is not used. */
interface Bounds {
  readonly low: number[];
  readonly high: number[];
}

/** How often the bounds of all unknowns are narrowed by one another. */
const boundingRounds = 3;

/**
 * Constant bounds that follow from single rows and the bounds of their other unknowns. Undefined if
 * they contradict one another.
 */
export function boundsOfUnknowns(system: System): Bounds | undefined {
  const low = new Array<number>(system.unknowns + 1).fill(-Infinity);
  const high = new Array<number>(system.unknowns + 1).fill(Infinity);
  const rows = [...system.inequalities];
  for (const row of system.equalities)
    rows.push(
      row,
      row.map((a) => -a),
    );
  for (let round = 0; round < boundingRounds; round++) {
    let changed = false;
    for (const row of rows) {
      // The largest value of the row. Unknowns without a bound are counted apart.
      let most = row[0]!;
      let weight = Math.abs(most);
      let unbounded = 0;
      let free = 0;
      for (let k = 1; k < row.length; k++) {
        const a = row[k]!;
        if (a === 0) continue;
        const peak = a > 0 ? a * high[k]! : a * low[k]!;
        if (peak === Infinity) {
          unbounded++;
          free = k;
        } else {
          most += peak;
          weight += Math.abs(peak);
        }
      }
      if (unbounded > 1 || weight > Number.MAX_SAFE_INTEGER) continue;
      if (unbounded === 0 && most < 0) return undefined;
      for (let k = unbounded === 1 ? free : 1; k < row.length; k++) {
        const a = row[k]!;
        if (a !== 0) {
          // a·x ≥ -(most of the others)
          const others = unbounded === 1 ? most : most - (a > 0 ? a * high[k]! : a * low[k]!);
          if (a > 0) {
            const bound = -floorQuotient(others, a);
            if (bound > low[k]!) {
              low[k] = bound;
              changed = true;
            }
          } else {
            const bound = floorQuotient(others, -a);
            if (bound < high[k]!) {
              high[k] = bound;
              changed = true;
            }
          }
          if (low[k]! > high[k]!) return undefined;
        }
        if (unbounded === 1) break;
      }
    }
    if (!changed) break;
  }
  return { low, high };
}

/**
 * Inequalities by a hash of their coefficients. Of rows with equal coefficients, only the strictest
 * is kept.
 */
type RowSet = Map<number, Row>;

/**
 * Whether the system provably has no integer solution. `false` means that no proof was found within
 * the budget.
 */
export function infeasible(system: System, budget: Budget): boolean {
  let rows: RowSet = new Map();
  for (const row of system.inequalities) if (keep(rows, [...row])) return true;
  const equalities: Row[] = system.equalities.map((row) => [...row]);
  while (equalities.length > 0) {
    // The equality with the smallest pivot comes first: pivots ±1 lose nothing.
    let chosen = -1;
    let column = 0;
    for (let e = equalities.length - 1; e >= 0; e--) {
      const state = tightenEquality(equalities[e]!);
      if (state === "contradiction") return true;
      if (state === "trivial") equalities.splice(e, 1);
    }
    if (equalities.length === 0) break;
    let best = Infinity;
    equalities.forEach((row, e) => {
      for (let k = 1; k < row.length; k++) {
        const size = Math.abs(row[k]!);
        if (size > 0 && size < best) [best, chosen, column] = [size, e, k];
      }
    });
    const pivot = equalities.splice(chosen, 1)[0]!;
    const next: RowSet = new Map();
    for (const row of rows.values()) {
      const reduced = row[column] === 0 ? row : withoutUnknown(row, pivot, column);
      if (reduced && keep(next, reduced)) return true;
    }
    rows = next;
    for (let e = equalities.length - 1; e >= 0; e--) {
      if (equalities[e]![column] === 0) continue;
      const reduced = withoutUnknown(equalities[e]!, pivot, column);
      if (reduced) equalities[e] = reduced;
      else equalities.splice(e, 1);
    }
    if (!spend(budget, (rows.size + equalities.length) * system.unknowns)) return false;
  }
  return eliminateAll(rows, system.unknowns, budget);
}

function eliminateAll(start: RowSet, unknowns: number, budget: Budget): boolean {
  let rows = start;
  for (;;) {
    const above = new Array<number>(unknowns + 1).fill(0);
    const below = new Array<number>(unknowns + 1).fill(0);
    for (const row of rows.values()) {
      for (let k = 1; k <= unknowns; k++) {
        if (row[k]! > 0) above[k]!++;
        else if (row[k]! < 0) below[k]!++;
      }
    }
    let column = 0;
    let fewest = Infinity;
    for (let k = 1; k <= unknowns; k++) {
      const growth = above[k]! * below[k]! - above[k]! - below[k]!;
      if (above[k]! + below[k]! > 0 && growth < fewest) [fewest, column] = [growth, k];
    }
    if (column === 0) return false;
    if (!spend(budget, (rows.size + above[column]! * below[column]!) * unknowns)) return false;
    const next: RowSet = new Map();
    const upper: Row[] = [];
    const lower: Row[] = [];
    for (const row of rows.values()) {
      if (row[column] === 0) keep(next, row);
      else (row[column]! > 0 ? lower : upper).push(row);
    }
    for (const low of lower) {
      for (const high of upper) {
        const combined = combine(low, high, column);
        if (combined && keep(next, combined)) return true;
      }
    }
    rows = next;
  }
}

export function spend(budget: Budget, cells: number): boolean {
  budget.cells -= cells;
  return budget.cells > 0;
}

/**
 * Tightens an inequality and stores it under its coefficients, unless a stricter one is stored. The
 * result is true if the row is a contradiction.
 */
function keep(rows: RowSet, row: Row): boolean {
  const g = commonDivisor(row);
  if (g === 0) return row[0]! < 0;
  if (g > 1) {
    row[0] = floorQuotient(row[0]!, g);
    for (let k = 1; k < row.length; k++) row[k] = row[k]! / g;
  }
  let hash = 0;
  for (let k = 1; k < row.length; k++) hash = (Math.imul(hash, 31) + row[k]!) | 0;
  for (;;) {
    const same = rows.get(hash);
    if (!same || sameCoefficients(same, row)) {
      if (!same || same[0]! > row[0]!) rows.set(hash, row);
      return false;
    }
    hash = (hash + 0x9e3779b9) | 0;
  }
}

/** The greatest common divisor of the coefficients, 0 if all are 0. */
function commonDivisor(row: Row): number {
  let g = 0;
  for (let k = 1; k < row.length && g !== 1; k++) if (row[k] !== 0) g = gcd(row[k]!, g);
  return g;
}

function sameCoefficients(a: Row, b: Row): boolean {
  for (let k = 1; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

function tightenEquality(row: Row): "contradiction" | "trivial" | "row" {
  const g = commonDivisor(row);
  if (g === 0) return row[0] === 0 ? "trivial" : "contradiction";
  if (row[0]! % g !== 0) return "contradiction";
  if (g > 1) for (let k = 0; k < row.length; k++) row[k] = row[k]! / g;
  return "row";
}

/** p|·row ∓ a·pivot, which has no xₖ; undefined if its numbers grow too large. */
function withoutUnknown(row: Row, pivot: Row, column: number): Row | undefined {
  const p = pivot[column]!;
  return weightedSum(Math.abs(p), row, -row[column]! * Math.sign(p), pivot);
}

function combine(low: Row, high: Row, column: number): Row | undefined {
  const g = gcd(low[column]!, high[column]!);
  return weightedSum(-high[column]! / g, low, low[column]! / g, high);
}

/** a·left + b·right, if every number on the way is exact. */
function weightedSum(a: number, left: Row, b: number, right: Row): Row | undefined {
  const row = left.slice();
  for (let k = 0; k < row.length; k++) {
    const x = a * left[k]!;
    const y = b * right[k]!;
    // Each product stays within half of the safe interval, so that the sum is exact too.
    if (Math.abs(x) > limit || Math.abs(y) > limit) return undefined;
    row[k] = x + y + 0;
  }
  return row;
}

const limit = Math.floor(Number.MAX_SAFE_INTEGER / 2);
