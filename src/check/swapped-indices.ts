// Two reads whose extents disagree: which of them may have its indices in another order than its
// axes, and which cells a common range leaves out.
//
//   sum[in](X[row, in] * W[in, out])      X is 2 × 3, W is 2 × 3
//   W[out, in]                            with two indices of one read swapped every extent agrees
//   X[row, 2]                             `in in 0..2` leaves out this cell
//   X[i, j] - mu[j]                       X is 3 × 2, mu has 3 cells
//   mu[i]                                 `i` has the extent of `mu`: its index is changed first
//
// Only a message asks: right programs never come here.

import { textOf, type Span } from "../base/source.ts";
import { constantOf, equal, ofVariable, plus, subtract, type Term } from "../affine/term.ts";
import { show } from "../affine/show.ts";
import { variablesOf } from "../affine/visit.ts";

/** One index of a read. */
export interface Placed {
  readonly term: Term;
  readonly axis: () => { readonly extent?: Term | undefined };
  readonly tensor: string;
  readonly span: Span;
  /** All indices of the read, this one among them. */
  readonly read?: readonly Placed[];
}

/** A read with other indices. */
export interface Reread {
  /** "the other axis of `W` has extent 3" */
  readonly because: string;
  /** `W[out, in]` */
  readonly text: string;
  readonly edits: readonly { readonly span: Span; readonly text: string }[];
}

/**
 * For each of two reads the swap with which all extents agree; that with fewer axes comes first, or
 * else the later.
 */
export function swapsThatFit(
  uses: readonly Placed[],
  [first, second]: readonly [Placed, Placed],
  same: (a: Term, b: Term) => boolean,
): readonly Reread[] {
  if (first.read === second.read) return [];
  const inOrder = [second, first].sort((a, b) => axesOf(a) - axesOf(b));
  return inOrder.flatMap((use): readonly Reread[] => {
    const { read = [], tensor } = use;
    const others = uses.filter((each) => each.read !== read);
    const partner = read.find((each) => each !== use && allAgree(others, read, [use, each], same));
    if (!partner || new Set(read.map(({ span }) => span)).size < read.length) return [];
    const texts = read.map((each) =>
      textOf((each === use ? partner : each === partner ? use : each).span),
    );
    const axis = read.length === 2 ? "the other axis" : `axis ${read.indexOf(partner)}`;
    return [
      {
        because: `${axis} of \`${tensor}\` has extent ${show(partner.axis().extent!)}`,
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
  uses: readonly Placed[],
  both: readonly [Placed, Placed],
  same: (a: Term, b: Term) => boolean,
): Reread | undefined {
  const [use, wider] = axesOf(both[0]) < axesOf(both[1]) ? both : [both[1], both[0]];
  const extent = use.axis().extent;
  const read = use.read ?? [use];
  if (extent === undefined || axesOf(use) === axesOf(wider)) return undefined;
  const fits = (each: Placed): boolean => {
    const its = each.axis().extent;
    return its !== undefined && same(its, extent);
  };
  const other = wider.read!.find(
    (each) =>
      isLoneCoordinate(each.term) &&
      !equal(each.term, use.term) &&
      !read.some(({ term }) => equal(term, each.term)) &&
      uses.every((at) => !equal(at.term, each.term) || fits(at)),
  );
  if (!other) return undefined;
  const name = textOf(other.span);
  const text = cellAtPosition(use, name).slice(1, -1);
  const because = `\`${name}\` has extent ${show(extent)}`;
  return { because, text, edits: [{ span: use.span, text: name }] };
}

/** Whether every index agrees with what else it walks once two of a read have changed places. */
function allAgree(
  others: readonly Placed[],
  read: readonly Placed[],
  [a, b]: readonly [Placed, Placed],
  same: (a: Term, b: Term) => boolean,
): boolean {
  const extentOf = (each: Placed): Term | undefined =>
    (each === a ? b : each === b ? a : each).axis().extent;
  const all = [...others, ...read];
  return [a, b].every((index) => {
    const extent = extentOf(index);
    if (extent === undefined) return false;
    const cell = constantOf(index.term);
    if (cell !== undefined) return cell < (constantOf(extent) ?? 0);
    if (!isLoneCoordinate(index.term)) return false;
    return all.every((each) => {
      const its = equal(each.term, index.term) ? extentOf(each) : extent;
      return its !== undefined && same(its, extent);
    });
  });
}

function axesOf({ read }: Placed): number {
  return read?.length ?? 1;
}

function isLoneCoordinate(term: Term): boolean {
  const [v, ...others] = variablesOf(term);
  return v !== undefined && others.length === 0 && equal(term, ofVariable(v));
}

/** "`x[3]`", "`x[3]` to `x[9]`": the cells behind a range that ends before the axis does. */
export function leftOut(use: Placed, from: Term): string | undefined {
  const to = use.axis().extent;
  if (to === undefined) return undefined;
  const cell = (at: Term): string => cellAtPosition(use, show(at));
  const last = cell(plus(to, -1));
  return constantOf(subtract(to, from)) === 1 ? last : `${cell(from)} to ${last}`;
}

/** "`a[0, j]`" */
export function firstCell(use: Placed): string {
  return cellAtPosition(use, "0");
}

function cellAtPosition(use: Placed, at: string): string {
  const texts = (use.read ?? [use]).flatMap((each, k, all) => {
    if (each === use) return [at];
    // A pack stands for several indices.
    return each.span === all[k - 1]?.span ? [] : [textOf(each.span)];
  });
  return `\`${use.tensor}[${texts.join(", ")}]\``;
}
