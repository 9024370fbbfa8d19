// The indexed IR: inputs and definitions, nothing else. One cell of a definition is a scalar
// expression or one reduction; there are no transpose, reshape, pad, matmul or gather nodes,
// because they are index patterns.

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
   * "input": the host supplies it. "literal": its cells are written out. Neither has clauses.
   * "helper": made by the compiler; cells outside its clauses are never read.
   */
  readonly origin: "input" | "literal" | "declared" | "helper";
  /** How many leading axes are coordinates of the places around a local name. */
  readonly outer: number;
  /** The cells of a literal, row-major. */
  readonly cells?: readonly Value[];
  /**
   * A recurrence of which only some states are saved for reading it back; the others are computed
   * again.
   */
  readonly checkpoint?: true;
  /** How its tangent follows from those of what it was called with, where the program says so. */
  readonly rule?: Rule;
  /** An unanswered `@of / @wrt`: answered by autodiff, which fills the clauses. */
  request?: Request;
  /**
   * Later clauses own the cells that several claim. Filled once, when the definition is lowered.
   */
  clauses: readonly Clause[];
  /** Integer scalars that its extents and indices use by value. */
  readonly needs: Set<Definition>;
  readonly span: Span;
  /** Of the library: the call in the program that led to it. */
  readonly call?: Span;
}

/** A tangent rule: `tangent` is linear in the stand-ins for the tangents of the parameters. */
export interface Rule {
  readonly parameters: readonly { readonly primal: Definition; readonly tangent: Definition }[];
  readonly tangent: Definition;
  /** Meant to differ from the derivative. */
  readonly surrogate: boolean;
  /** Its name, where it is declared. */
  readonly span: Span;
}

/** A derivative that is asked for, by the definitions it is about. */
export interface Request {
  readonly of: Definition;
  readonly wrt: Definition;
  /**
   * The numerator's axis that is the step of the recurrence in which the request stands: it is
   * answered within that step.
   */
  readonly step?: number;
  /** The numerator is a tensor: the answer has its coordinates, then the denominator's. */
  readonly jacobian?: boolean;
  /**
   * Both are local to a place inside a declaration: for each of the denominator's leading axes, the
   * numerator's axis that is the same coordinate around them. The answer has it once, among the
   * numerator's.
   */
  readonly shared?: readonly number[];
  /**
   * The Jacobian is wanted only in contractions. `cotangent` weighs the numerator's cells, one sum
   * for each of the axes that it has before the numerator's (the lanes): the answer has the lanes,
   * then the denominator's coordinates. `direction` says how the denominator moves, likewise: the
   * answer has the lanes, then the numerator's coordinates.
   */
  readonly contracted?: { readonly kind: "cotangent" | "direction"; readonly with: Definition };
}

export interface Axis {
  readonly name?: string;
  readonly extent: Term;
  /**
   * Of a local name whose size depends on the coordinates around it: `extent` holds the largest,
   * and each row ends by itself.
   */
  readonly ragged?: Ragged;
  readonly rows?: RowsPart;
}

/**
 * Ragged rows are tensors: where each row begins, one entry more than there are rows, the same for
 * the rows inside of rows, and the cells of all rows in turn.
 */

/** An extent in terms of the positions along the outer axes; absent where it is looked up. */
export interface Ragged {
  readonly around: readonly Variable[];
  readonly extent?: Term;
}

/** A coordinate walking from `from` to just before `to`. */
export interface Loop {
  readonly variable: Variable;
  readonly from: Scalar;
  readonly to: Scalar;
  readonly reversed: boolean;
  /** An integer on the left: the one position is written out. */
  readonly fixed?: true;
  /** Its range was not written: the uses of the coordinate say what it is. */
  readonly inferred?: true;
}

/** The cells of a clause: one loop for each axis, filtered by the guards. */
export interface Clause {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly body: Body;
  /**
   * The value of cells that no clause owns, where this is the last guarded clause whose range holds
   * them.
   */
  readonly otherwise?: Scalar;
  readonly span: Span;
}

export type Body =
  | { readonly kind: "map"; readonly value: Scalar }
  | {
      readonly kind: "reduce";
      /** `argmax` and `argmin` of several coordinates are the position along the first of them. */
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
      /** With indices of the program's own, of a definition that the compiler has made. */
      readonly written?: true;
    }
  /** `within` is the type that the operation computes in, `type` that of its result. */
  | {
      readonly kind: "apply";
      readonly type: ElementType;
      readonly within: ElementType;
      readonly operation: OperationName;
      readonly operands: readonly Scalar[];
      readonly span: Span;
    }
  /** Without a place where the compiler made it. */
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
       * Made by differentiation, `if f == 0 { 0 } else { f * … }`: as a function of f it is the
       * product everywhere.
       */
      readonly isProduct?: true;
      /**
       * The outcome is what a reduction has found by the condition, a position or how many there
       * are: as a number it has no derivative.
       */
      readonly found?: { readonly by: ReductionName; readonly span: Span };
    }
  | { readonly kind: "local"; readonly type: ElementType; readonly local: Local }
  /** One result of calling a recursive function; the results of one call share its invocation. */
  | {
      readonly kind: "call";
      readonly type: ElementType;
      readonly invocation: Invocation;
      readonly member: number;
    }
  /** A string, or something about one. */
  | {
      readonly kind: "text";
      readonly type: ElementType;
      readonly function: TextFunction;
      readonly operands: readonly Scalar[];
      /** How `show` shows. */
      readonly format?: string;
    }
  /**
   * A struct or enum by reference, or something about one; `member` is which scalar `part` gives.
   */
  | {
      readonly kind: "data";
      readonly type: ElementType;
      readonly function: DataFunction;
      readonly operands: readonly Scalar[];
      readonly member: number;
      readonly layout: Layout;
      /** Why `stop` does. */
      readonly stop?: Stop;
    }
  /** Inside a function: what it was called with. Parameters of type i32 are variables of terms. */
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
 * A function from scalars to scalars that calls itself or others, and reads definitions that are
 * there before it is called.
 */
export interface ScalarFunction {
  readonly name: string;
  /** Complete, like the results, once the function is lowered. */
  parameters: readonly Parameter[];
  /** Filled once, when the function is lowered, because its results may call it. */
  results: readonly Scalar[];
  /** What it prints and asserts when it is called for that; its value is a question of its own. */
  effects?: readonly FunctionEffect[];
  /** How its results move, where the program says so. */
  rule?: FunctionRule;
  /** The cells that it goes through, a call of itself for each, where that is known. */
  readonly rounds?: Pick<Clause, "loops" | "guards">;
  /** The function whose calls it takes back. */
  readonly takesBack?: ScalarFunction;
  readonly needs: Set<Definition>;
  readonly span: Span;
}

/** Happens where each condition has this outcome; they are tested in order. */
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
 * A tangent rule of a function: one result for each of the function's, linear in the tangents of
 * its float parameters.
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
  /** Inside a function, a derivative that is still to be taken: its value is nothing yet. */
  readonly slope?: Slope | undefined;
}

/**
 * `@of / @by` between scalars of a function; `by` is a local or a parameter of it, or the first
 * cell of a tensor from around it.
 */
export interface Slope {
  readonly of: Scalar;
  readonly by: Scalar;
  /** What `by` is, where it is there before the function is called. */
  readonly around?: Definition | undefined;
  readonly span: Span;
}

// ── the program around the definitions ──────────────────────────────────────────────────────────

export interface Program {
  readonly inputs: readonly Definition[];
  /** Extents that the inputs pin, by dimension name. */
  readonly dimensions: ReadonlyMap<string, Variable>;
  /**
   * Integer scalars whose value the solver uses by name: set when their definition has been
   * computed. Derivatives add their own.
   */
  readonly scalars: Map<Variable, Definition>;
  readonly agreements: readonly Agreement[];
  /** Integer scalars in agreements that prints and assertions need: they are computed first. */
  readonly held: readonly Definition[];
  readonly actions: readonly HostAction[];
  /** What can be asked for, by name; "_" is the final expression. */
  readonly outputs: ReadonlyMap<string, Output>;
  /** Strings that can be asked for: they are put together outside of the definitions. */
  readonly texts: ReadonlyMap<string, TextOutput>;
  /** Names of definitions, so that further ones get others. */
  readonly names: Set<string>;
}

export interface Output {
  readonly definition: Definition;
}

/** Everything that can be asked for, in program order. */
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

/** An action happens where each condition has this outcome; they are tested in order. */
export interface HostBranch {
  readonly condition: Definition;
  readonly holds: boolean;
}

/** A piece of printed text. */
export type HostPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly definition: Definition }
  /** Source that the compiler derives and puts in the place of this part. */
  | {
      readonly kind: "derivation";
      readonly of: Definition;
      readonly wrt?: Definition;
      /** What a Jacobian's coordinates are called, where the program says so. */
      readonly names?: readonly (string | undefined)[];
    }
  /**
   * Brackets around the parts at every position of the first axis of `over`; values inside are read
   * there.
   */
  | { readonly kind: "each"; readonly over: Definition; readonly parts: readonly HostPart[] }
  /** Ragged rows: where they begin, level after level, and the cells of all. */
  | { readonly kind: "rows"; readonly starts: readonly Definition[]; readonly flat: Definition }
  /** A text inside of something else, as one writes it. */
  | { readonly kind: "quoted"; readonly parts: readonly HostPart[] }
  | { readonly kind: "formatted"; readonly parts: readonly HostPart[]; readonly format: string }
  | {
      readonly kind: "choice";
      readonly condition: Definition;
      readonly then: readonly HostPart[];
      readonly otherwise: readonly HostPart[];
    };
