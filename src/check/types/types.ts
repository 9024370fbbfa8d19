// This folder holds types and the typed expressions, and the rules by which types are read,
// compared and shown; it elaborates no operations or calls. This file defines the types: element
// types that may still be open, tensors with named axes, tuples, data, lists, ragged rows and
// functions.

import { textOf, type Span } from "../../base/source.ts";
import { isFloat, isInteger, isNumeric, type ElementType } from "../../scalar/types.ts";
import { show } from "../../affine/show.ts";
import { type Term, constantOf } from "../../affine/term.ts";
import type { RowsPart } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { counted } from "../lints/count.ts";
import type { DataBinding, Scope } from "../names/scope.ts";

/**
 * An element type that unification may still decide. A literal begins with `literal` and without
 * `known`. An integer literal fits every numeric type, a float literal every float type:
 *
 *   let y: f64 = 2;   // the literal `2` becomes an f64
 */
export interface Element {
  link?: Element;
  known?: ElementType;
  literal?: "integer" | "float";
  /**
   * True for the result of a recursive function while its body is being checked. Binding the result
   * to a name does not decide the type then.
   */
  waiting?: boolean;
}

export function element(known: ElementType): Element {
  return { known };
}

export function openElement(): Element {
  return {};
}

export function literalElement(literal: "integer" | "float"): Element {
  return { literal };
}

/** The end of a chain of links. Halves the chain on the way (union-find with path halving). */
function root(cell: Element): Element {
  let at = cell;
  while (at.link) {
    at.link = at.link.link ?? at.link;
    at = at.link;
  }
  return at;
}

/** The element type, if it is decided. */
export function known(cell: Element): ElementType | undefined {
  return root(cell).known;
}

/** The element type. An open one is the default: `i32` for integer literals, `f32` otherwise. */
export function decided(cell: Element): ElementType {
  const at = root(cell);
  return at.known ?? (at.literal === "integer" ? "i32" : "f32");
}

/** Decides open element types by their defaults, as a `let` does for its value. */
export function settle(type: Type): void {
  if (type.kind === "tuple") type.members.forEach(settle);
  if (type.kind === "data") type.arguments.forEach(settle);
  if (type.kind === "list") settle(type.of);
  if (type.kind === "jagged") settle(scalar(type.element));
  if (type.kind !== "tensor") return;
  const at = root(type.element);
  if (!at.waiting) at.known ??= decided(at);
}

/** An element type that stays open until the body of a recursive function has been checked. */
export function waitingElement(): Element {
  return { waiting: true };
}

export function waitNoMore(cell: Element): void {
  root(cell).waiting = false;
}

/** Whether the element type is, or can become, a type that `accepts` allows. */
export function mayBe(cell: Element, accepts: (type: ElementType) => boolean): boolean {
  const at = root(cell);
  if (at.known) return accepts(at.known);
  if (at.literal === "float") return accepts("f32") || accepts("f64");
  return accepts("i32") || accepts("f32");
}

/** Makes two element types equal. False if they cannot be equal. */
export function unify(left: Element, right: Element): boolean {
  const a = root(left);
  const b = root(right);
  if (a === b) return true;
  if (a.known && b.known) return a.known === b.known;
  const [open, other] = a.known ? [b, a] : [a, b];
  if (other.known) {
    if (!literalFits(open, other.known)) return false;
  } else if (open.literal === "float") {
    other.literal = "float";
  } else if (open.literal && !other.literal) {
    other.literal = open.literal;
  }
  if (open.waiting) other.waiting = true;
  open.link = other;
  return true;
}

function literalFits(open: Element, type: ElementType): boolean {
  if (open.literal === "integer") return isNumeric(type);
  if (open.literal === "float") return isFloat(type);
  return true;
}

// ── tensors ─────────────────────────────────────────────────────────────────────────────────────

/** The place that determines an extent, for messages. */
interface Origin {
  readonly span: Span;
  readonly text: string;
}

/**
 * An identity that axes share if one coordinate walks them or one dimension name declares them. Two
 * domains merge as sets do in union-find.
 */
export interface Domain {
  merged?: Domain;
}

function domainRoot(domain: Domain): Domain {
  let at = domain;
  while (at.merged) at = at.merged;
  return at;
}

export function sameDomain(a: Domain | undefined, b: Domain | undefined): boolean {
  return a !== undefined && b !== undefined && domainRoot(a) === domainRoot(b);
}

export function mergeDomains(a: Domain, b: Domain): void {
  const [from, into] = [domainRoot(a), domainRoot(b)];
  if (from !== into) from.merged = into;
}

export interface Axis {
  readonly name?: string;
  readonly domain?: Domain;
  /** Absent while the declaration that determines it is being checked. */
  readonly extent?: Term;
  readonly origin?: Origin;
  readonly rows?: RowsPart;
  /**
   * True if only the argument of this call determines the length. Another call may give another
   * length.
   */
  readonly given?: true;
}

/** A tensor type. A scalar has rank 0. */
export interface TensorType {
  readonly kind: "tensor";
  readonly element: Element;
  readonly axes: readonly Axis[];
}

export type Type =
  | TensorType
  | { readonly kind: "tuple"; readonly members: readonly Type[] }
  | DataType
  | ListType
  | JaggedType
  | FunctionType
  /** The type of a payload that a value lacks. It fits every type. */
  | { readonly kind: "absent" }
  /** The type of `a..b`. The context decides what a range stands for. */
  | { readonly kind: "range" }
  | { readonly kind: "unit" }
  /**
   * The type of an expression that has a diagnostic. It fits every type and causes no further
   * reports.
   */
  | { readonly kind: "error" };

/** The type of a lambda, or of a function used as a value. */
interface FunctionType {
  readonly kind: "function";
  readonly arity: number;
  /** The declared parameters and result. Without a declaration, each call determines them. */
  readonly declared?: DeclaredFunction;
}

/** A written function type, with the scope of its names. */
export interface DeclaredFunction {
  readonly type: Extract<ast.Type, { kind: "function" }>;
  readonly scope: Scope;
  readonly generics: ReadonlyMap<string, Type>;
}

/** An enum or struct. Unknown type arguments are absent. */
export interface DataType {
  readonly kind: "data";
  readonly of: DataBinding;
  readonly arguments: readonly Type[];
}

/** An array of tuples, structs or enums. It is stored as one tensor for each part. */
export interface ListType {
  readonly kind: "list";
  readonly of: Type;
  readonly axes: readonly Axis[];
}

/**
 * Ragged rows. They are stored as the start of each row, level after level, and the elements of all
 * rows in one sequence.
 */
export interface JaggedType {
  readonly kind: "jagged";
  readonly element: Element;
  readonly levels: number;
}

export const unit: Type = { kind: "unit" };
export const wrong: Type = { kind: "error" };

export function scalar(cell: Element | ElementType): TensorType {
  return { kind: "tensor", element: typeof cell === "string" ? element(cell) : cell, axes: [] };
}

export function tensor(cell: Element, axes: readonly Axis[]): TensorType {
  return { kind: "tensor", element: cell, axes };
}

export function isScalar(type: Type): type is TensorType & { readonly axes: readonly [] } {
  return type.kind === "tensor" && type.axes.length === 0;
}

export function isIntegerScalar(type: Type): boolean {
  return isScalar(type) && mayBe(type.element, isInteger);
}

export function showType(type: Type): string {
  switch (type.kind) {
    case "tensor": {
      const name = showElement(type.element);
      return type.axes.length === 0 ? name : `[${name}; ${type.axes.map(showAxis).join(", ")}]`;
    }
    case "tuple":
      return `(${type.members.map(showPart).join(", ")})`;
    case "data": {
      const own = type.arguments.map(showPart);
      return own.length === 0 ? type.of.name : `${type.of.name}<${own.join(", ")}>`;
    }
    case "list":
      return `[${showPart(type.of)}; ${type.axes.map(showAxis).join(", ")}]`;
    case "jagged":
      return showRagged(type);
    case "function":
      return type.declared
        ? textOf(type.declared.type.span)
        : `a function of ${counted(type.arity, "argument")}`;
    case "absent":
      return "_";
    case "range":
      return "range";
    case "unit":
      return "nothing";
    case "error":
      return "?";
    default:
      return type satisfies never;
  }
}

/** A type inside another one. A function type without a declaration is shown as `(_, _) -> _`. */
function showPart(type: Type): string {
  if (type.kind !== "function" || type.declared) return showType(type);
  return `(${Array.from({ length: type.arity }, () => "_").join(", ")}) -> _`;
}

/** The type of ragged rows with that many levels: `jagged[jagged[i32]]` for two. */
export function showRagged({ element: cell, levels }: JaggedType): string {
  return `${"jagged[".repeat(levels)}${showElement(cell)}${"]".repeat(levels)}`;
}

export function showElement(cell: Element): string {
  return decided(cell);
}

function showAxis(axis: Axis): string {
  return axis.extent ? show(axis.extent) : "?";
}

export function isText(type: Type): boolean {
  return type.kind === "tensor" && type.axes.length === 0 && known(type.element) === "str";
}

/** Whether values of a type consist of several parts when compiling. */
export function isCompound(type: Type): boolean {
  return (
    type.kind === "tuple" || type.kind === "data" || type.kind === "list" || type.kind === "jagged"
  );
}

/** Whether a type is that of `[]` with an unknown element type. */
export function isNothing(type: Type): boolean {
  if (type.kind !== "tensor" || type.axes.length !== 1 || known(type.element)) return false;
  const { extent } = type.axes[0]!;
  return extent !== undefined && constantOf(extent) === 0;
}
