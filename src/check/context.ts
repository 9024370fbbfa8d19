// The state of the checker. `Checker` is shared by one whole check: messages, solver variables,
// agreements. `Place` says where one expression stands: names in scope, guards, enclosing function.
// `Frame` collects the coordinates of one statement and their uses, from which ranges are inferred:
//
//   let y[i] = x[i] + z[i + 1];   // frame: binder `i`; uses: axis 0 of `x`, axis 0 of `z`

import type { Diagnostic, DiagnosticParts } from "../diagnostics/diagnostic.ts";
import { error, warning } from "../diagnostics/diagnostic.ts";
import type { Code } from "../diagnostics/codes.ts";
import type * as ast from "../syntax/tree/ast.ts";
import { isInLibrary, type Source, type Span } from "../base/source.ts";
import type { Elaborators } from "./elaborators.ts";
import { libraryTexts, type LibraryTexts } from "./names/library-texts.ts";
import { variable, type Term, type Variable } from "../affine/term.ts";
import type { Axis, Domain, Element } from "./types/types.ts";
import { wrong } from "./types/types.ts";
import type {
  Action,
  Binder,
  Branch,
  Filter,
  TensorBinding,
  Typed,
  ValueBinding,
} from "./types/typed.ts";
import type { Agreement } from "../affine/agreement.ts";
import type { Ambiguity, FunctionBinding, ModuleBinding, Scope } from "./names/scope.ts";
import type { ReadModule } from "./names/read-module.ts";

/** What all parts of one check share. */
export interface Checker {
  readonly elaborators: Elaborators;
  diagnostics: Diagnostic[];
  /** The opaque variables of integer expressions, by the structure of the expression. */
  readonly opaque: Map<string, Variable>;
  readonly opaqueValue: Map<Variable, Typed>;
  /**
   * Variables that count the positions that a filter accepts, each with the number of all
   * positions.
   */
  readonly countedAmong: Map<Variable, Term>;
  /**
   * Variables of integer scalars that are used by name: inputs, and bindings whose value the solver
   * cannot see into.
   */
  readonly scalars: Map<Variable, ValueBinding>;
  /**
   * Variables of extents: of dimension names and of axes of unknown extent. They are never
   * negative.
   */
  readonly extents: Set<Variable>;
  /** Variables of parameters of instances (functions that stay functions). */
  readonly parameters: Map<Variable, ValueBinding>;
  /**
   * Number literals. When their types are known, each value is compared with the range of its type.
   */
  readonly literals: Literal[];
  /** Names that a plain `let` gives to differentials, as in `let dx = @x;`. */
  readonly differentials: Set<string>;
  /** Denominators of requests. Each stays a definition of its own, whatever its value is. */
  readonly denominators: Set<ValueBinding | TensorBinding>;
  /** The functions whose bodies some call has checked. */
  readonly called: Set<ast.Fn>;
  /** The functions made of each lambda, one for each place where the lambda was elaborated. */
  readonly lambdas: Map<ast.Lambda, FunctionBinding[]>;
  /**
   * Arms of `match` that some value may take. `passedOver` holds the arms of recursive functions
   * that no elaborated call could take.
   */
  readonly elaborated: Set<ast.Arm>;
  readonly passedOver: Set<ast.Arm>;
  /**
   * Ranks of inputs that are declared without one, as far as the host has supplied their values.
   */
  readonly ranks: ReadonlyMap<string, number>;
  /** Inputs of unknown rank. Whatever reads one is checked only once its value has arrived. */
  readonly unranked: Set<string>;
  /** Pairs of extents that must be equal once their values are known. */
  readonly agreements: Agreement[];
  /**
   * Who needs an agreement: a binding at the top of the file, or "host" for a print or an
   * assertion. An agreement inside an instance belongs to "function", and nothing outside needs it.
   */
  readonly neededBy: Map<Agreement, ValueBinding | TensorBinding | "host" | "function">;
  /** The positions in the text at which the parser could not read a statement. */
  readonly damage: readonly number[];
  /** The text of the main file. */
  readonly root?: Source;
  /** Finds the text of a module that is declared as `mod m;`. */
  readonly readModule?: ReadModule;
  /** Constants and integers that stand in a type where a dimension name could stand. */
  readonly taken: TakenName[];
  /** Names that two `use …::*` bring with different meanings, and the places of the two. */
  readonly ambiguities: { readonly place: Place; readonly two: Ambiguity }[];
  /** The modules of the program that have been checked. */
  readonly modules: ModuleBinding[];
  /** The texts of the standard library. They are read only if the program uses them. */
  readonly library: () => LibraryTexts;
  /**
   * The results of functions that nothing calls, for arguments of symbolic extents. They are
   * analysed for further mistakes and never computed.
   */
  readonly uncalled: ValueBinding[];
  /**
   * Right bindings inside wrong functions, and right clauses of wrong tensors. They are still
   * analysed.
   */
  readonly salvaged: (ValueBinding | TensorBinding)[];
  /**
   * Where an expression was first dropped without a message, because another message explains it.
   */
  silenced?: Span;
}

export interface Literal {
  value: number | bigint;
  readonly element: Element;
  readonly span: Span;
}

/** A constant or integer that stands in a type where a dimension name could stand. */
export interface TakenName {
  readonly name: string;
  /** The place in the type. */
  readonly at: Span;
  /** The place of its declaration. */
  readonly declared: Span;
  /** A description for a message, such as "the constant 3". */
  readonly what: string;
}

/** Where an expression stands: what it can see, and what is allowed there. */
export interface Place {
  readonly checker: Checker;
  readonly scope: Scope;
  /** The coordinates of the enclosing statement, and the axes that they index. */
  readonly frame: Frame;
  /**
   * Coordinates that an integer condition around this place mentions. Affine uses of them do not
   * restrict ranges: in `if i > 0 { x[i - 1] } else { 0.0 }` the read does not say where `i`
   * starts.
   */
  readonly guarded: ReadonlySet<Variable>;
  /** Receives the prints and assertions of the functions that are called here, in order. */
  readonly effects: Action[];
  /** The branches that a run must take for an effect here to happen. */
  readonly when: readonly Branch[];
  /**
   * The indexed body, reduction or comprehension around this place. `print` and `assert` cannot
   * stand in one.
   */
  readonly indexed?: Span;
  /** The innermost reduction with coordinates around this place. */
  readonly reduction?: ast.Call;
  /** True inside a comprehension: rows of different lengths may meet there. */
  readonly rows?: true;
  /** The instance whose body this is. */
  readonly recursion?: Span;
  /** True in the body of an instance that allocates arrays while it runs. */
  readonly arrays?: boolean;
  /** True in the body of an instance that is called where a print is allowed. */
  readonly acts?: boolean;
  /**
   * Tensors of the recurrence groups around this place. They may be read before they are finished.
   */
  readonly group?: ReadonlySet<TensorBinding>;
  /** The guards of the coordinate calls around this place. */
  readonly filters: readonly Filter[];
  /** The indexed `let` around this place. */
  readonly statement?: ast.IndexedLet;
  /** The domains of the dimension names in the signature of the enclosing function. */
  readonly signature?: ReadonlyMap<string, Domain>;
  /**
   * Coordinates of the signature that stand for positions here. They cannot be computed with
   * outside of indices, comparisons and ranges.
   */
  readonly standing?: ReadonlySet<Variable>;
  /** What the type words `float`, `int` and `num` stand for in the enclosing function. */
  readonly words?: ReadonlyMap<string, Element>;
  /**
   * The names of the slots on the left, if the right side is a call. The axes of its result get
   * them.
   */
  readonly leftNames?: readonly string[];
  /** True inside a block or function. Its caller puts the effects in order. */
  readonly inner?: boolean;
  /** In the body of a rule: the parameters that have a tangent. */
  readonly tangents?: ReadonlySet<string>;
  /** The functions whose rules enclose this place. */
  readonly ruling?: ReadonlySet<ast.Fn>;
  /** The names of the denominators of all requests in the text around this place. */
  readonly asked?: ReadonlySet<string>;
  /** In the library: the call in the user's program that led here. */
  readonly call?: Span;
  /** The functions whose bodies enclose this place, the outermost first. */
  readonly calls: readonly ast.Fn[];
  /**
   * True while the calls of a recursive function are written out. A condition whose outcome is
   * known is then decided at once.
   */
  readonly unrolled?: boolean;
}

/**
 * What the signature of a function and the guards of its call say about the coordinates in its
 * body.
 */
export type Within = Pick<Place, "signature" | "filters">;

/**
 * The coordinates of one statement that have no explicit range, and every index in which a
 * coordinate stands.
 */
export interface Frame {
  readonly left: Binder[];
  readonly reduced: Binder[];
  /**
   * The function in whose body a reduced coordinate stands. The statement may be outside of it.
   */
  readonly within: Map<Binder, Within>;
  readonly uses: Use[];
  /** The calls of this statement that have been checked, by function and arguments. */
  readonly calls: Map<string, readonly CheckedCall[]>;
  /** Free names that have been reported. Each is reported once in a statement. */
  readonly reported: Set<string>;
  /**
   * True if a part of the statement is wrong and was reported elsewhere. The use that determines a
   * range may then be missing.
   */
  spoiled: boolean;
}

/** The value of a call. It is valid wherever the same branches are taken. */
export interface CheckedCall {
  readonly binding: ValueBinding | "wrong";
  readonly when: readonly Branch[];
}

/** One index of a read: `tensor[… index …]` on one axis. */
export interface Use {
  readonly index: Typed;
  readonly term: Term;
  readonly axis: () => Axis;
  readonly tensor: string;
  /**
   * True if the tensor is still being declared. Its extent is then that of its earlier clauses.
   */
  readonly growing: boolean;
  readonly span: Span;
  readonly guarded: ReadonlySet<Variable>;
  /** All indices of the same read. Absent for an axis that a signature declares. */
  readonly read?: readonly Use[];
}

/** The texts that a program may refer to. */
interface Texts {
  readonly root?: Source;
  readonly readModule?: ReadModule | undefined;
}

export function newChecker(
  elaborators: Elaborators,
  ranks: ReadonlyMap<string, number> = new Map(),
  damage: readonly number[] = [],
  { root, readModule }: Texts = {},
): Checker {
  return {
    elaborators,
    diagnostics: [],
    opaque: new Map(),
    opaqueValue: new Map(),
    countedAmong: new Map(),
    scalars: new Map(),
    extents: new Set(),
    parameters: new Map(),
    agreements: [],
    neededBy: new Map(),
    literals: [],
    differentials: new Set(),
    denominators: new Set(),
    called: new Set(),
    lambdas: new Map(),
    elaborated: new Set(),
    passedOver: new Set(),
    ranks,
    unranked: new Set(),
    damage,
    taken: [],
    ambiguities: [],
    modules: [],
    uncalled: [],
    salvaged: [],
    library: libraryTexts,
    ...(root ? { root } : {}),
    ...(readModule ? { readModule } : {}),
  };
}

/** A place outside of every statement and function. */
export function placeIn(checker: Checker, scope: Scope): Place {
  return {
    checker,
    scope,
    frame: newFrame(),
    guarded: new Set(),
    effects: [],
    when: [],
    filters: [],
    calls: [],
  };
}

export function newFrame(): Frame {
  return {
    left: [],
    reduced: [],
    within: new Map(),
    uses: [],
    calls: new Map(),
    reported: new Set(),
    spoiled: false,
  };
}

export function report(
  place: Place,
  code: Code,
  title: string,
  span: Span,
  parts: DiagnosticParts = {},
): void {
  place.checker.diagnostics.push(error(code, title, span, parts));
}

export function lint(
  place: Place,
  code: Code,
  title: string,
  span: Span,
  parts: DiagnosticParts = {},
): void {
  if (isInLibrary(span)) return;
  place.checker.diagnostics.push(warning(code, title, span, parts));
}

/**
 * The place where a condition has the given outcome. Effects there happen only under that outcome.
 */
export function underBranch(place: Place, condition: Typed, holds: boolean): Place {
  if (condition.kind === "constant") return place;
  return { ...place, when: [...place.when, { condition, holds }] };
}

export function errorCount(place: Place): number {
  return place.checker.diagnostics.reduce(
    (count, diagnostic) => count + (diagnostic.level === "error" ? 1 : 0),
    0,
  );
}

/** The place inside an index, a comparison or a range, where positions may be computed with. */
export function amongPositions(place: Place): Place {
  const { standing, ...free } = place;
  return standing ? free : place;
}

/** Reports an error. Gives a stand-in for the wrong expression. */
export function refuse(
  place: Place,
  code: Code,
  title: string,
  span: Span,
  parts: DiagnosticParts = {},
): Typed {
  report(place, code, title, span, parts);
  return wrongAt(span);
}

/** A stand-in for an expression that is wrong because of a mistake reported elsewhere. */
export function silent(place: Place, span: Span): Typed {
  place.frame.spoiled = true;
  place.checker.silenced ??= span;
  return wrongAt(span);
}

export function wrongAt(span: Span): Typed {
  return { kind: "wrong", type: wrong, span };
}

/** For forms that the parser reads and that cannot be run yet. */
export function notBuilt(place: Place, what: string, span: Span, help?: string): Typed {
  return refuse(place, "E0190", `${what} cannot be run yet`, span, { help });
}

/**
 * For a function that would depend on data of the run. Which function is called must be known when
 * compiling.
 */
export function notKnown(place: Place, what: string, span: Span): Typed {
  return refuse(place, "E0508", what, span, {
    help:
      "functions are known when compiling: " +
      "let an `enum` say which one is meant, with what it needs, and apply it in a `match`",
  });
}

/** A new variable for an extent. The solver knows only that it is not negative. */
export function extentVariable(checker: Checker, name: string): Variable {
  const extent = variable(name);
  checker.extents.add(extent);
  return extent;
}
