// `a[i, j + 1]`: checks index brackets as they are written. `reads.ts` turns them into reads of
// cells.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { closest } from "../../diagnostics/suggest.ts";
import { fixed, remove, replace, type Repair } from "../../diagnostics/fixes.ts";
import { writtenSize } from "../types/written-size.ts";
import { subtract } from "../../affine/term.ts";
import { isInteger } from "../../scalar/types.ts";
import { coordinateValue, freeCoordinate } from "../ranges/coordinates.ts";
import { memberAdvice } from "../names/foreign.ts";
import { membersOf } from "../values/tuples.ts";
import { amongPositions, newFrame, refuse, wrongAt, type Place } from "../context.ts";
import { counted } from "../lints/count.ts";
import { integerTerm } from "../types/integers.ts";
import { forgottenEnd } from "../lints/forgotten-end.ts";
import { pathsIn } from "../names/free-names.ts";
import { isRow } from "../data/rows/rows-of.ts";
import { elementAt } from "../data/lists.ts";
import { characterHelp } from "../values/text-help.ts";
import { withDimensions } from "../lints/read-from-file.ts";
import { lookUp, type CoordinateBinding } from "../names/scope.ts";
import { windowOf } from "../values/tuples.ts";
import type { Binder, Typed, Reference } from "../types/typed.ts";
import {
  decided,
  element,
  isScalar,
  known,
  mayBe,
  showType,
  tensor,
  unify,
  type Axis,
  isText,
} from "../types/types.ts";
import { freshNames, indexable } from "../names/fresh-names.ts";
import { asComprehension, asGuard } from "../names/masks.ts";
import { readAt } from "../ranges/reads.ts";
import { expression } from "../elaborate.ts";
import { binderAlong } from "../ranges/ranges.ts";

export function accessOf(place: Place, e: ast.Index): Typed {
  const base = expression(place, e.base);
  if (base.kind === "wrong") {
    for (const item of e.items) if (item.kind === "expression") checkLostIndex(place, item.value);
    return base;
  }
  if (base.type.kind !== "tensor" && base.type.kind !== "list" && base.type.kind !== "jagged") {
    const members = base.type.kind === "tuple" ? (membersOf(base)?.length ?? 0) : 0;
    return refuse(place, "E0410", `${showType(base.type)} cannot be indexed`, e.base.span, {
      // Messages with the same first label are merged: one message for all reads of a name.
      labels:
        base.kind === "reference"
          ? [{ span: base.binding.span, text: `\`${base.binding.name}\` is declared here` }]
          : [],
      ...memberAdvice(e, members),
    });
  }
  // A row of ragged rows. A row with a name is an ordinary tensor.
  const isRagged = base.type.kind === "jagged" || (e.base.kind === "index" && isRow(base));
  const coordinate = isRagged ? coordinateIn(place, e) : undefined;
  if (coordinate) {
    return refuse(
      place,
      "E0416",
      `ragged rows are not read by coordinates such as \`${coordinate.text}\``,
      e.span,
      {
        labels: [{ span: coordinate.span, text: "a coordinate" }],
        help: "walk them in a comprehension: `[… | row in a, x in row]`",
      },
    );
  }

  if (e.items.length === 0) {
    return refuse(place, "E0402", "the brackets hold no index", e.span, {
      help: `write \`${textOf(e.base.span)}\` for all of it`,
      ...(place.statement
        ? {}
        : fixed(`write \`${textOf(e.base.span)}\``, remove({ ...e.span, start: e.base.span.end }))),
    });
  }
  if (base.kind === "integer" && e.base.kind === "path") {
    const name = textOf(e.base.span);
    return refuse(
      place,
      "E0402",
      `\`${name}\` is a coordinate here, and hides what else has that name`,
      e.base.span,
      {
        help: "give the coordinate another name",
      },
    );
  }
  const axes = base.type.kind === "jagged" ? [{}] : base.type.axes;
  const rank = axes.length;
  const items = indicesOfBracket(place, e, axes);
  if (!items) return wrongAt(e.span);
  if (isText(base.type))
    return refuse(place, "E0410", "a text cannot be indexed", e.span, { ...characterHelp(e) });
  if (items.length > rank && base.type.kind !== "jagged") {
    const forgotten = forgottenEnd(place, e.base.span, e.span);
    if (forgotten) return forgotten;
    const named = textOf(e.base.span);
    return refuse(
      place,
      "E0402",
      `\`${named}\` has rank ${rank} and is read with ${counted(items.length, "index", "indices")}`,
      e.span,
      {
        labels:
          base.kind === "reference"
            ? [{ span: base.binding.span, text: `\`${named}\` is ${showType(base.type)}` }]
            : [],
        ...(base.kind === "reference" ? repairOfRank(place, base.binding, items.length) : {}),
      },
    );
  }
  const binders: Binder[] = [];
  const indices = items.map((item) => {
    switch (item.kind) {
      case "coordinate":
        return coordinateValue(item.binding, item.span);
      case "whole": {
        const binder = binderAlong(item.axis, item.span);
        binders.push(binder);
        return coordinateValue(
          { kind: "coordinate", name: binder.name, span: item.span, binder },
          item.span,
        );
      }
      case "expression":
        return indexOf(place, item.value, base, { whole: e, axis: items.indexOf(item) });
      default:
        return item satisfies never;
    }
  });
  if (indices.some((index) => index.kind === "wrong")) return wrongAt(e.span);
  const spans = items.map((item) => item.span);
  const isWhole = base.type.kind === "tensor" && !windowOf(base);
  const read = (isWhole ? readAt : elementAt)(place, base, indices, e.span, spans);
  if (binders.length === 0 || read.type.kind !== "tensor") return read;
  const whole = items.flatMap((item) => (item.kind === "whole" ? [item.axis] : []));
  const type = tensor(read.type.element, [...whole, ...read.type.axes]);
  return { kind: "abstract", binders, body: read, type, span: e.span };
}

/**
 * The repair for an input that is read with more indices than it has axes: declare more dimensions.
 */
function repairOfRank({ checker }: Place, binding: Reference["binding"], rank: number): Repair {
  if (binding.kind !== "value" || binding.role !== "input") return {};
  if (binding.span.source !== checker.root && checker.root) return {};
  const declared = withDimensions(binding.span, rank);
  return declared
    ? {
        help: `declare \`${binding.name}: ${declared.text}\``,
        ...fixed(`declare \`${declared.text}\``, replace(declared.at, declared.text)),
      }
    : {};
}

/** A coordinate that an index mentions. */
function coordinateIn(place: Place, e: ast.Index): ast.Name | undefined {
  const names = e.items.flatMap((item) =>
    item.kind === "expression"
      ? pathsIn(item).flatMap(({ segments }) => (segments.length === 1 ? segments : []))
      : [],
  );
  return names.find((name) => lookUp(place.scope, name.text)?.kind === "coordinate");
}

/** The index expression around an index, and the axis of the index. */
interface Indexed {
  readonly whole: ast.Index;
  readonly axis: number;
}

function indexOf(place: Place, e: ast.Expression, base: Typed, { whole, axis }: Indexed): Typed {
  if (e.kind === "path" && e.segments.length === 1) {
    const name = e.segments[0]!;
    const binding = lookUp(place.scope, name.text);
    if (!binding || binding.kind === "dimension") return freeCoordinate(place, name);
  }
  const fraction = e.kind === "binary" ? fractionIn(e) : undefined;
  if (fraction) {
    return refuse(place, "E0401", "an index must be an integer, and this adds a fraction", e.span, {
      labels: [{ span: fraction.span, text: "a float" }],
      help: `round what is computed: \`${textOf(base.span)}[floor(${asFloats(e)}) as i32]\``,
      ...fixed("round what is computed", replace(e.span, `floor(${asFloats(e)}) as i32`)),
    });
  }
  const index = expression(amongPositions(place), e);
  if (index.kind === "wrong") return index;
  const tensorText = textOf(base.span);
  if (index.kind === "range") {
    return refuse(place, "E0312", "a range cannot be an index", e.span, {
      help: `name the coordinate: \`${sliceText(place, index, tensorText)}\``,
    });
  }
  if (!isScalar(index.type)) {
    const mask = index.type.kind === "tensor" && decided(index.type.element) === "bool";
    const at = freshNames(1, `${tensorText} ${textOf(e.span)}`, "kijmn")[0]!;
    return refuse(
      place,
      "E0312",
      `an index is one integer, this is ${showType(index.type)}`,
      e.span,
      {
        ...(index.type.kind !== "tensor"
          ? {}
          : mask
            ? (asGuard(place, whole) ?? asComprehension(place, whole))
            : helpForTensorIndex(place, e, whole, at)),
      },
    );
  }
  const cell = index.type.element;
  if (!mayBe(cell, isInteger)) {
    const cast = `${castableText(e)} as i32`;
    const isMask = decided(cell) === "bool";
    const chosen = isMask ? (asGuard(place, whole) ?? asComprehension(place, whole)) : undefined;
    return refuse(place, "E0401", `an index must be an integer, this is ${decided(cell)}`, e.span, {
      ...(chosen ?? {
        help: `write \`${tensorText}[${cast}]\``,
        ...fixed(`write \`${cast}\``, replace(e.span, cast)),
      }),
    });
  }
  // The element type of a name that is declared further down is still open; its use as an index
  // makes it an integer.
  if (!known(cell)) unify(cell, element("i32"));
  if (index.kind === "constant" && (index.value as number) < 0) {
    const size = axis === 0 ? `len(${tensorText})` : `${tensorText}.shape[${axis}]`;
    const last = `${size} - ${-(index.value as number)}`;
    const shown = whole.items.map((item, k) => (k === axis ? last : textOf(item.span))).join(", ");
    return refuse(place, "E0313", "an index is never negative", e.span, {
      help:
        `${index.value === -1 ? "for the last element" : "counted from the end,"} write ` +
        `\`${tensorText}[${shown}]\``,
      ...fixed(`write \`${last}\``, replace(e.span, last)),
    });
  }
  return index;
}

/** A float literal among the summands and factors of an index: `0.5` in `i + 0.5`. */
function fractionIn(e: ast.Expression): ast.NumberLiteral | undefined {
  if (e.kind === "number") return e.float ? e : undefined;
  return e.kind === "binary" && e.operator in arithmetic
    ? (fractionIn(e.left) ?? fractionIn(e.right))
    : undefined;
}

const arithmetic = { "+": true, "-": true, "*": true, "/": true };

/** The text of the same arithmetic on floats: `i as f32 + 0.5`. */
function asFloats(e: ast.Expression): string {
  if (e.kind === "binary" && e.operator in arithmetic)
    return `${asFloats(e.left)} ${e.operator} ${asFloats(e.right)}`;
  return e.kind === "number"
    ? e.float
      ? textOf(e.span)
      : `${textOf(e.span)}.0`
    : `${castableText(e)} as f32`;
}

/** A slice as an indexed `let`: `let y[i in 0..2] = x[i + 1];`. */
function sliceText(
  { checker }: Place,
  range: Extract<Typed, { kind: "range" }>,
  tensorText: string,
): string {
  const from = integerTerm(checker, range.from);
  const size = writtenSize(checker.extents, subtract(integerTerm(checker, range.to), from)) ?? "n";
  const shift = writtenSize(checker.extents, from) ?? "m";
  return `let y[i in 0..${size}] = ${tensorText}[${shift === "0" ? "i" : `i + ${shift}`}];`;
}

function castableText(e: ast.Expression): string {
  return e.kind === "binary" ? `(${textOf(e.span)})` : textOf(e.span);
}

type IndexSource =
  | { readonly kind: "expression"; readonly value: ast.Expression; readonly span: Span }
  | { readonly kind: "coordinate"; readonly binding: CoordinateBinding; readonly span: Span }
  | { readonly kind: "whole"; readonly axis: Axis; readonly span: Span };

/**
 * The indices of a bracket, one for each axis. A pack `..b` gives its coordinates, and a pin `kind
 * = 1` goes to the axis with its name.
 */
function indicesOfBracket(
  place: Place,
  e: ast.Index,
  all: readonly Axis[],
): readonly IndexSource[] | undefined {
  const items: IndexSource[] = [];
  const pins = new Map<number, IndexSource>();
  for (const item of e.items) {
    switch (item.kind) {
      case "expression":
        items.push(item);
        break;
      case "pack": {
        const pack = lookUp(place.scope, `..${item.name.text}`);
        if (pack?.kind !== "pack") {
          freeCoordinate(place, { text: `..${item.name.text}`, span: item.span });
          return undefined;
        }
        for (const coordinate of pack.coordinates) {
          items.push({ kind: "coordinate", binding: coordinate, span: item.span });
        }
        break;
      }
      case "pin": {
        const axes = all.flatMap((axis, k) => (axis.name === item.name.text ? [k] : []));
        if (axes.length !== 1) {
          refuse(
            place,
            "E0303",
            axes.length === 0
              ? `there is no axis \`${item.name.text}\` here`
              : `\`${item.name.text}\` names several axes`,
            item.span,
            {
              ...(axes.length === 0
                ? nearestAxis(item, all)
                : { help: "a name that occurs twice is addressed by position" }),
            },
          );
          return undefined;
        }
        pins.set(axes[0]!, { kind: "expression", value: item.value, span: item.span });
        break;
      }
      default:
        return item satisfies never;
    }
  }
  if (pins.size === 0) return items;
  const result: IndexSource[] = [];
  // An axis without an index before the last pin stays whole.
  const total = Math.max(items.length + pins.size, ...[...pins.keys()].map((k) => k + 1));
  for (let k = 0; k < total; k++) {
    const pinned = pins.get(k);
    const next = pinned ?? items.shift();
    result.push(next ?? { kind: "whole", axis: all[k]!, span: e.span });
  }
  return result;
}

/** The repair for a pin whose axis does not exist: the nearest name, or a list of the names. */
function nearestAxis(
  { name, value }: Extract<ast.IndexItem, { kind: "pin" }>,
  axes: readonly Axis[],
): Repair {
  const names = axes.flatMap((axis) => axis.name ?? []);
  const near = closest(name.text, names);
  if (near !== undefined) {
    const pinned = `${near} = ${textOf(value.span)}`;
    const help = `did you mean \`${pinned}\`?`;
    return { help, ...fixed(`write \`${pinned}\``, replace(name.span, near)) };
  }
  if (names.length === 0) return { help: "its axes have no names: index them by position" };
  const all = names.map((each) => `\`${each}\``).join(", ");
  return { help: `the axes that have names are ${all}` };
}

/** The help for `x[idx]`: a `let` that gathers. */
function helpForTensorIndex(place: Place, e: ast.Expression, whole: ast.Index, at: string): Repair {
  const text = textOf(whole.base.span);
  const isSole = whole.items.length === 1;
  const gathered = `[${text}[${at}] | ${at} in ${textOf(e.span)}]`;
  const isFlat = isSole && !place.indexed && !place.statement;
  return {
    help: `write \`let y[${at}] = ${text}[${indexable(e)}[${at}]];\``,
    ...(isFlat ? fixed(`write \`${gathered}\``, replace(whole.span, gathered)) : {}),
  };
}

/** Checks the indices of a base that is wrong, so that mistakes with names are still reported. */
function checkLostIndex(place: Place, e: ast.Expression): void {
  if (e.kind !== "path") expression({ ...place, frame: newFrame() }, e);
  else if (place.indexed && e.segments.length === 1 && !lookUp(place.scope, e.segments[0]!.text))
    freeCoordinate(place, e.segments[0]!);
}
