// Rewrites the slices of NumPy as declarations: every axis of the result gets a name, and the slice
// becomes arithmetic on that name.
//
//   let d = x[1:] - x[:-1];              let d[i in 0..len(x) - 1] = x[i + 1] - x[i];
//   let y = x[::2];                      let y[i in 0..(len(x) + 1) / 2] = x[2 * i];
//   let o = a[:, None] * b[None, :];     let o[i, j] = a[i] * b[j];

/** One read with slices, and its place in the text: `x[1:]` has the base `x` and the item `1:`. */
interface Sliced {
  readonly start: number;
  readonly end: number;
  readonly base: string;
  readonly items: readonly string[];
}

/** One axis of the result of a slice. */
interface Cut {
  /** The index of the read for a coordinate with this name: `i` gives `i + 1` for `1:`. */
  readonly index: (name: string) => string;
  /** The number of cells. `undefined` for a whole axis. */
  readonly size?: string;
}

/**
 * The declaration for a right side with slices. `undefined` if a part of the right side is not
 * understood. The axes of the reads are matched from the last one on, as in NumPy.
 */
export function withoutSlices(name: string, value: string): string | undefined {
  const reads = slicedReads(value);
  // A function of whole tensors, such as `sort`, cannot be called cell by cell.
  const calls = [...value.matchAll(/([\w.]+)(?:\[[^[\]]*\])?\(/g)].map(([, called]) => called!);
  if (reads.length === 0 || !calls.every((each) => cellByCell.test(each))) return undefined;
  const cuts = reads.map(({ base, items }) => cutsOf(base, items));
  if (!cuts.every((each) => each !== undefined)) return undefined;
  const rank = Math.max(...cuts.map(({ axes }) => axes.length));
  const words = new Set(`${name} ${value}`.match(/\w+/g));
  const letters = [..."ijklmnpq"].filter((letter) => !words.has(letter));
  const added = [..."bcdeg"].filter((letter) => !words.has(letter));
  const names: string[] = [];
  const slots: string[] = [];
  for (let k = 0; k < rank; k++) {
    const here = cuts.flatMap(({ axes }) => axes[k - rank + axes.length] ?? []);
    const own = here.filter((cut) => cut !== "new");
    const coordinate = (own.length === 0 ? added : letters).shift();
    if (coordinate === undefined) return undefined;
    const size = own.length === 0 ? "1" : own.find((cut) => cut.size !== undefined)?.size;
    names.push(coordinate);
    slots.push(size === undefined ? coordinate : `${coordinate} in 0..${size}`);
  }
  let text = value;
  for (const [r, { start, end, base }] of [...reads.entries()].reverse()) {
    const { axes, indices } = cuts[r]!;
    const named = indices.map((each) =>
      typeof each === "string"
        ? each
        : (axes[each] as Cut).index(names[each + rank - axes.length]!),
    );
    text = `${text.slice(0, start)}${base}[${named.join(", ")}]${text.slice(end)}`;
  }
  return `let ${name}[${slots.join(", ")}] = ${text};`;
}

const cellByCell =
  /^(?:exp|log|sqrt|sin|cos|tan|sinh|cosh|tanh|abs|sign|floor|ceil|round|sigmoid|relu)$/;

/** Every `x[…]` that contains a colon or a new axis. */
function slicedReads(text: string): readonly Sliced[] {
  return [...text.matchAll(/([A-Za-z_]\w*)\[([^[\]]*)\]/g)].flatMap((found) => {
    const items = found[2]!.split(",").map((item) => item.trim());
    if (!items.some((item) => item.includes(":") || isNewAxis(item))) return [];
    const start = found.index;
    return [{ start, end: start + found[0].length, base: found[1]!, items }];
  });
}

function isNewAxis(item: string): boolean {
  return /^(?:None|(?:np\.)?newaxis)$/.test(item);
}

/**
 * The axes of the result, and the indices of the read. An index is a text, or the number of an axis
 * of the result.
 */
function cutsOf(
  base: string,
  items: readonly string[],
):
  | { readonly axes: readonly (Cut | "new")[]; readonly indices: readonly (string | number)[] }
  | undefined {
  const axes: (Cut | "new")[] = [];
  const indices: (string | number)[] = [];
  for (const item of items) {
    if (isNewAxis(item)) {
      axes.push("new");
      continue;
    }
    const length = indices.length === 0 ? `len(${base})` : `${base}.shape[${indices.length}]`;
    if (!item.includes(":")) {
      indices.push(item.startsWith("-") ? `${length} - ${item.slice(1).trim()}` : item);
      continue;
    }
    const cut = cutOf(item, length);
    if (!cut) return undefined;
    indices.push(axes.length);
    axes.push(cut);
  }
  return { axes, indices };
}

/** Reads `:`, `1:`, `:-1`, `2:5`, `::2` or `::-1`. */
function cutOf(item: string, length: string): Cut | undefined {
  const [from = "", to = "", step = "", ...others] = item.split(":").map((part) => part.trim());
  if (others.length > 0 || ![from, to, step].every((part) => /^-?\w*$/.test(part)))
    return undefined;
  if (step === "-1" && from === "" && to === "")
    return { index: (name) => `${length} - 1 - ${name}`, size: length };
  if (!/^\d*$/.test(step) || step === "0") return undefined;
  const stride = Number(step || "1");
  const start = from.startsWith("-") ? textMinus(length, from.slice(1)) : from || "0";
  const end = to.startsWith("-") ? textMinus(length, to.slice(1)) : to || length;
  const isWhole = start === "0" && end === length;
  if (isWhole && stride === 1) return { index: (name) => name };
  const count = from.startsWith("-") && to === "" ? from.slice(1) : textMinus(end, start);
  const rounded = /^\d+$/.test(count)
    ? String(Math.ceil(Number(count) / stride))
    : `${inBracketsIfSum(plusNumber(count, stride - 1))} / ${stride}`;
  return {
    index: (name) => {
      const own = stride === 1 ? name : `${stride} * ${name}`;
      return start === "0" ? own : `${own} + ${start}`;
    },
    size: stride === 1 ? count : rounded,
  };
}

function inBracketsIfSum(sum: string): string {
  return sum.includes(" ") ? `(${sum})` : sum;
}

/** `a - b` in simple form: `len(x) - 1` minus `1` is `len(x) - 2`. */
function textMinus(a: string, b: string): string {
  if (b === "0") return a;
  if (/^\d+$/.test(b)) return plusNumber(a, -Number(b));
  return /^\w+$/.test(b) ? `${a} - ${b}` : `${a} - (${b})`;
}

function plusNumber(a: string, by: number): string {
  const [, head = a, sign = "+", number = "0"] = /^(?:(.*?) ([-+]) )?(\d+)$/.exec(a) ?? [];
  const isNumber = /^\d+$/.test(a);
  const sum = (isNumber ? Number(a) : sign === "-" ? -Number(number) : Number(number)) + by;
  if (isNumber) return String(sum);
  return sum === 0 ? head : `${head} ${sum < 0 ? "-" : "+"} ${Math.abs(sum)}`;
}
