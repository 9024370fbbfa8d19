// Repairs for two reads whose extents disagree: one of them may have two indices in the wrong
// order. Also the cells that a common range would leave out. Only messages use this file.
//
//   sum[in](X[row, in] * W[in, out])      X is 2 × 3, W is 2 × 3
//   W[out, in]                            with two indices of one read swapped every extent agrees
//   X[row, 2]                             `in in 0..2` leaves out this cell
//   X[i, j] - mu[j]                       X is 3 × 2, mu has 3 cells
//   mu[i]                                 `i` has the extent of `mu`: its index is changed first
//
// Only a message asks: right programs never come here.

import { textOf, type Span } from "../../base/source.ts";
import { constantOf, equal, plus, subtract, type Term } from "../../affine/term.ts";
import { asVariable } from "../../affine/agreeing.ts";
import { show } from "../../affine/show.ts";

/** One index of a read. */
interface IndexOfRead {
  readonly term: Term;
  readonly axis: () => { readonly extent?: Term | undefined };
  readonly tensor: string;
  readonly span: Span;
  /** All indices of the read, this one included. */
  readonly read?: readonly IndexOfRead[];
}

/** A read with other indices. */
interface Reread {
  /** "the other axis of `W` has extent 3, as `in` has in `X`" */
  readonly because: string;
  /** What the read then means: "reads `W` transposed". */
  readonly meaning: string;
  /** The corrected read, such as `W[out, in]`. */
  readonly text: string;
  readonly edits: readonly { readonly span: Span; readonly text: string }[];
}

/**
 * For each of two reads the swap with which all extents agree; that with fewer axes comes first, or
 * else the later.
 */
export function swapsThatFit(
  uses: readonly IndexOfRead[],
  [first, second]: readonly [IndexOfRead, IndexOfRead],
  same: (a: Term, b: Term) => boolean,
): readonly Reread[] {
  if (first.read === second.read) return [];
  const inOrder = [second, first].sort((a, b) => axesOf(a) - axesOf(b));
  return inOrder.flatMap((use): readonly Reread[] => {
    const { read = [], tensor } = use;
    const wanted = use === first ? second : first;
    const others = uses.filter((each) => each.read !== read);
    const partner = read.find((each) => each !== use && allAgree(others, read, [use, each], same));
    if (!partner || new Set(read.map(({ span }) => span)).size < read.length) return [];
    const texts = read.map((each) =>
      textOf((each === use ? partner : each === partner ? use : each).span),
    );
    const axis = read.length === 2 ? "the other axis" : `axis ${read.indexOf(partner)}`;
    return [
      {
        because:
          `${axis} of \`${tensor}\` has extent ${show(partner.axis().extent!)}, ` +
          `as \`${textOf(use.span)}\` has in \`${wanted.tensor}\``,
        meaning:
          read.length === 2
            ? `reads \`${tensor}\` transposed`
            : `exchanges two axes of \`${tensor}\``,
        text: `${tensor}[${texts.join(", ")}]`,
        edits: [
          { span: use.span, text: textOf(partner.span) },
          { span: partner.span, text: textOf(use.span) },
        ],
      },
    ];
  });
}

/**
 * Of two reads the one with fewer axes, at a coordinate whose extent it has: `mu[i]` for `mu[j]`.
 * Elsewhere in the statement that coordinate walks nothing of another extent.
 */
export function otherIndexThatFits(
  uses: readonly IndexOfRead[],
  both: readonly [IndexOfRead, IndexOfRead],
  same: (a: Term, b: Term) => boolean,
): Reread | undefined {
  const [use, wider] = axesOf(both[0]) < axesOf(both[1]) ? both : [both[1], both[0]];
  const extent = use.axis().extent;
  const read = use.read ?? [use];
  if (extent === undefined || axesOf(use) === axesOf(wider)) return undefined;
  const fits = (each: IndexOfRead): boolean => {
    const its = each.axis().extent;
    return its !== undefined && same(its, extent);
  };
  const other = wider.read!.find(
    (each) =>
      asVariable(each.term) !== undefined &&
      !equal(each.term, use.term) &&
      !read.some(({ term }) => equal(term, each.term)) &&
      uses.every((at) => !equal(at.term, each.term) || fits(at)),
  );
  if (!other) return undefined;
  const name = textOf(other.span);
  const text = cellAtPosition(use, name).slice(1, -1);
  const axis = read.length === 1 ? "" : `axis ${read.indexOf(use)} of `;
  const owner = `${axis}\`${use.tensor}\``;
  const because = `the extent of \`${name}\` is ${show(extent)}, as that of ${owner}`;
  const meaning = `reads ${owner} along \`${name}\``;
  return { because, meaning, text, edits: [{ span: use.span, text: name }] };
}

/** Whether every index agrees with what else it walks once two of a read have changed places. */
function allAgree(
  others: readonly IndexOfRead[],
  read: readonly IndexOfRead[],
  [a, b]: readonly [IndexOfRead, IndexOfRead],
  same: (a: Term, b: Term) => boolean,
): boolean {
  const extentOf = (each: IndexOfRead): Term | undefined =>
    (each === a ? b : each === b ? a : each).axis().extent;
  const all = [...others, ...read];
  return [a, b].every((index) => {
    const extent = extentOf(index);
    if (extent === undefined) return false;
    const cell = constantOf(index.term);
    if (cell !== undefined) return cell < (constantOf(extent) ?? 0);
    if (!asVariable(index.term)) return false;
    return all.every((each) => {
      const walkedExtent = equal(each.term, index.term) ? extentOf(each) : extent;
      return walkedExtent !== undefined && same(walkedExtent, extent);
    });
  });
}

function axesOf({ read }: IndexOfRead): number {
  return read?.length ?? 1;
}

/** "`x[3]`", "`x[3]` to `x[9]`": the cells behind a range that ends before the axis does. */
export function leftOut(use: IndexOfRead, from: Term): string | undefined {
  const to = use.axis().extent;
  if (to === undefined) return undefined;
  const cell = (at: Term): string => cellAtPosition(use, show(at));
  const last = cell(plus(to, -1));
  return constantOf(subtract(to, from)) === 1 ? last : `${cell(from)} to ${last}`;
}

/** The read with 0 in place of the index: "`a[0, j]`". */
export function firstCell(use: IndexOfRead): string {
  return cellAtPosition(use, "0");
}

function cellAtPosition(use: IndexOfRead, at: string): string {
  const texts = (use.read ?? [use]).flatMap((each, k, all) => {
    if (each === use) return [at];
    // A pack gives several indices with one span.
    return each.span === all[k - 1]?.span ? [] : [textOf(each.span)];
  });
  return `\`${use.tensor}[${texts.join(", ")}]\``;
}
