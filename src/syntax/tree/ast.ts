// This folder holds the syntax tree, its equality and its printed form; reading text into a tree is
// the work of `parse/`, and writing a tree as text is the work of `format/`.
//
// The tree is what the user wrote. Every node has the span of its text. Parentheses are not kept;
// the formatter writes those that are needed. Comments stand in a list beside the tree, in the
// order of their spans.
//
// Every union here is closed, and `kind` tells its members apart. A form that the parser could not
// read is a node of kind "missing". A diagnostic always comes with that node, so later stages and
// editors still get a whole tree.

import type { Source, Span } from "../../base/source.ts";

export interface Module {
  readonly source: Source;
  readonly statements: readonly Statement[];
  readonly comments: readonly Comment[];
  readonly span: Span;
}

/** `// …`, or with `doc` `/// …`. The text is what follows the slashes, unchanged. */
export interface Comment {
  readonly doc: boolean;
  readonly text: string;
  readonly span: Span;
}

export interface Name {
  readonly text: string;
  readonly span: Span;
}

// ── statements ──────────────────────────────────────────────────────────────────────────────────

export type Statement =
  | Let
  | IndexedLet
  | Const
  | Input
  | Fn
  | TangentFn
  | Use
  | Mod
  | Enum
  | Struct
  | ExpressionStatement
  | MissingStatement;

interface StatementBase {
  readonly span: Span;
  /** The lints that `allow(W0203)` before the statement silences. */
  readonly allow: readonly Name[];
  readonly public: boolean;
}

/** `let x = e;`, `let x: T = e;` or `let (a, b) = e;`, each with an optional `where`. */
export interface Let extends StatementBase {
  readonly kind: "let";
  readonly pattern: Pattern;
  readonly type?: Type;
  readonly value: Expression;
  readonly where?: Where;
}

/**
 * One clause of a tensor: `let y[i in 0..n, 0, ..b] = e where … else d;`. `type` is the type of an
 * element or of the tensor.
 */
export interface IndexedLet extends StatementBase {
  readonly kind: "indexed-let";
  readonly checkpoint: boolean;
  readonly name: Name;
  readonly slots: readonly Slot[];
  readonly type?: Type;
  readonly value: Expression;
  readonly where?: Where;
}

/**
 * One item in the brackets on the left of an indexed `let`. A legal integer slot, `0`, is an
 * `expression` of kind "number". An illegal slot, `t + 1`, is an `expression` too.
 */
export type Slot =
  | {
      readonly kind: "coordinate";
      readonly name: Name;
      readonly range?: Expression;
      readonly span: Span;
    }
  | { readonly kind: "pack"; readonly name: Name; readonly span: Span }
  | { readonly kind: "expression"; readonly value: Expression; readonly span: Span };

export interface Const extends StatementBase {
  readonly kind: "const";
  readonly name: Name;
  readonly type?: Type;
  readonly value: Expression;
}

export interface Input extends StatementBase {
  readonly kind: "input";
  readonly name: Name;
  readonly type: Type;
}

/** A coordinate parameter of a function: `j`, or the pack `..rest`. */
export interface CoordinateParameter {
  readonly name: Name;
  readonly pack: boolean;
  readonly span: Span;
}

export interface Parameter {
  readonly name: Name;
  readonly type?: Type;
  readonly default?: Expression;
  readonly span: Span;
}

export interface Fn extends StatementBase {
  readonly kind: "fn";
  readonly name: Name;
  readonly coordinates: readonly CoordinateParameter[];
  readonly parameters: readonly Parameter[];
  readonly result?: Type;
  readonly body: Block;
}

/** `@fn f(…) { … }`: the tangent rule of `f`. */
export interface TangentFn extends StatementBase {
  readonly kind: "tangent-fn";
  readonly surrogate: boolean;
  readonly name: Name;
  readonly coordinates: readonly CoordinateParameter[];
  readonly parameters: readonly Parameter[];
  readonly result?: Type;
  readonly body: Block;
}

/** `use a::b`, `use a::b as c`, `use a::*`, `use a::{b, c as d, e::*}`. */
export interface Use extends StatementBase {
  readonly kind: "use";
  readonly tree: UseTree;
}

export type UseTree =
  | {
      readonly kind: "name";
      readonly path: readonly Name[];
      readonly as?: Name;
      readonly span: Span;
    }
  | { readonly kind: "all"; readonly path: readonly Name[]; readonly span: Span }
  | {
      readonly kind: "group";
      readonly path: readonly Name[];
      readonly members: readonly UseTree[];
      readonly span: Span;
    };

/** `mod m { … }`, or `mod m;` for the module in a file of its own: `statements` is then absent. */
export interface Mod extends StatementBase {
  readonly kind: "mod";
  readonly name: Name;
  readonly statements?: readonly Statement[];
}

export interface Variant {
  readonly name: Name;
  readonly fields: readonly { readonly name?: Name; readonly type: Type }[];
  readonly span: Span;
}

export interface Enum extends StatementBase {
  readonly kind: "enum";
  readonly name: Name;
  readonly generics: readonly Name[];
  readonly variants: readonly Variant[];
}

export interface Struct extends StatementBase {
  readonly kind: "struct";
  readonly name: Name;
  readonly generics: readonly Name[];
  readonly fields: readonly { readonly name: Name; readonly type: Type }[];
}

/** `e;`, or `e` as the last statement without `;`. */
export interface ExpressionStatement extends StatementBase {
  readonly kind: "expression";
  readonly value: Expression;
}

export interface MissingStatement extends StatementBase {
  readonly kind: "missing";
}

// ── where ───────────────────────────────────────────────────────────────────────────────────────

/** `where item, item else d`. */
export interface Where {
  readonly items: readonly WhereItem[];
  readonly otherwise?: Expression;
  readonly span: Span;
}

export type WhereItem =
  | { readonly kind: "guard"; readonly condition: Expression; readonly span: Span }
  | {
      readonly kind: "binding";
      readonly name: Name;
      readonly value: Expression;
      readonly span: Span;
    };

// ── expressions ─────────────────────────────────────────────────────────────────────────────────

export type Expression =
  | NumberLiteral
  | StringLiteral
  | BoolLiteral
  | Path
  | Unary
  | Binary
  | Range
  | Cast
  | Index
  | Call
  | Member
  | If
  | Block
  | Match
  | Lambda
  | Tuple
  | ArrayLiteral
  | Comprehension
  | StructLiteral
  | Guarded
  | MissingExpression;

export type Suffix = "i8" | "i32" | "i64" | "f16" | "bf16" | "f32" | "f64";

export interface NumberLiteral {
  readonly kind: "number";
  /** The digits as written, without the suffix: `1_000`, `.5`, `1e-5`. */
  readonly text: string;
  readonly float: boolean;
  readonly suffix?: Suffix;
  readonly span: Span;
}

export interface StringLiteral {
  readonly kind: "string";
  readonly parts: readonly StringPart[];
  readonly span: Span;
}

/** A text with its escapes resolved, or `{value:format}`. `format` is the text after the colon. */
export type StringPart =
  | { readonly kind: "text"; readonly text: string; readonly span: Span }
  | {
      readonly kind: "value";
      readonly value: Expression;
      readonly format?: string;
      readonly span: Span;
    };

export interface BoolLiteral {
  readonly kind: "bool";
  readonly value: boolean;
  readonly span: Span;
}

/** `x`, `Shape::Circle`, `std::math::exp`. A path has at least one segment. */
export interface Path {
  readonly kind: "path";
  readonly segments: readonly Name[];
  readonly span: Span;
}

export type UnaryOperator = "-" | "+" | "!" | "@";

export interface Unary {
  readonly kind: "unary";
  readonly operator: UnaryOperator;
  readonly operand: Expression;
  readonly span: Span;
}

export type BinaryOperator =
  | "|>"
  | "||"
  | "&&"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "**";

export interface Binary {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly operatorSpan: Span;
  readonly span: Span;
}

/** `a..b`, or with `inclusive` `a..=b`. */
export interface Range {
  readonly kind: "range";
  readonly from: Expression;
  readonly to: Expression;
  readonly inclusive: boolean;
  readonly span: Span;
}

/** `e as T`. */
export interface Cast {
  readonly kind: "cast";
  readonly operand: Expression;
  readonly type: Type;
  readonly span: Span;
}

/** `a[i, ..b, field = 0]`. */
export interface Index {
  readonly kind: "index";
  readonly base: Expression;
  readonly items: readonly IndexItem[];
  readonly span: Span;
}

export type IndexItem =
  | { readonly kind: "expression"; readonly value: Expression; readonly span: Span }
  | { readonly kind: "pack"; readonly name: Name; readonly span: Span }
  | { readonly kind: "pin"; readonly name: Name; readonly value: Expression; readonly span: Span };

/**
 * `f(x, stride = 2)`; with `bracket`, a coordinate call `f[class](x)` or a reduction `sum[i, j in
 * 0..n](…)`. The parser cannot tell a reduction from a coordinate call; the checker can.
 */
export interface Call {
  readonly kind: "call";
  readonly callee: Expression;
  readonly bracket?: readonly BracketItem[];
  readonly arguments: readonly Argument[];
  readonly span: Span;
}

/** One item in the bracket of a call. `expression` holds an item that is not legal there. */
export type BracketItem =
  | {
      readonly kind: "coordinate";
      readonly name: Name;
      readonly range?: Expression;
      readonly span: Span;
    }
  | { readonly kind: "pack"; readonly name: Name; readonly span: Span }
  | { readonly kind: "group"; readonly names: readonly Name[]; readonly span: Span }
  | { readonly kind: "expression"; readonly value: Expression; readonly span: Span };

/** `e` or `name = e`, where `e` may be `guarded`. */
export interface Argument {
  readonly name?: Name;
  readonly value: Expression;
  readonly span: Span;
}

/** `x.shape`, `pair.0`. */
export interface Member {
  readonly kind: "member";
  readonly base: Expression;
  readonly name: Name;
  readonly span: Span;
}

export interface If {
  readonly kind: "if";
  readonly condition: Expression;
  readonly then: Block;
  readonly otherwise?: Block | If;
  readonly span: Span;
}

/** `{ let …; e }`: the statements, then the value if the block has one. */
export interface Block {
  readonly kind: "block";
  readonly statements: readonly Statement[];
  readonly value?: Expression;
  readonly span: Span;
}

/** `match e { pattern where guard => body, … }`. */
export interface Match {
  readonly kind: "match";
  readonly subject: Expression;
  readonly arms: readonly Arm[];
  readonly span: Span;
}

export interface Arm {
  readonly pattern: Pattern;
  readonly guard?: Expression;
  readonly body: Expression;
  readonly span: Span;
}

export interface Lambda {
  readonly kind: "lambda";
  readonly parameters: readonly { readonly name: Name; readonly type?: Type }[];
  readonly body: Expression;
  readonly span: Span;
}

/** `(a, b)`: a tuple has two or more members. */
export interface Tuple {
  readonly kind: "tuple";
  readonly members: readonly Expression[];
  readonly span: Span;
}

export interface ArrayLiteral {
  readonly kind: "array";
  readonly elements: readonly Expression[];
  readonly span: Span;
}

/** `[e | i in 0..n, x in xs, guard, v = e2]`. */
export interface Comprehension {
  readonly kind: "comprehension";
  readonly element: Expression;
  readonly clauses: readonly ComprehensionClause[];
  readonly span: Span;
}

export type ComprehensionClause =
  | {
      readonly kind: "generator";
      readonly pattern: Pattern;
      readonly source: Expression;
      readonly span: Span;
    }
  | { readonly kind: "guard"; readonly condition: Expression; readonly span: Span }
  | {
      readonly kind: "binding";
      readonly name: Name;
      readonly value: Expression;
      readonly span: Span;
    };

/**
 * `Point { x: 1.0, y }`. The field `y` without a value stands for `y: y`: its value is the path
 * `y`.
 */
export interface StructLiteral {
  readonly kind: "struct-literal";
  readonly path: Path;
  readonly fields: readonly { readonly name: Name; readonly value: Expression }[];
  readonly span: Span;
}

/**
 * `e where …`. A guarded expression stands in an argument, in parentheses, or as the value of a
 * statement or a block.
 */
export interface Guarded {
  readonly kind: "guarded";
  readonly value: Expression;
  readonly where: Where;
  readonly span: Span;
}

export interface MissingExpression {
  readonly kind: "missing";
  readonly span: Span;
}

// ── types ───────────────────────────────────────────────────────────────────────────────────────

export type Type =
  /**
   * A scalar type, one of `float`, `int` and `num`, or a type of the user: `f32`, `Option<f32>`.
   */
  | {
      readonly kind: "named";
      readonly path: readonly Name[];
      readonly arguments: readonly Type[];
      readonly span: Span;
    }
  /** `[f32; dims]`. `[f32]` has rank 1, and `dims` is absent. */
  | {
      readonly kind: "tensor";
      readonly element: Type;
      readonly dims?: readonly Dim[];
      readonly span: Span;
    }
  | { readonly kind: "tuple"; readonly members: readonly Type[]; readonly span: Span }
  | {
      readonly kind: "function";
      readonly parameters: readonly Type[];
      readonly result: Type;
      readonly span: Span;
    }
  | { readonly kind: "jagged"; readonly element: Type; readonly span: Span }
  | { readonly kind: "missing"; readonly span: Span };

export type Dim =
  | { readonly kind: "number"; readonly value: number; readonly span: Span }
  | { readonly kind: "name"; readonly name: Name; readonly span: Span }
  | { readonly kind: "pack"; readonly name: Name; readonly span: Span }
  /** `?`, an axis of any extent. */
  | { readonly kind: "unknown"; readonly span: Span }
  /** `*`, any number of axes. It is legal only as the single dim. */
  | { readonly kind: "any-rank"; readonly span: Span }
  | { readonly kind: "missing"; readonly span: Span };

// ── patterns ────────────────────────────────────────────────────────────────────────────────────

export type Pattern =
  | { readonly kind: "wildcard"; readonly span: Span }
  /** A number, perhaps with `-`, a string or a bool. */
  | { readonly kind: "literal"; readonly value: Expression; readonly span: Span }
  | { readonly kind: "name"; readonly name: Name; readonly span: Span }
  /** `n @ p`: the name `n` for a value that matches `p`. */
  | { readonly kind: "at"; readonly name: Name; readonly pattern: Pattern; readonly span: Span }
  | { readonly kind: "tuple"; readonly members: readonly Pattern[]; readonly span: Span }
  /** `[a, ..rest, b]`: at most one `rest`, with or without a name. */
  | {
      readonly kind: "array";
      readonly before: readonly Pattern[];
      readonly rest?: { readonly name?: Name; readonly span: Span };
      readonly after: readonly Pattern[];
      readonly span: Span;
    }
  | {
      readonly kind: "range";
      readonly from: Expression;
      readonly to: Expression;
      readonly inclusive: boolean;
      readonly span: Span;
    }
  | { readonly kind: "or"; readonly alternatives: readonly Pattern[]; readonly span: Span }
  /**
   * `Shape::Circle(r)` or `Box(w = a, h = b)`. A variant without fields is a path: `Shape::Dot`.
   */
  | {
      readonly kind: "variant";
      readonly path: Path;
      readonly fields: readonly { readonly name?: Name; readonly pattern: Pattern }[];
      readonly span: Span;
    }
  /** `Point { x, y: p, .. }`. `rest` is true where `..` stands. */
  | {
      readonly kind: "struct";
      readonly path: Path;
      readonly fields: readonly { readonly name: Name; readonly pattern: Pattern }[];
      readonly rest: boolean;
      readonly span: Span;
    }
  | { readonly kind: "missing"; readonly span: Span };
