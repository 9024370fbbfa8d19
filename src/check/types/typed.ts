// The typed program: every name is resolved, every coordinate has a range, and every expression has
// a type. An expression may still be a whole tensor; `lower/` writes its cells with indices.

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

/** A literal. Its number is converted when its element type is decided. */
export interface Constant extends Node {
  readonly kind: "constant";
  readonly value: Scalar;
  readonly type: TensorType;
}

/** An `i32` that the solver understands as a term: a coordinate, an extent. */
export interface Integer extends Node {
  readonly kind: "integer";
  readonly term: Term;
  readonly type: TensorType;
}

export interface Reference extends Node {
  readonly kind: "reference";
  readonly binding: ValueBinding | TensorBinding;
}

/** `base[indices]`. With fewer indices than axes, the value is a tensor of the remaining axes. */
export interface Read extends Node {
  readonly kind: "read";
  readonly base: Typed;
  readonly indices: readonly Typed[];
  readonly type: TensorType;
}

/** A scalar operation. It works on each cell if an operand is a tensor. */
export interface Apply extends Node {
  readonly kind: "apply";
  readonly operation: OperationName;
  readonly operands: readonly Typed[];
  /**
   * In an instance that makes arrays: extents that must agree, checked where the value is computed.
   */
  readonly agreements?: readonly Agreement[];
  readonly type: TensorType;
}

export interface Cast extends Node {
  readonly kind: "cast";
  readonly operand: Typed;
  readonly type: TensorType;
}

/** `if`. Only the branch taken is evaluated. */
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

/** The tensor whose cell at the positions of the binders is `body`. */
export interface Abstract extends Node {
  readonly kind: "abstract";
  readonly binders: readonly Binder[];
  readonly body: Typed;
  /** The part of another tensor that holds the same cells, if there is one. */
  readonly window?: Window;
  readonly type: TensorType;
}

/**
 * `length` elements of a tensor along its first axis, starting at `from`. Both numbers are `i32`.
 */
export interface Window {
  readonly base: Typed;
  readonly from: Typed;
  readonly length: Typed;
}

/** Local bindings in order, and the value that uses them. */
export interface Block extends Node {
  readonly kind: "block";
  readonly bindings: readonly (ValueBinding | TensorBinding)[];
  readonly value: Typed;
  /** For a function of the library: the call in the user's program. */
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
  /** True for the text that `typeof` gives. */
  readonly isType?: true;
}

export type TextPart =
  | string
  /**
   * An interpolated value. `whole` is the text of a value that is not a scalar; `print` shows the
   * value itself.
   */
  | { readonly value: Typed; readonly format?: string; readonly whole?: Typed }
  /** `print(@y)` shows the tangent equation of `y`, and `print(@y / @x)` the derived program. */
  | {
      readonly derivation: {
        readonly of: Typed;
        readonly wrt?: ValueBinding | TensorBinding;
        readonly names?: readonly (string | undefined)[];
      };
    };

/** A method of a string that exists only at run time. */
export interface TextCall extends Node {
  readonly kind: "text-call";
  readonly method: TextMethod;
  readonly operands: readonly Typed[];
  readonly type: TensorType;
}

/**
 * A tuple. A struct is the tuple of its fields, an enum that of its tag and the payloads of all its
 * variants.
 */
export interface TupleOf extends Node {
  readonly kind: "tuple";
  readonly members: readonly Typed[];
}

/** One result of a call of an instance. All results of one call share one invocation. */
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

/** An instance: a recursive function for arguments of certain types. */
export interface Instance {
  readonly name: string;
  readonly parameters: readonly ValueBinding[];
  /** The element types of the results. They are open until the body has been checked. */
  readonly results: readonly Element[];
  /** One scalar for each result. */
  body: readonly Typed[];
  /** Extents of the arguments that must agree. */
  readonly agreements: readonly Agreement[];
  /** The prints and assertions of the instance and of the functions that it calls, in order. */
  effects: readonly Effect[];
  /** The user's rule for the derivatives of the results by the float parameters. */
  rule?: InstanceRule;
  failed: boolean;
  readonly span: Span;
}

export interface InstanceRule {
  /** One tangent for each float parameter, in order. */
  readonly tangents: readonly ValueBinding[];
  /** One scalar for each result. */
  readonly body: readonly Typed[];
  readonly surrogate: boolean;
  readonly span: Span;
}

/**
 * A struct or enum behind a reference, of type `data`, or a question about one, such as its tag.
 * For the function `part`, `member` says which scalar is read.
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
 * A struct or enum behind a reference. Its type may be recursive, so its parts are made only when
 * they are needed.
 */
export interface Boxed extends Node {
  readonly kind: "boxed";
  /** A reference, of type `data`. */
  readonly box: Typed;
  readonly form: BoxedForm;
}

/**
 * All cells of a tensor in row-major order, as one value of type `data`. In this form an instance
 * takes, returns and stores arrays that it makes while it runs.
 */
export interface Kept extends Node {
  readonly kind: "kept";
  readonly of: Typed;
}

/** The positions of a coordinate at which a test holds, as one value of type `data`. */
export interface Accepted extends Node {
  readonly kind: "accepted";
  readonly binder: Binder;
  readonly test: Typed;
}

/** The tensor whose cells a value of type `data` holds. */
export interface Cells extends Node {
  readonly kind: "cells";
  /** A reference, of type `data`. */
  readonly box: Typed;
  readonly type: TensorType;
}

/** A function as a value. Its body is elaborated where it is called. */
export interface Closure extends Node {
  readonly kind: "closure";
  readonly callee: FunctionBinding | OperationName;
}

/**
 * An array of functions, or of recursive data that contains functions. All elements are known when
 * compiling, and numbers choose among them.
 */
export interface Functions extends Node {
  readonly kind: "functions";
  /** Integer tensors with the axes of the array. They say which function an element is. */
  readonly codes: readonly Typed[];
  /** The function for the codes of one element. */
  readonly at: (place: Place, codes: readonly Typed[], span: Span) => Typed;
  /** Equal for arrays whose codes have the same meaning. */
  readonly identity: object;
  /** The elements that the program writes out. */
  readonly among: readonly Typed[];
  /** The functions see only coordinates that were bound before this variable was made. */
  readonly since: Variable;
}

/** The payload of a variant, in a value that is known to be another variant. */
export interface Absent extends Node {
  readonly kind: "absent";
}

/** `@numerator / @denominator`. */
export interface Request extends Node {
  readonly kind: "request";
  readonly numerator: Typed;
  readonly denominator: ValueBinding | TensorBinding;
  /** For a request inside a recurrence: the axis of the numerator that is the step. */
  readonly step?: number;
  /** True if the numerator is a whole tensor, so that the result is a Jacobian. */
  readonly jacobian?: boolean;
  /**
   * For a read of the denominator, `@y / @x[i]`: the Jacobian `whole` with the first `count` axes
   * of the denominator moved to the front, where the read indexes them.
   */
  readonly turned?: { readonly whole: Request; readonly count: number };
  readonly type: TensorType;
}

/** The value of a call of a function that has a rule, with the tangent that the rule gives. */
export interface Ruled extends Node {
  readonly kind: "ruled";
  readonly value: Block;
  readonly parameters: readonly { readonly primal: ValueBinding; readonly tangent: ValueBinding }[];
  /** The tangent of the value: linear in the tangents of the parameters. */
  readonly tangent: Typed;
  readonly surrogate: boolean;
  /** The name of the rule in its declaration. */
  readonly rule: Span;
  readonly type: TensorType;
}

export interface RangeOf extends Node {
  readonly kind: "range";
  readonly from: Typed;
  readonly to: Typed;
  readonly reversed: boolean;
}

/** A stand-in for an expression that already has a diagnostic. */
export interface Wrong extends Node {
  readonly kind: "wrong";
}

// ── what names stand for ────────────────────────────────────────────────────────────────────────

/**
 * A coordinate that a declaration, a reduction or a call binds. `from` and `to` are set when its
 * range is known.
 */
export interface Binder {
  readonly name: string;
  readonly pack?: string;
  readonly variable: Variable;
  readonly span: Span;
  /** True for a range written with `in`, which is final. */
  readonly explicit: boolean;
  /** The domain of the axes that the coordinate walks, if known. */
  domain?: Domain;
  /** In an instance that makes arrays: extents of the indexed axes that must agree. */
  agreements?: readonly Agreement[];
  /** Guards of the enclosing calls, written with this coordinate. They restrict its domain. */
  filters?: readonly Typed[];
  /** True for a coordinate that runs downwards: `t in rev(a..b)`. */
  reversed: boolean;
  from?: Typed;
  to?: Typed;
}

/**
 * A guard on a coordinate call. Inside the function it holds for every reduction over the domain of
 * its coordinate:
 *
 *   let p[b, c] = softmax[c](z[b, c]) where valid[b, c];   // the sum in `softmax` skips the others
 */
export interface Filter {
  readonly domain: Domain;
  /** The coordinate that the guard uses. */
  readonly binder: Binder;
  readonly condition: Typed;
  readonly span: Span;
}

/** The binding of a plain `let`, an input or a parameter. */
export interface ValueBinding {
  readonly kind: "value";
  /** In the library: the call in the user's program that led here. */
  readonly call?: Span;
  /** True at the top of the file. The value then depends on no coordinate. */
  readonly global?: boolean;
  /**
   * A "part" is a named member of a tuple, struct or enum. A "const" exists only so that a host can
   * ask for it. A "length" is computed once for all its uses.
   */
  readonly role: "input" | "let" | "const" | "parameter" | "tangent" | "part" | "length";
  readonly name: string;
  readonly span: Span;
  readonly type: Type;
  /** The value; absent for inputs. */
  readonly value?: Typed;
  /** For a parameter of an instance: its variable. It has a value only while the instance runs. */
  readonly parameter?: Variable;
  /** For an integer scalar: its term, for ranges and bounds. */
  readonly term?: Term;
  /** For a tangent in a rule: the parameter whose tangent it is. */
  readonly primal?: ValueBinding;
  /** True if the value is read in only one place. It is inlined there. */
  readonly once?: true;
  /**
   * True if a request has this name as its denominator. The value then stays a definition of its
   * own.
   */
  readonly asked?: true;
}

/** A tensor made of clauses. Its type grows with each clause until `complete`. */
export interface TensorBinding {
  readonly kind: "tensor";
  /** In the library: the call in the user's program that led here. */
  readonly call?: Span;
  readonly global?: boolean;
  readonly name: string;
  readonly span: Span;
  readonly clauses: Clause[];
  /** All clauses as the program writes them, including those that are not checked yet. */
  readonly declared?: ast.IndexedLet[];
  type: TensorType;
  /** Whether the rank is known. With a pack on the left, it is known after the first clause. */
  ranked: boolean;
  complete: boolean;
  /** True if a clause failed. Reads of the tensor then report nothing. */
  broken?: boolean;
  /** True if one of the clauses has `checkpoint`. */
  checkpoint?: true;
  /** True for one right clause of a broken tensor, which is analysed for further mistakes. */
  readonly remnant?: true;
  /** True for a tensor that the compiler makes. No cell outside its clauses is ever read. */
  readonly made?: true;
  /** Where a statement outside the group of the tensor reads it. */
  readAt?: Span;
}

/** One clause of a tensor, from one indexed `let`. */
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

/** The items of a `where`, tested and bound in order. */
export type Item =
  | { readonly kind: "guard"; readonly condition: Typed }
  | { readonly kind: "binding"; readonly binding: ValueBinding };

// ── the program ─────────────────────────────────────────────────────────────────────────────────

/** What a statement at the top of the file does. Actions are in program order. */
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
  /** The prints and assertions that an instance makes when it is called. */
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
   * For a program with errors: right parts of broken tensors and functions, which are analysed as
   * well.
   */
  readonly salvaged?: readonly (ValueBinding | TensorBinding)[];
  readonly inputs: readonly ValueBinding[];
  /** The variable for the extent of each dimension name. */
  readonly dimensions: ReadonlyMap<string, Variable>;
}

export function withoutBlocks(value: Typed): Typed {
  return value.kind === "block" ? withoutBlocks(value.value) : value;
}
