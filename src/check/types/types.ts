// The types of checked expressions: element types that may still be open, tensors with named axes,
// and the few others.

import { textOf, type Span } from "../../base/source.ts";
import { isFloat, isInteger, isNumeric, type ElementType } from "../../scalar/types.ts";
import { show } from "../../affine/show.ts";
import { type Term, constantOf } from "../../affine/term.ts";
import type { RowsPart } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { counted } from "../lints/count.ts";
import type { DataBinding, Scope } from "../names/scope.ts";

/**
 * An element type that unification may still decide. A literal starts out with `literal` set and no
 * `known`: an integer literal fits every numeric type, a float literal every float type.
 */
export interface Element {
  link?: Element;
  known?: ElementType;
  literal?: "integer" | "float";
  /**
   * Of the result of a recursive function whose body is being checked: a name for it decides
   * nothing yet.
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

/** Where a chain of cells ends; it is half as long the next time. */
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

/**
 * The element type; what is still open becomes the default: `i32` for integer literals, else `f32`.
 */
export function decided(cell: Element): ElementType {
  const at = root(cell);
  return at.known ?? (at.literal === "integer" ? "i32" : "f32");
}

/** Decides what is still open, as for a value that gets a name. */
export function settle(type: Type): void {
  if (type.kind === "tuple") type.members.forEach(settle);
  if (type.kind === "data") type.arguments.forEach(settle);
  if (type.kind === "list") settle(type.of);
  if (type.kind === "jagged") settle(scalar(type.element));
  if (type.kind !== "tensor") return;
  const at = root(type.element);
  if (!at.waiting) at.known ??= decided(at);
}

/** The result of a recursive function, before and after its body has been checked. */
export function waitingElement(): Element {
  return { waiting: true };
}

export function waitNoMore(cell: Element): void {
  root(cell).waiting = false;
}

/** Can this element be of a type that satisfies the predicate? */
export function mayBe(cell: Element, accepts: (type: ElementType) => boolean): boolean {
  const at = root(cell);
  if (at.known) return accepts(at.known);
  if (at.literal === "float") return accepts("f32") || accepts("f64");
  return accepts("i32") || accepts("f32");
}

/** Makes the two one; false if they cannot be. */
export function unify(left: Element, right: Element): boolean {
  const a = root(left);
  const b = root(right);
  if (a === b) return true;
  if (a.known && b.known) return a.known === b.known;
  const [open, other] = a.known ? [b, a] : [a, b];
  if (other.known) {
    if (!fits(open, other.known)) return false;
  } else if (open.literal === "float") {
    other.literal = "float";
  } else if (open.literal && !other.literal) {
    other.literal = open.literal;
  }
  if (open.waiting) other.waiting = true;
  open.link = other;
  return true;
}

function fits(open: Element, type: ElementType): boolean {
  if (open.literal === "integer") return isNumeric(type);
  if (open.literal === "float") return isFloat(type);
  return true;
}

// ── tensors ─────────────────────────────────────────────────────────────────────────────────────

/** Where an extent comes from, for messages. */
export interface Origin {
  readonly span: Span;
  readonly text: string;
}

/**
 * What axes share that are walked by one coordinate or declared with one dimension name. Merged by
 * union.
 */
export interface Domain {
  merged?: Domain;
}

export function domainRoot(domain: Domain): Domain {
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
  /** Absent while the declaration that decides it is still being read. */
  readonly extent?: Term;
  readonly origin?: Origin;
  readonly rows?: RowsPart;
  /**
   * As long as an argument happens to be, where no type says how long: another call may give
   * another length.
   */
  readonly given?: true;
}

/** Rank 0 is a scalar. */
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
  /** Of a payload that a value does not have: fits everything. */
  | { readonly kind: "absent" }
  /** The type of `a..b`: what a range may stand for is decided by its context. */
  | { readonly kind: "range" }
  | { readonly kind: "unit" }
  /** Of an expression that already has a diagnostic: fits everything, says nothing more. */
  | { readonly kind: "error" };

/** Of a lambda, or of a function used as a value. */
export interface FunctionType {
  readonly kind: "function";
  readonly arity: number;
  /** What it takes and gives, where that is declared: without it, each call says. */
  readonly declared?: DeclaredFunction;
}

/** A function type as it is written, and what the names in it mean there. */
export interface DeclaredFunction {
  readonly type: Extract<ast.Type, { kind: "function" }>;
  readonly scope: Scope;
  readonly generics: ReadonlyMap<string, Type>;
}

/** An enum or struct; type arguments that nothing has decided yet are absent. */
export interface DataType {
  readonly kind: "data";
  readonly of: DataBinding;
  readonly arguments: readonly Type[];
}

/** An array of tuples, structs or enums: a tensor for each part. */
export interface ListType {
  readonly kind: "list";
  readonly of: Type;
  readonly axes: readonly Axis[];
}

/** Ragged rows: where each begins, level after level, and all of them one after another. */
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

/** Inside another type a function is written like one too. */
function showPart(type: Type): string {
  if (type.kind !== "function" || type.declared) return showType(type);
  return `(${Array.from({ length: type.arity }, () => "_").join(", ")}) -> _`;
}

/** `jagged[jagged[i32]]` of rows that are ragged themselves. */
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

/** Made of parts that live at compile time. */
export function isCompound(type: Type): boolean {
  return (
    type.kind === "tuple" || type.kind === "data" || type.kind === "list" || type.kind === "jagged"
  );
}

/** `[]`, of which nothing has said what it has none of. */
export function isNothing(type: Type): boolean {
  if (type.kind !== "tensor" || type.axes.length !== 1 || known(type.element)) return false;
  const { extent } = type.axes[0]!;
  return extent !== undefined && constantOf(extent) === 0;
}
