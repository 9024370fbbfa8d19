// Totals by place: a sum of cotangents for each place of a tensor or of data. A total is the list
// [store, version, offset].
//
// An addition to the latest version writes into the store and records the previous value. So an
// addition takes constant time, and earlier versions keep their numbers. The empty list is 0 at
// every place. If the cells of the tensor are data, a cotangent at one place is data too, with a
// cotangent for each part.

import type { Data, Scalar } from "./types.ts";

/** The sum at one place: a number, or data with a sum for each part. */
export type Total = number | Data;

/**
 * The sums of the latest version. For each step, `places` holds the changed place and `before` its
 * previous sum.
 */
class Store {
  readonly values: (Total | undefined)[] = [];
  readonly places: number[] = [];
  readonly before: (Total | undefined)[] = [];
}

/** The store of a total. In a total of totals a place may hold the number 0, which has no store. */
function storeOf(total: Total): Store | undefined {
  const store = typeof total === "number" ? undefined : (total[0] as unknown);
  return store instanceof Store ? store : undefined;
}

/** The index in the store that the place 0 has. */
function offsetOf(total: Data): number {
  return total[2] as number;
}

export function addAt(total: Data, place: number, value: Total): Data {
  return changedAt(total, place, (before) => sumOfTotals(before ?? 0, value));
}

export function totalAt(total: Data, place: number): Total {
  return heldAt(total, place) ?? 0;
}

/**
 * The sum at each place that was ever changed, in the order of the places. Undefined if `total` is
 * not a total.
 */
export function sumsByPlace(
  total: Data,
): readonly (readonly [place: number, total: Total])[] | undefined {
  const places = storeOf(total)?.places.slice(0, total[1] as number);
  if (!places) return undefined;
  const found = [...new Set(places)].sort((a, b) => a - b).map((at) => at - offsetOf(total));
  return found.map((place) => [place, totalAt(total, place)]);
}

/** Writes a number at a place, instead of adding to it. */
export function holdAt(total: Data, place: number, value: number): Data {
  return changedAt(total, place, () => value);
}

/** The value at a place, or undefined if nothing has been written there. */
export function heldAt(total: Data, place: number): Total | undefined {
  const store = storeOf(total);
  if (!store) return undefined;
  const at = place + offsetOf(total);
  const later = store.places.indexOf(at, total[1] as number);
  return later < 0 ? store.values[at] : store.before[later];
}

function changedAt(total: Data, place: number, change: (before: Total | undefined) => Total): Data {
  const known = storeOf(total);
  const isLatest = known !== undefined && known.places.length === total[1];
  const store = isLatest ? known : copyOf(total);
  const at = place + (known ? offsetOf(total) : 0);
  const before = store.values[at];
  store.places.push(at);
  store.before.push(before);
  store.values[at] = change(before);
  return [store as unknown as Scalar, store.places.length, known ? offsetOf(total) : 0];
}

/** The same totals, with every place moved by `by`. */
export function shifted(total: Data, by: number): Data {
  return storeOf(total) ? [total[0]!, total[1]!, offsetOf(total) - by] : [];
}

/** left + times · right, part by part and place by place. */
export function joinedTotals(left: Data, right: Data, times = 1): Data {
  if (right.length === 0 || times === 0) return left;
  if (times !== 1) return joinedTotals(left, multiplied(right, times));
  if (left.length === 0) return right;
  if (!storeOf(left))
    return Array.from({ length: Math.max(left.length, right.length) }, (_, k) =>
      sumOfTotals(left[k], right[k]),
    );
  const [more, fewer] = (left[1] as number) >= (right[1] as number) ? [left, right] : [right, left];
  const places = new Set(storeOf(fewer)!.places.slice(0, fewer[1] as number));
  let sum = more;
  for (const at of places) {
    const place = at - offsetOf(fewer);
    sum = addAt(sum, place, totalAt(fewer, place));
  }
  return sum;
}

function multiplied(total: Data, times: number): Data {
  const scaled = (value: Total): Total =>
    typeof value === "number" ? value * times : multiplied(value, times);
  const store = storeOf(total);
  if (!store) return total.map((part) => scaled(part as Total));
  const sum = copyOf(total);
  for (const at of new Set(sum.places)) sum.values[at] = scaled(sum.values[at] ?? 0);
  return [sum as unknown as Scalar, sum.places.length, offsetOf(total)];
}

/** `parts`, plus the cotangents in `more`, where the number of a part precedes each cotangent. */
export function putAt(parts: Data, more: readonly Scalar[]): Data {
  const sum = [...parts];
  for (let k = 0; k < more.length; k += 2) {
    const member = more[k] as number;
    sum[member] = sumOfTotals(sum[member], more[k + 1]);
  }
  return sum;
}

function sumOfTotals(left: Scalar | undefined, right: Scalar | undefined): Total {
  if (typeof left === "number" && typeof right === "number") return left + right;
  const [a, b] = [asParts(left), asParts(right)];
  return a && b
    ? joinedTotals(a, b)
    : (a ?? b ?? (left as number | undefined) ?? (right as number | undefined) ?? 0);
}

function asParts(value: Scalar | undefined): Data | undefined {
  return Array.isArray(value) ? (value as Data) : undefined;
}

function copyOf(total: Data): Store {
  const copy = new Store();
  const store = storeOf(total);
  for (const at of new Set(store?.places.slice(0, total[1] as number))) {
    const later = store!.places.indexOf(at, total[1] as number);
    copy.values[at] = later < 0 ? store!.values[at] : store!.before[later];
    copy.places.push(at);
    copy.before.push(undefined);
  }
  return copy;
}
