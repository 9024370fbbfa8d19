// What the checker carries along: the messages so far, the names in sight, and the coordinates
// whose ranges are being found.

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

/** Shared by the whole check of one program. */
export interface Checker {
  readonly elaborators: Elaborators;
  diagnostics: Diagnostic[];
  /** Variables that stand for integer expressions the solver does not look into, by structure. */
  readonly opaque: Map<string, Variable>;
  readonly opaqueValue: Map<Variable, Typed>;
  /** Of how many positions at most a filter accepts so many. */
  readonly countedAmong: Map<Variable, Term>;
  /**
   * Integer scalars that are used by name: inputs, and bindings whose value the solver does not
   * understand.
   */
  readonly scalars: Map<Variable, ValueBinding>;
  /** Extents of dimension names and unknown axes: never negative. */
  readonly extents: Set<Variable>;
  /** Parameters of functions that stay functions. */
  readonly parameters: Map<Variable, ValueBinding>;
  /** Number literals, to be held to the range of the type that they turn out to have. */
  readonly literals: Literal[];
  /** Names that have been given to differentials somewhere. */
  readonly differentials: Set<string>;
  /** Denominators: they stay definitions of their own, whatever their values are. */
  readonly denominators: Set<ValueBinding | TensorBinding>;
  /** Functions that some call has been checked with. */
  readonly called: Set<ast.Fn>;
  /** What lambdas have been made into, each wherever it was met. */
  readonly lambdas: Map<ast.Lambda, FunctionBinding[]>;
  /**
   * Arms of `match` that some value may take, and those that were passed over in a recursive
   * function.
   */
  readonly elaborated: Set<ast.Arm>;
  readonly passedOver: Set<ast.Arm>;
  /** Ranks of the inputs that are declared without one, where the host has given their values. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Inputs whose rank is not known: what depends on them waits for the values. */
  readonly unranked: Set<string>;
  /** Extents that must turn out equal once they are pinned. */
  readonly agreements: Agreement[];
  /**
   * What needs an agreement: a value at the top of the file, a print or an assertion; within a
   * function that stays one, nobody.
   */
  readonly neededBy: Map<Agreement, ValueBinding | TensorBinding | "host" | "function">;
  /** Places in the statements that the parser could not read as they stand. */
  readonly damage: readonly number[];
  /** The text of the program itself. */
  readonly root?: Source;
  /** Finds the text of `mod m;`. */
  readonly readModule?: ReadModule;
  /** Numbers that stand in types where a dimension name could. */
  readonly taken: TakenName[];
  /** Names that two `*` bring, and the places that say so. */
  readonly ambiguities: { readonly place: Place; readonly two: Ambiguity }[];
  /** Modules of the program that have been checked. */
  readonly modules: ModuleBinding[];
  /** The modules of the library, with their texts; asked for only where a program uses them. */
  readonly library: () => LibraryTexts;
  /**
   * What functions that nothing calls give for arguments of symbolic extents: never computed, but
   * looked at.
   */
  readonly uncalled: ValueBinding[];
  /** Bindings in functions and tensors that turned out wrong elsewhere. */
  readonly salvaged: (ValueBinding | TensorBinding)[];
  /** Where something was first taken for the consequence of a mistake reported elsewhere. */
  silenced?: Span;
}

export interface Literal {
  value: number | bigint;
  readonly element: Element;
  readonly span: Span;
}

/** A number that stands where a type would have a dimension name. */
export interface TakenName {
  readonly name: string;
  /** In the type. */
  readonly at: Span;
  /** Where the number is declared. */
  readonly declared: Span;
  /** "the constant 3" */
  readonly what: string;
}

/** Where an expression stands. */
export interface Place {
  readonly checker: Checker;
  readonly scope: Scope;
  /** The coordinates of the statement and what they index. */
  readonly frame: Frame;
  /**
   * Coordinates that an integer condition around this place mentions: affine uses of them do not
   * restrict ranges.
   */
  readonly guarded: ReadonlySet<Variable>;
  /** Where the prints and assertions of functions called here go, in order. */
  readonly effects: Action[];
  /** The branches that have to be taken for an effect here to happen. */
  readonly when: readonly Branch[];
  /** What keeps `print` and `assert` out: the indexed body or reduction around this place. */
  readonly indexed?: Span;
  /** In a comprehension: rows of different lengths may stand beside one another. */
  readonly rows?: true;
  /** The function that stays one whose body this is. */
  readonly recursion?: Span;
  /** In the body of a function that makes arrays while it runs. */
  readonly arrays?: boolean;
  /** In the body of a function that stays one and is called where it may print. */
  readonly acts?: boolean;
  /**
   * Tensors of the recurrence groups around this place: they may be read before they are finished.
   */
  readonly group?: ReadonlySet<TensorBinding>;
  /** Guards of the coordinate calls around this place. */
  readonly filters: readonly Filter[];
  /** The declaration around this place. */
  readonly statement?: ast.IndexedLet;
  /** Domains of the dimension names of the function whose body this is. */
  readonly signature?: ReadonlyMap<string, Domain>;
  /**
   * Coordinates of the signature that stand free here: positions, with which nothing is computed.
   */
  readonly standing?: ReadonlySet<Variable>;
  /** What `float`, `int` and `num` stand for in the function whose body this is. */
  readonly words?: ReadonlyMap<string, Element>;
  /**
   * Names that a declaration's slots give the axes of its right side, where the right side is a
   * call.
   */
  readonly leftNames?: readonly string[];
  /** Inside a block or function: its effects are its caller's to put in order. */
  readonly inner?: boolean;
  /** In the body of a rule: the tangents of the parameters. */
  readonly tangents?: ReadonlySet<string>;
  /** Functions whose rules this place is in. */
  readonly ruling?: ReadonlySet<ast.Fn>;
  /** Names by which derivatives are asked for in the text around this place. */
  readonly asked?: ReadonlySet<string>;
  /** In the library: the call in the program that led here. */
  readonly call?: Span;
  /** The functions whose bodies this place is in. */
  readonly calls: readonly ast.Fn[];
  /**
   * Inside a recursive function that is elaborated: conditions that are known are not left for the
   * run.
   */
  readonly unrolled?: boolean;
}

/** What a function's signature and the guards of its call say about the coordinates in its body. */
export type Within = Pick<Place, "signature" | "filters">;

/**
 * One statement's coordinates without explicit range, and every place where a coordinate indexes
 * something.
 */
export interface Frame {
  readonly left: Binder[];
  readonly reduced: Binder[];
  /** The function in which a reduced coordinate stands, which its statement may be outside of. */
  readonly within: Map<Binder, Within>;
  readonly uses: Use[];
  /** Calls of this statement that have been checked, by function and arguments. */
  readonly calls: Map<string, readonly CheckedCall[]>;
  /** Free names that have been reported: once for a statement is enough. */
  readonly reported: Set<string>;
  /**
   * Something in it is wrong and has been reported elsewhere: the use that determines a range may
   * be lost.
   */
  spoiled: boolean;
}

/** The value of a call, which is there wherever the branches around it are taken. */
export interface CheckedCall {
  readonly binding: ValueBinding | "wrong";
  readonly when: readonly Branch[];
}

/** `tensor[… index …]` on one axis. */
export interface Use {
  readonly index: Typed;
  readonly term: Term;
  readonly axis: () => Axis;
  readonly tensor: string;
  /** Whether the tensor is still growing: its extent is what earlier clauses give. */
  readonly growing: boolean;
  readonly span: Span;
  readonly guarded: ReadonlySet<Variable>;
  /** All indices of the read, this one among them; none of an axis that a signature declares. */
  readonly read?: readonly Use[];
}

/** Texts that the program may refer to. */
export interface Texts {
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

/** A place outside of everything. */
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

/** The same place where a condition has this outcome: effects there happen only then. */
export function underBranch(place: Place, condition: Typed, holds: boolean): Place {
  if (condition.kind === "constant") return place;
  return { ...place, when: [...place.when, { condition, holds }] };
}

/** How many errors have been reported. */
export function errorCount(place: Place): number {
  return place.checker.diagnostics.reduce(
    (count, diagnostic) => count + (diagnostic.level === "error" ? 1 : 0),
    0,
  );
}

/** Inside an index, a comparison or a range, positions are computed with. */
export function amongPositions(place: Place): Place {
  const { standing, ...free } = place;
  return standing ? free : place;
}

/** Reports and stands in for the expression that is wrong. */
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

/**
 * Stands in for something that is wrong because of a mistake that has been reported where it was
 * made.
 */
export function silent(place: Place, span: Span): Typed {
  place.frame.spoiled = true;
  place.checker.silenced ??= span;
  return wrongAt(span);
}

export function wrongAt(span: Span): Typed {
  return { kind: "wrong", type: wrong, span };
}

/** For forms that parse and that a later version will run. */
export function notBuilt(place: Place, what: string, span: Span, help?: string): Typed {
  return refuse(place, "E0190", `${what} cannot be run yet`, span, { help });
}

/**
 * For functions that would be data of the run: which functions there are is known when compiling.
 */
export function notKnown(place: Place, what: string, span: Span): Typed {
  return refuse(place, "E0508", what, span, {
    help:
      "functions are known when compiling: " +
      "let an `enum` say which one is meant, with what it needs, and apply it in a `match`",
  });
}

/** A fresh extent of which only its sign is known. */
export function extentVariable(checker: Checker, name: string): Variable {
  const extent = variable(name);
  checker.extents.add(extent);
  return extent;
}
