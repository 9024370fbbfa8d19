// The indexed IR. In this folder lie its data structures and what every pass needs to walk,
// compare, rewrite and verify them; the passes themselves lie in other folders.
//
// A program consists of inputs and definitions. One cell of a definition is a scalar expression or
// one reduction. There are no nodes for transpose, reshape, pad, matmul or gather: they are
// patterns of indices. `let Y[i, j] = sum[k](A[i, k] * B[k, j]);` is a definition `Y` with one
// clause, which has the loops `i` and `j` and the reduction over `k`.

import type { Span } from "../base/source.ts";
import type { Term, Variable } from "../affine/term.ts";
import type { DataFunction, Layout, Stop } from "../scalar/data.ts";
import type { OperationName } from "../scalar/operations.ts";
import type { ReductionName } from "../scalar/reductions.ts";
import type { TextFunction } from "../scalar/texts.ts";
import type { Agreement } from "../affine/agreement.ts";
import type { ElementType, RowsPart, Scalar as Value } from "../scalar/types.ts";

export interface Definition {
  readonly name: string;
  readonly element: ElementType;
  readonly axes: readonly Axis[];
  /**
   * Where the cells come from. "input": the host supplies them. "literal": they are written out.
   * Neither has clauses. "helper": the compiler made the definition; cells outside of its clauses
   * are never read.
   */
  readonly origin: "input" | "literal" | "declared" | "helper";
  /**
   * How many leading axes are coordinates around a local name: `i` for `t` in
   * `let y[i] = { let t[k] = x[i, k]; sum[k](t[k]) };`.
   */
  readonly outer: number;
  /** The cells of a literal, row-major. */
  readonly cells?: readonly Value[];
  /** A recurrence whose pullback finds only some steps saved and computes the others again. */
  readonly checkpoint?: true;
  /** The tangent rule, if the program gives one. */
  readonly rule?: Rule;
  /**
   * A derivative `@of / @wrt` that autodiff has still to answer: the answer becomes the clauses.
   */
  request?: Request;
  /**
   * Where several clauses define a cell, the last one wins. Filled once, when the definition is
   * lowered.
   */
  clauses: readonly Clause[];
  /** Integer scalars whose values its extents and indices use. */
  readonly needs: Set<Definition>;
  readonly span: Span;
  /** For a definition from the library: the call in the program that led to it. */
  readonly call?: Span;
}

/** A tangent rule. `tangent` is linear in the stand-ins for the tangents of the parameters. */
export interface Rule {
  readonly parameters: readonly { readonly primal: Definition; readonly tangent: Definition }[];
  readonly tangent: Definition;
  /** Whether the rule is meant to differ from the derivative. */
  readonly surrogate: boolean;
  /** The place of its name in the declaration. */
  readonly span: Span;
}

/** A request for a derivative. */
export interface Request {
  readonly of: Definition;
  readonly wrt: Definition;
  /**
   * For a request inside a recurrence: the axis of the numerator that is the step. The request is
   * answered within that step.
   */
  readonly step?: number;
  /** The numerator is a tensor: the answer has its coordinates, then those of the denominator. */
  readonly jacobian?: boolean;
  /**
   * Numerator and denominator are both local to a place inside a declaration. For each leading axis
   * of the denominator: the axis of the numerator that is the same coordinate around them. The
   * answer has this coordinate once, among those of the numerator.
   */
  readonly shared?: readonly number[];
  /**
   * The Jacobian is wanted only in contractions, and `with` is the other factor. The axes of `with`
   * before its own coordinates are the lanes. With a "cotangent", `with` weighs the cells of the
   * numerator, and the answer has the lanes, then the coordinates of the denominator. With a
   * "direction", `with` says how the denominator moves, and the answer has the lanes, then the
   * coordinates of the numerator.
   */
  readonly contracted?: { readonly kind: "cotangent" | "direction"; readonly with: Definition };
}

export interface Axis {
  readonly name?: string;
  readonly extent: Term;
  /**
   * For a local name whose size depends on the coordinates around it: `extent` is the largest size,
   * and `ragged` says where each row ends.
   */
  readonly ragged?: Ragged;
  readonly rows?: RowsPart;
}

/**
 * The length of a row, as a term in the positions along the outer axes. A length that is data has
 * no term.
 */
export interface Ragged {
  readonly around: readonly Variable[];
  readonly extent?: Term;
}

/** A coordinate that runs from `from` to just before `to`. */
export interface Loop {
  readonly variable: Variable;
  readonly from: Scalar;
  readonly to: Scalar;
  readonly reversed: boolean;
  /** The clause writes one position here, as in `let h[0] = 1.0;`. */
  readonly fixed?: true;
  /** The program does not write the range: it was inferred from the uses of the coordinate. */
  readonly inferred?: true;
}

/** Defines cells: one loop for each axis, and guards that filter the positions. */
export interface Clause {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly body: Body;
  /**
   * The value of a cell that no clause defines. It applies where this is the last guarded clause
   * whose ranges contain the cell.
   */
  readonly otherwise?: Scalar;
  readonly span: Span;
}

export type Body =
  | { readonly kind: "map"; readonly value: Scalar }
  | {
      readonly kind: "reduce";
      /**
       * `argmax` and `argmin` over several coordinates give the position along the first of them.
       */
      readonly reduction: ReductionName;
      readonly loops: readonly Loop[];
      readonly guards: readonly Scalar[];
      readonly value: Scalar;
      readonly span: Span;
    };

export type Scalar =
  | { readonly kind: "constant"; readonly type: ElementType; readonly value: Value }
  /** An `i32` made of coordinates, extents and integers. */
  | { readonly kind: "integer"; readonly type: "i32"; readonly term: Term }
  | {
      readonly kind: "read";
      readonly type: ElementType;
      readonly definition: Definition;
      readonly indices: readonly Scalar[];
      readonly span: Span;
      /**
       * The indices are the program's own, though the compiler made the definition that is read.
       */
      readonly written?: true;
    }
  /** `within` is the type that the operation computes in, `type` the type of its result. */
  | {
      readonly kind: "apply";
      readonly type: ElementType;
      readonly within: ElementType;
      readonly operation: OperationName;
      readonly operands: readonly Scalar[];
      readonly span: Span;
    }
  /** Has no place in the source if the compiler made it. */
  | {
      readonly kind: "cast";
      readonly type: ElementType;
      readonly operand: Scalar;
      readonly span?: Span;
    }
  /** Only the chosen branch is evaluated. */
  | {
      readonly kind: "select";
      readonly type: ElementType;
      readonly condition: Scalar;
      readonly then: Scalar;
      readonly otherwise: Scalar;
      /**
       * Differentiation made this choice: `if f == 0 { 0 } else { f * … }`. As a function of f it
       * equals the product everywhere.
       */
      readonly isProduct?: true;
      /**
       * The choice gives what a reduction has found by the condition: a position, or how many there
       * are. Such a number has no derivative.
       */
      readonly found?: { readonly by: ReductionName; readonly span: Span };
    }
  | { readonly kind: "local"; readonly type: ElementType; readonly local: Local }
  /** One result of a call of a recursive function. The results of one call share its invocation. */
  | {
      readonly kind: "call";
      readonly type: ElementType;
      readonly invocation: Invocation;
      readonly member: number;
    }
  /** A string, or a number or bool that a function of strings gives. */
  | {
      readonly kind: "text";
      readonly type: ElementType;
      readonly function: TextFunction;
      readonly operands: readonly Scalar[];
      /** The format that `show` uses. */
      readonly format?: string;
    }
  /**
   * A struct or enum by reference, or a function of one. `member` says which scalar `part` gives.
   */
  | {
      readonly kind: "data";
      readonly type: ElementType;
      readonly function: DataFunction;
      readonly operands: readonly Scalar[];
      readonly member: number;
      readonly layout: Layout;
      /** The reason of `stop`. */
      readonly stop?: Stop;
    }
  /** What a function was called with. Parameters of type i32 are variables of terms instead. */
  | { readonly kind: "parameter"; readonly type: ElementType; readonly parameter: Parameter };

export interface Parameter {
  readonly name: string;
  readonly type: ElementType;
  readonly variable: Variable;
}

export interface Invocation {
  readonly function: ScalarFunction;
  readonly arguments: readonly Scalar[];
  readonly span: Span;
}

/**
 * A function from scalars to scalars that calls itself or other functions. It reads only
 * definitions that are computed before it is called.
 */
export interface ScalarFunction {
  readonly name: string;
  /** Filled once, when the function is lowered, like the results. */
  parameters: readonly Parameter[];
  /** Filled once, when the function is lowered, because its results may call the function. */
  results: readonly Scalar[];
  /** What it prints and asserts if it is called for that. Calls for its value have no effects. */
  effects?: readonly FunctionEffect[];
  /** The tangent rule of its results, if the program gives one. */
  rule?: FunctionRule;
  /**
   * The loops and guards of the cells that it walks, with a call of itself for each, where known.
   */
  readonly rounds?: Pick<Clause, "loops" | "guards">;
  /** The function whose calls this one takes back, as a part of a pullback. */
  readonly takesBack?: ScalarFunction;
  readonly needs: Set<Definition>;
  readonly span: Span;
}

/** Takes place if each condition has the given outcome. The conditions are tested in order. */
export type FunctionEffect = {
  readonly when: readonly { readonly condition: Scalar; readonly holds: boolean }[];
} & (
  | { readonly kind: "print"; readonly text: Scalar }
  | {
      readonly kind: "assert";
      readonly condition: Scalar;
      readonly message?: Scalar;
      readonly span: Span;
    }
  | { readonly kind: "call"; readonly invocation: Invocation }
);

/**
 * A tangent rule of a function: one tangent for each of its results, linear in the tangents of its
 * float parameters.
 */
export interface FunctionRule {
  readonly tangents: readonly Parameter[];
  readonly results: readonly Scalar[];
  readonly surrogate: boolean;
  readonly span: Span;
}

/** A named scalar inside a clause. */
export interface Local {
  readonly name: string;
  readonly value: Scalar;
  /**
   * Inside a function: a derivative that is still to be found. `value` is a stand-in until then.
   */
  readonly slope?: Slope | undefined;
}

/**
 * A request `@of / @by` between scalars of a function. `by` is a local or a parameter of it, or the
 * first cell of a tensor that the function captures.
 */
export interface Slope {
  readonly of: Scalar;
  readonly by: Scalar;
  /** The tensor that `by` belongs to, if the tensor is computed before the function is called. */
  readonly around?: Definition | undefined;
  readonly span: Span;
}

// ── the program around the definitions ──────────────────────────────────────────────────────────

export interface Program {
  readonly inputs: readonly Definition[];
  /** The extents that inputs decide, by dimension name. */
  readonly dimensions: ReadonlyMap<string, Variable>;
  /**
   * Integer scalars whose values the solver uses by name. A variable gets its value when its
   * definition has been computed. Derivatives add scalars of their own.
   */
  readonly scalars: Map<Variable, Definition>;
  readonly agreements: readonly Agreement[];
  /** Integer scalars of agreements that prints and assertions rely on: they are computed first. */
  readonly held: readonly Definition[];
  readonly actions: readonly HostAction[];
  /** The results that a host can ask for, by name; "_" is the final expression. */
  readonly outputs: ReadonlyMap<string, Output>;
  /** Strings that a host can ask for. They are put together outside of the definitions. */
  readonly texts: ReadonlyMap<string, TextOutput>;
  /** The names of all definitions, so that new definitions get other names. */
  readonly names: Set<string>;
}

export interface Output {
  readonly definition: Definition;
}

/** The names of all results that a host can ask for, in program order. */
export function namesOf({ outputs, texts }: Program): readonly string[] {
  const place = (name: string): number => {
    if (name === "_") return Infinity;
    return texts.get(name)?.span.start ?? outputs.get(name)!.definition.span.start;
  };
  const names = [...outputs.keys(), ...texts.keys()];
  return texts.size === 0 ? names : names.sort((a, b) => place(a) - place(b));
}

export interface TextOutput {
  readonly parts: readonly HostPart[];
  readonly span: Span;
}

export type HostAction =
  | {
      readonly kind: "print";
      readonly parts: readonly (readonly HostPart[])[];
      readonly when: readonly HostBranch[];
      readonly span: Span;
    }
  | {
      readonly kind: "assert";
      readonly condition: Definition;
      readonly message: readonly HostPart[];
      readonly when: readonly HostBranch[];
      readonly span: Span;
    }
  /** The effects of a function, for arguments that are scalars. */
  | {
      readonly kind: "call";
      readonly function: ScalarFunction;
      readonly arguments: readonly Definition[];
      readonly when: readonly HostBranch[];
      readonly span: Span;
    };

/** An action takes place if each condition has the given outcome. They are tested in order. */
export interface HostBranch {
  readonly condition: Definition;
  readonly holds: boolean;
}

/** A piece of printed text. */
export type HostPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly definition: Definition }
  /** Source of a derivative: the compiler writes the source in place of this part. */
  | {
      readonly kind: "derivation";
      readonly of: Definition;
      readonly wrt?: Definition;
      /** The names of a Jacobian's coordinates, if the program gives them. */
      readonly names?: readonly (string | undefined)[];
    }
  /**
   * Brackets around the parts, which are repeated for each position of the first axis of `over`.
   * Values inside are read at that position.
   */
  | { readonly kind: "each"; readonly over: Definition; readonly parts: readonly HostPart[] }
  /** Ragged rows: where the rows begin, one tensor for each level, and the cells of all rows. */
  | { readonly kind: "rows"; readonly starts: readonly Definition[]; readonly flat: Definition }
  /** A text inside of another value: it is printed between quotes. */
  | { readonly kind: "quoted"; readonly parts: readonly HostPart[] }
  | { readonly kind: "formatted"; readonly parts: readonly HostPart[]; readonly format: string }
  | {
      readonly kind: "choice";
      readonly condition: Definition;
      readonly then: readonly HostPart[];
      readonly otherwise: readonly HostPart[];
    };
