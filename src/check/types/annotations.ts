// Types as a program writes them, `[f32; n, 2]`, turned into types of the checker. An extent may be
// a number, an integer or constant in scope, a dimension name, or `?`.

import { fix, fixed, nearest, replace, write, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { elementTypes, isElementType } from "../../scalar/types.ts";
import { constant, constantOf, ofVariable } from "../../affine/term.ts";
import { show } from "../../affine/show.ts";
import { mustAgree } from "../statements/agree.ts";
import { extentVariable, report, type Place } from "../context.ts";
import { integerTerm } from "./integers.ts";
import { checkTypeArguments } from "../data/data.ts";
import { dataAt } from "../data/data-at.ts";
import { declaredType } from "./declared-types.ts";
import { anyExtent, withRank } from "../statements/open-ranks.ts";
import {
  declareDimension,
  dimensionNamed,
  lookUp,
  type DimensionBinding,
  type Scope,
} from "../names/scope.ts";
import type { Typed } from "./typed.ts";
import {
  element,
  isIntegerScalar,
  isScalar,
  known,
  scalar,
  settle,
  showType,
  tensor,
  wrong,
  type Axis,
  type TensorType,
  type Type,
} from "./types.ts";
import { expression } from "../elaborate.ts";

/** The axis for a dimension name that is not a number in scope. */
type DimensionRule = (name: ast.Name) => Axis | undefined;

/** A type outside of `input`. Its dimension names must be known. */
export function annotation(place: Place, type: ast.Type): Type {
  return typeFrom(place, type, (name) => {
    const dimension = dimensionNamed(place.scope, name.text);
    if (dimension) return dimensionAxis(dimension, name.span);
    if (lookUp(place.scope, name.text)?.kind === "wrong") return undefined;
    report(place, "E0201", `there is no dimension \`${name.text}\``, name.span, {
      help: "a dimension name is introduced by an `input` or a parameter; write `?` for any extent",
    });
    return undefined;
  });
}

/**
 * The declared type of a value. If the type leaves its rank open, the rank of the value decides.
 */
export function annotationFor(place: Place, type: ast.Type, value: Typed): Type {
  const rank = value.type.kind === "tensor" ? value.type.axes.length : undefined;
  return annotation(
    place,
    (rank === undefined ? undefined : withRank(type, rank, anyExtent)) ?? type,
  );
}

/** The type of an `input`. A name that stands for nothing becomes a dimension of the file. */
export function inputAnnotation(place: Place, type: ast.Type, file: Scope): Type {
  return typeFrom(place, type, (name) => {
    const binding = lookUp(place.scope, name.text);
    if (binding?.kind === "const" || (binding?.kind === "value" && isScalar(binding.type))) {
      report(
        place,
        "E0401",
        `\`${name.text}\` is not an integer and cannot be an extent`,
        name.span,
        {
          labels: [{ span: binding.span, text: "bound here" }],
        },
      );
      return undefined;
    }
    const known = dimensionNamed(place.scope, name.text);
    if (known) return dimensionAxis(known, name.span);
    if (binding?.kind === "wrong") return undefined;
    const extent = ofVariable(extentVariable(place.checker, name.text));
    const dimension: DimensionBinding = {
      kind: "dimension",
      name: name.text,
      span: name.span,
      extent,
      domain: {},
    };
    declareDimension(file, dimension);
    return dimensionAxis(dimension, name.span);
  });
}

function dimensionAxis({ name, extent, domain }: DimensionBinding, span: Span): Axis {
  return { name, extent, domain, origin: { span, text: `\`${name}\` is declared here` } };
}

function typeFrom(place: Place, type: ast.Type, dimension: DimensionRule): Type {
  switch (type.kind) {
    case "named":
      return dataType(place, type, dimension) ?? namedType(place, type);
    case "tensor": {
      const inner = typeFrom(place, type.element, dimension);
      // The axes come before the element type is judged, so that a wrong element type still
      // introduces dimension names.
      const axes = (type.dims ?? [{ kind: "unknown", span: type.span } as const]).map((dim) =>
        axisFrom(place, dim, dimension),
      );
      if (inner.kind === "data" || inner.kind === "tuple" || inner.kind === "function")
        return axes.every((axis) => axis !== undefined) ? { kind: "list", of: inner, axes } : wrong;
      if (inner.kind !== "tensor") {
        if (inner.kind !== "error") {
          report(
            place,
            "E0404",
            `the elements of an array are scalars or data, not ${showType(inner)}`,
            type.element.span,
          );
        }
        return wrong;
      }
      if (inner.axes.length > 0) {
        report(
          place,
          "E0404",
          "the elements of a tensor are scalars",
          type.element.span,
          repairNestedBrackets(type),
        );
        return wrong;
      }
      return axes.every((axis) => axis !== undefined) ? tensor(inner.element, axes) : wrong;
    }
    case "tuple":
      return {
        kind: "tuple",
        members: type.members.map((member) => typeFrom(place, member, dimension)),
      };
    case "function":
      return declaredType(place, type, new Map());
    case "jagged": {
      const inner = typeFrom(place, type.element, dimension);
      if (isScalar(inner)) return { kind: "jagged", element: inner.element, levels: 1 };
      if (inner.kind === "jagged") return { ...inner, levels: inner.levels + 1 };
      if (inner.kind !== "error")
        report(
          place,
          "E0404",
          `the rows of a jagged value hold scalars or ragged rows, not ${showType(inner)}`,
          type.element.span,
        );
      return wrong;
    }
    case "missing":
      return wrong;
    default:
      return type satisfies never;
  }
}

/** An enum or struct with its type arguments. */
function dataType(
  place: Place,
  type: Extract<ast.Type, { kind: "named" }>,
  dimension: DimensionRule,
): Type | undefined {
  const of = dataAt(place, { kind: "path", segments: type.path, span: type.span });
  if (of === "wrong") return wrong;
  if (!of) return undefined;
  if (!checkTypeArguments(place, of, type)) return wrong;
  const own = type.arguments.map((argument) => typeFrom(place, argument, dimension));
  return own.some((argument) => argument.kind === "error")
    ? wrong
    : { kind: "data", of, arguments: own };
}

/** Names that other languages have for the element types. */
const aliases: ReadonlyMap<string, string> = new Map([
  ...["float32", "single", "real"].map((name) => [name, "f32"] as const),
  ...["float64", "double"].map((name) => [name, "f64"] as const),
  ...["float16", "half"].map((name) => [name, "f16"] as const),
  ...["int32", "integer", "usize", "u32"].map((name) => [name, "i32"] as const),
  ...["int64", "long", "u64"].map((name) => [name, "i64"] as const),
  ...["int8", "u8", "byte"].map((name) => [name, "i8"] as const),
  ["bfloat16", "bf16"],
  ["boolean", "bool"],
  ["string", "str"],
]);

function namedType(place: Place, type: Extract<ast.Type, { kind: "named" }>): Type {
  const [name] = type.path;
  const text = name!.text;
  if (type.path.length === 1 && type.arguments.length === 0 && isElementType(text))
    return tensor(element(text), []);
  const cell = place.words?.get(text);
  if (cell) {
    const type = scalar(cell);
    settle(type);
    return type;
  }
  if (text === "float" || text === "int" || text === "num") {
    report(
      place,
      "E0404",
      `\`${text}\` stands for any such element type and belongs in a signature`,
      type.span,
      {
        help: `name one: \`${text === "int" ? "i32" : "f32"}\``,
        ...fixed(
          `write \`${text === "int" ? "i32" : "f32"}\``,
          replace(type.span, text === "int" ? "i32" : "f32"),
        ),
      },
    );
    return wrong;
  }
  const alias = aliases.get(text.toLowerCase());
  const known = [...elementTypes, ...typesInSight(place.scope)];
  const meant = alias ? write(name!.span, alias) : nearest(name!.span, text, known);
  report(place, "E0404", `there is no type \`${text}\``, type.span, meant ?? {});
  return wrong;
}

function* typesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) yield* at.types.keys();
}

function axisFrom(place: Place, dim: ast.Dim, dimension: DimensionRule): Axis | undefined {
  switch (dim.kind) {
    case "number":
      return {
        extent: constant(dim.value),
        domain: {},
        origin: { span: dim.span, text: `extent ${dim.value}` },
      };
    case "name":
      return numberInScope(place, dim.name) ?? dimension(dim.name);
    case "unknown":
      return {
        extent: ofVariable(extentVariable(place.checker, "?")),
        domain: {},
        origin: { span: dim.span, text: "any extent" },
      };
    case "pack":
    case "any-rank": {
      const shown = dim.kind === "pack" ? `..${dim.name.text}` : "*";
      report(place, "E0402", `nothing says how many axes \`${shown}\` stands for here`, dim.span, {
        help: "write one `?` for each axis, and at most one pack",
      });
      return undefined;
    }
    case "missing":
      return undefined;
    default:
      return dim satisfies never;
  }
}

/** The axis for a `const` or integer in scope, whose value is the extent. */
export function numberInScope(place: Place, name: ast.Name): Axis | undefined {
  const binding = lookUp(place.scope, name.text);
  if (binding?.kind !== "const" && !(binding?.kind === "value" && isIntegerScalar(binding.type)))
    return undefined;
  const value = expression(place, { kind: "path", segments: [name], span: name.span });
  if (!isIntegerScalar(value.type)) return undefined;
  const extent = integerTerm(place.checker, value);
  const known = constantOf(extent);
  const what =
    known === undefined
      ? "an integer"
      : `the ${binding.kind === "const" ? "constant" : "integer"} ${known}`;
  place.checker.taken.push({ name: name.text, at: name.span, declared: binding.span, what });
  return {
    name: name.text,
    extent,
    origin: { span: name.span, text: `\`${name.text}\` is ${show(extent)}` },
  };
}

/** The repair for nested brackets: `[[i32; 2]; 3]` becomes `[i32; 3, 2]`. */
function repairNestedBrackets(type: Extract<ast.Type, { kind: "tensor" }>): Repair {
  const dimsOf = (each: typeof type): string => {
    const { source, end } = each.span;
    const dims = source.text
      .slice(each.element.span.end, end - 1)
      .replace(/^\s*;/, "")
      .trim();
    return dims === "" ? "?" : dims;
  };
  let inner = type;
  const dims = [dimsOf(inner)];
  while (inner.element.kind === "tensor") {
    inner = inner.element;
    dims.push(dimsOf(inner));
  }
  const text = `[${textOf(inner.element.span)}; ${dims.join(", ")}]`;
  return {
    help: `write all extents in one bracket: \`${text}\``,
    ...fixed(`write \`${text}\``, replace(type.span, text)),
  };
}

/**
 * The repair for a wrong rank, as in `[[1, 2], [3, 4]] as [f32]`: `as f32` leaves the shape open,
 * and `as [f32; ?, ?]` states the rank of the value.
 */
function repairRank(
  { axes }: TensorType,
  { element: cell }: TensorType,
  span: Span,
): Repair | Record<string, never> {
  const type = known(cell);
  if (type === undefined) return {};
  const typeWithRank = axes.length === 0 ? type : `[${type}; ${axes.map(() => "?").join(", ")}]`;
  const isCast = /\bas\s*$/.test(span.source.text.slice(0, span.start));
  if (!isCast || axes.length === 0) return write(span, typeWithRank);
  return {
    help: `write \`as ${type}\`, or \`as ${typeWithRank}\` to say the rank`,
    fixes: [
      fix(`write \`as ${type}\``, replace(span, type)),
      fix(`write \`as ${typeWithRank}\``, replace(span, typeWithRank)),
    ],
  };
}

/**
 * The axes of a value under the names of its declared type. `undefined`, after a report, if the
 * shapes cannot agree.
 */
export function sameShape(
  place: Place,
  value: Typed,
  declared: TensorType,
  span: Span,
): readonly Axis[] | undefined {
  const actual = value.type as TensorType;
  const reportDifference = (repair: Repair | Record<string, never> = {}): undefined => {
    report(
      place,
      "E0411",
      `this is ${showType(actual)}, declared as ${showType(declared)}`,
      value.span,
      {
        labels: [{ span, text: "declared here" }],
        ...repair,
      },
    );
    return undefined;
  };
  if (actual.axes.length !== declared.axes.length)
    return reportDifference(repairRank(actual, declared, span));
  const agree = actual.axes.every((axis, k) =>
    mustAgree(
      place,
      axis,
      declared.axes[k]!,
      value.span,
      () => reportDifference(),
      `axis ${k} of \`${textOf(value.span)}\` and of its type \`${showType(declared)}\``,
    ),
  );
  if (!agree) return undefined;
  return actual.axes.map((axis, k) => ({
    ...axis,
    ...(declared.axes[k]!.name ? { name: declared.axes[k]!.name } : {}),
  }));
}
