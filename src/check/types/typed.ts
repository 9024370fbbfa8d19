// The checked program: the syntax tree with every name resolved, every coordinate bound to a range
// and every expression typed. Tensor-valued expressions are still whole here; the normaliser gives
// them indices.

import type { ReductionName } from "../../scalar/reductions.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type { Scalar } from "../../scalar/types.ts";
import type { TextMethod } from "../../scalar/texts.ts";
import type { Term, Variable } from "../../affine/term.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import type { DataFunction, Layout } from "../../scalar/data.ts";
import type { Agreement } from "../../affine/agreement.ts";
import type { Place } from "../context.ts";
import type { FunctionBinding } from "../names/scope.ts";
import type { Domain, Element, TensorType, Type } from "./types.ts";
import type { BoxedForm } from "../data/form.ts";

interface Node {
  readonly type: Type;
  readonly span: Span;
}

export type Typed =
  | Constant
  | Integer
  | Reference
  | Read
  | Apply
  | Cast
  | Select
  | Reduce
  | Abstract
  | Block
  | ArrayOf
  | Text
  | TextCall
  | TupleOf
  | Call
  | DataCall
  | Boxed
  | Kept
  | Accepted
  | Cells
  | Closure
  | Functions
  | Absent
  | Request
  | Ruled
  | RangeOf
  | Wrong;

/** A literal. Its number is converted to the element type once that is decided. */
export interface Constant extends Node {
  readonly kind: "constant";
  readonly value: Scalar;
  readonly type: TensorType;
}

/** An `i32` that the solver understands as it stands: a coordinate, an extent. */
export interface Integer extends Node {
  readonly kind: "integer";
  readonly term: Term;
  readonly type: TensorType;
}

export interface Reference extends Node {
  readonly kind: "reference";
  readonly binding: ValueBinding | TensorBinding;
}

/** `base[indices]`; fewer indices than the rank give a sub-tensor. */
export interface Read extends Node {
  readonly kind: "read";
  readonly base: Typed;
  readonly indices: readonly Typed[];
  readonly type: TensorType;
}

/** A scalar operation, elementwise where an operand is a tensor. */
export interface Apply extends Node {
  readonly kind: "apply";
  readonly operation: OperationName;
  readonly operands: readonly Typed[];
  /** In a function that makes arrays: extents that have to agree where it is computed. */
  readonly agreements?: readonly Agreement[];
  readonly type: TensorType;
}

export interface Cast extends Node {
  readonly kind: "cast";
  readonly operand: Typed;
  readonly type: TensorType;
}

/** `if`: only the taken branch is evaluated. */
export interface Select extends Node {
  readonly kind: "select";
  readonly condition: Typed;
  readonly then: Typed;
  readonly otherwise: Typed;
}

export interface Reduce extends Node {
  readonly kind: "reduce";
  readonly reduction: ReductionName;
  readonly binders: readonly Binder[];
  readonly items: readonly Item[];
  readonly body: Typed;
  readonly type: TensorType;
}

/** The tensor whose cell at the binders is `body`. */
export interface Abstract extends Node {
  readonly kind: "abstract";
  readonly binders: readonly Binder[];
  readonly body: Typed;
  /** Where its cells lie, if they are some elements of another tensor. */
  readonly window?: Window;
  readonly type: TensorType;
}

/** `length` elements of a tensor along its first axis; both numbers are `i32`. */
export interface Window {
  readonly base: Typed;
  readonly from: Typed;
  readonly length: Typed;
}

/** Local bindings, in order, and a value. */
export interface Block extends Node {
  readonly kind: "block";
  readonly bindings: readonly (ValueBinding | TensorBinding)[];
  readonly value: Typed;
  /** The value of a function of the library: the call in the program that it is of. */
  readonly call?: Span;
}

export interface ArrayOf extends Node {
  readonly kind: "array";
  readonly elements: readonly Typed[];
  readonly type: TensorType;
}

/** A string with interpolated values. */
export interface Text extends Node {
  readonly kind: "text";
  readonly parts: readonly TextPart[];
  /** The type of a value, as `typeof` says it. */
  readonly isType?: true;
}

export type TextPart =
  | string
  /** `whole` is the text that shows a value which is no scalar: `print` shows the value itself. */
  | { readonly value: Typed; readonly format?: string; readonly whole?: Typed }
  /** `print(@y)`: the tangent equation; `print(@y / @x)`: the derived program. */
  | {
      readonly derivation: {
        readonly of: Typed;
        readonly wrt?: ValueBinding | TensorBinding;
        readonly names?: readonly (string | undefined)[];
      };
    };

/** A method of a string that is only made when the program runs. */
export interface TextCall extends Node {
  readonly kind: "text-call";
  readonly method: TextMethod;
  readonly operands: readonly Typed[];
  readonly type: TensorType;
}

/** A tuple; a struct by its fields; an enum by its tag and the payloads of all its variants. */
export interface TupleOf extends Node {
  readonly kind: "tuple";
  readonly members: readonly Typed[];
}

/**
 * One result of calling a function that stays one, because it is recursive. The results of one call
 * share its invocation.
 */
export interface Call extends Node {
  readonly kind: "call";
  readonly invocation: Invocation;
  readonly member: number;
  readonly type: TensorType;
}

export interface Invocation {
  readonly function: Instance;
  readonly arguments: readonly Typed[];
}

/** A recursive function for arguments of certain types. */
export interface Instance {
  readonly name: string;
  readonly parameters: readonly ValueBinding[];
  /** Open until the body has been checked. */
  readonly results: readonly Element[];
  /** One scalar for each result. */
  body: readonly Typed[];
  /** Extents of its arguments that have to agree. */
  readonly agreements: readonly Agreement[];
  /** What it prints and asserts, itself and in the functions that it calls, in order. */
  effects: readonly Effect[];
  /** How its results move with its float parameters, where the program says so. */
  rule?: InstanceRule;
  failed: boolean;
  readonly span: Span;
}

export interface InstanceRule {
  /** One for each float parameter, in order. */
  readonly tangents: readonly ValueBinding[];
  /** One scalar for each result. */
  readonly body: readonly Typed[];
  readonly surrogate: boolean;
  readonly span: Span;
}

/**
 * A struct or enum by reference, of type `data`, or something about one; `member` is which scalar
 * `part` gives.
 */
export interface DataCall extends Node {
  readonly kind: "data";
  readonly function: DataFunction;
  readonly operands: readonly Typed[];
  readonly member: number;
  readonly layout: Layout;
  readonly type: TensorType;
}

/**
 * A struct or enum behind a reference: its parts are there when they are asked for, because its
 * type may have no end.
 */
export interface Boxed extends Node {
  readonly kind: "boxed";
  /** Of type `data`. */
  readonly box: Typed;
  readonly form: BoxedForm;
}

/**
 * All cells of a tensor as one value of type `data`, row after row: how a function takes, gives and
 * keeps an array that it makes while it runs.
 */
export interface Kept extends Node {
  readonly kind: "kept";
  readonly of: Typed;
}

/** The positions of a coordinate where a test holds, kept in the same way. */
export interface Accepted extends Node {
  readonly kind: "accepted";
  readonly binder: Binder;
  readonly test: Typed;
}

/** The tensor whose cells are kept. */
export interface Cells extends Node {
  readonly kind: "cells";
  /** Of type `data`. */
  readonly box: Typed;
  readonly type: TensorType;
}

/** A function as a value: it is elaborated where it is called. */
export interface Closure extends Node {
  readonly kind: "closure";
  readonly callee: FunctionBinding | OperationName;
}

/**
 * An array of functions, or of data of endless types that holds some: its elements are known when
 * compiling, and chosen by numbers.
 */
export interface Functions extends Node {
  readonly kind: "functions";
  /** Integers that tell which function an element is: tensors with the axes of the array. */
  readonly codes: readonly Typed[];
  /** The function that the codes of one element stand for. */
  readonly at: (place: Place, codes: readonly Typed[], span: Span) => Typed;
  /** The same for arrays whose codes mean the same. */
  readonly identity: object;
  /** The elements that are written out. */
  readonly among: readonly Typed[];
  /** Coordinates that were bound after this are none that its functions see. */
  readonly since: Variable;
}

/** The payload of a variant that the value is known not to be. */
export interface Absent extends Node {
  readonly kind: "absent";
}

/** `@numerator / @denominator`. */
export interface Request extends Node {
  readonly kind: "request";
  readonly numerator: Typed;
  readonly denominator: ValueBinding | TensorBinding;
  /** For a request inside a recurrence: the numerator's axis that is the step. */
  readonly step?: number;
  /** Of a whole tensor. */
  readonly jacobian?: boolean;
  /**
   * The whole one, of which so many of the denominator's coordinates are read: they come first
   * here.
   */
  readonly turned?: { readonly whole: Request; readonly count: number };
  readonly type: TensorType;
}

/** The value of a call whose function has a tangent rule, and the rule for it. */
export interface Ruled extends Node {
  readonly kind: "ruled";
  readonly value: Block;
  readonly parameters: readonly { readonly primal: ValueBinding; readonly tangent: ValueBinding }[];
  /** Linear in the tangents of the parameters. */
  readonly tangent: Typed;
  readonly surrogate: boolean;
  /** The name of the rule, where it is declared. */
  readonly rule: Span;
  readonly type: TensorType;
}

export interface RangeOf extends Node {
  readonly kind: "range";
  readonly from: Typed;
  readonly to: Typed;
  readonly reversed: boolean;
}

/** Stands for something that already has a diagnostic. */
export interface Wrong extends Node {
  readonly kind: "wrong";
}

// ── what names stand for ────────────────────────────────────────────────────────────────────────

/**
 * A coordinate bound by a declaration, a reduction or a call; `from` and `to` are set when its
 * range is known.
 */
export interface Binder {
  readonly name: string;
  readonly pack?: string;
  readonly variable: Variable;
  readonly span: Span;
  /** Declared with `in`; final then. */
  readonly explicit: boolean;
  /** The domain of the axes it walks, where it is known. */
  domain?: Domain;
  /** In a function that makes arrays: extents of what it indexes that have to agree. */
  agreements?: readonly Agreement[];
  /** Guards of the calls around it that restrict its domain, written with this coordinate. */
  filters?: readonly Typed[];
  /** Walks downward: `t in rev(a..b)`. */
  reversed: boolean;
  from?: Typed;
  to?: Typed;
}

/**
 * A guard on a coordinate call: inside the callee it holds for every reduction over that
 * coordinate's domain.
 */
export interface Filter {
  readonly domain: Domain;
  /** The coordinate that the guard is written with. */
  readonly binder: Binder;
  readonly condition: Typed;
  readonly span: Span;
}

/** A plain `let`, an input, a parameter. */
export interface ValueBinding {
  readonly kind: "value";
  /** Of the library: the call in the program that led to it. */
  readonly call?: Span;
  /** Bound at the top of the file: it depends on no coordinate. */
  readonly global?: boolean;
  /**
   * A "part" is a member of a tuple, struct or enum that has a name; a "const" is only there to be
   * asked for; a "length" is computed once, whoever asks.
   */
  readonly role: "input" | "let" | "const" | "parameter" | "tangent" | "part" | "length";
  readonly name: string;
  readonly span: Span;
  readonly type: Type;
  /** Absent for inputs. */
  readonly value?: Typed;
  /** Of a recursive function: it has a value only while the function runs. */
  readonly parameter?: Variable;
  /** What an integer scalar is known to be, for ranges and bounds. */
  readonly term?: Term;
  /** The parameter whose tangent this is, in a rule. */
  readonly primal?: ValueBinding;
  /** It is read in one place, where its value stands for it. */
  readonly once?: true;
  /** A derivative by this name is asked for: it is a value of its own, whatever it is made of. */
  readonly asked?: true;
}

/** A tensor made of clauses. Its type grows with them until `complete`. */
export interface TensorBinding {
  readonly kind: "tensor";
  /** Of the library: the call in the program that led to it. */
  readonly call?: Span;
  readonly global?: boolean;
  readonly name: string;
  readonly span: Span;
  readonly clauses: Clause[];
  /** All its clauses as they are written, those below the one that is looked at included. */
  readonly declared?: ast.IndexedLet[];
  type: TensorType;
  /** Whether its rank is known: a pack on the left is, once the first clause has been read. */
  ranked: boolean;
  complete: boolean;
  /** A clause of it failed: reads say nothing more. */
  broken?: boolean;
  /** One of its clauses stands under `checkpoint`. */
  checkpoint?: true;
  /** What is left of a broken tensor: one clause, looked at for the sake of its own mistakes. */
  readonly remnant?: true;
  /** Made by the compiler: cells outside its clauses are never read. */
  readonly made?: true;
  /** Where a statement outside its group has read it. */
  readAt?: Span;
}

/** One indexed `let`. */
export interface Clause {
  readonly slots: readonly ClauseSlot[];
  readonly items: readonly Item[];
  readonly body: Typed;
  readonly otherwise?: Typed;
  readonly span: Span;
}

export type ClauseSlot =
  | { readonly kind: "binder"; readonly binder: Binder }
  | { readonly kind: "fixed"; readonly at: Term; readonly span: Span };

/** `where`: tested and bound in order. */
export type Item =
  | { readonly kind: "guard"; readonly condition: Typed }
  | { readonly kind: "binding"; readonly binding: ValueBinding };

// ── the program ─────────────────────────────────────────────────────────────────────────────────

/** A top-level statement that does something, in program order. */
export type Action =
  | { readonly kind: "bind"; readonly binding: ValueBinding | TensorBinding }
  | {
      readonly kind: "print";
      readonly values: readonly Typed[];
      readonly when: readonly Branch[];
      readonly span: Span;
    }
  | {
      readonly kind: "assert";
      readonly condition: Typed;
      readonly message?: Typed;
      readonly when: readonly Branch[];
      readonly span: Span;
    }
  /** What a function that stays one does when it is called. */
  | {
      readonly kind: "call";
      readonly invocation: Invocation;
      readonly when: readonly Branch[];
      readonly span: Span;
    }
  | { readonly kind: "value"; readonly value: Typed; readonly span: Span };

export type Effect = Extract<Action, { kind: "print" | "assert" | "call" }>;

/** A condition with the outcome that leads to a branch. */
export interface Branch {
  readonly condition: Typed;
  readonly holds: boolean;
}

export interface TypedProgram {
  readonly actions: readonly Action[];
  /**
   * Of a program with errors: what stands beside them in broken tensors and functions, to be looked
   * at too.
   */
  readonly salvaged?: readonly (ValueBinding | TensorBinding)[];
  readonly inputs: readonly ValueBinding[];
  /** Dimension names with the variable that stands for their extent. */
  readonly dimensions: ReadonlyMap<string, Variable>;
}
