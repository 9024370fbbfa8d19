// Reads index notation in TypeScript's type system, so that `ein("…")` has types before it runs. It
// understands `let` and `input` statements made of names, brackets, calls and operators. All other
// texts are left to the compiler. An error here is always an error of the compiler too.
//
//   ein("let C[i, j] = sum[k](A[i, k] * B[k, j]);")  // a function of A and B

import type { Given, Shape, Value } from "./value.ts";
import type { DType } from "../scalar/types.ts";

/**
 * `text` is the text itself, or a sentence that says what is wrong with it. `function` is the
 * function of the inputs.
 */
export interface Equation<T extends string> {
  readonly text: TextProblem<Read<T>> extends never ? T : TextProblem<Read<T>>;
  readonly function: FunctionOf<Read<T>>;
}

type FunctionOf<P> = P extends Text
  ? <const I extends { readonly [N in NeededNames<P>]: Given }>(
      inputs: I extends Fitting<P, I> ? I : Fitting<P, I>,
    ) => Promise<{ readonly [N in P["lets"][number] as N["name"]]: Result<P, N, I> }>
  : (inputs?: Readonly<Record<string, Given>>) => Promise<Readonly<Record<string, Value>>>;

// ── words ───────────────────────────────────────────────────────────────────────────────────────

type Lower =
  | "a"
  | "b"
  | "c"
  | "d"
  | "e"
  | "f"
  | "g"
  | "h"
  | "i"
  | "j"
  | "k"
  | "l"
  | "m"
  | "n"
  | "o"
  | "p"
  | "q"
  | "r"
  | "s"
  | "t"
  | "u"
  | "v"
  | "w"
  | "x"
  | "y"
  | "z";
type Letter = Lower | Uppercase<Lower> | "_";
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
type Space = " " | "\n" | "\t" | "\r";
type Tokens = readonly string[];

/** Splits a text into words and single signs, without spaces. */
type Lex<
  S extends string,
  W extends string = "",
  Out extends Tokens = [],
> = S extends `${infer C}${infer R}`
  ? C extends Space
    ? Lex<R, "", W extends "" ? Out : [...Out, W]>
    : C extends Letter | Digit
      ? Lex<R, `${W}${C}`, Out>
      : Lex<R, "", W extends "" ? [...Out, C] : [...Out, W, C]>
  : W extends ""
    ? Out
    : [...Out, W];

type Name = `${Letter}${string}`;

/** Words that are not names of values. */
type Reserved = "as" | "in" | "rev" | "true" | "false" | DType;

/** Signs and words that this reader leaves to the compiler. */
type Foreign =
  "|" | "{" | "}" | '"' | "@" | "where" | "if" | "match" | "fn" | "?" | "!" | ":" | "&";

// ── brackets ────────────────────────────────────────────────────────────────────────────────────

type Tail<T extends Tokens> = T extends readonly [string, ...infer R extends Tokens] ? R : [];

interface Bracket<I extends readonly Tokens[], A extends Tokens> {
  readonly items: I;
  readonly after: A;
}

/** The items of a bracket between its own commas, and the tokens after the bracket. */
type Items<
  T extends Tokens,
  Depth extends Tokens = [],
  Item extends Tokens = [],
  Found extends readonly Tokens[] = [],
> = T extends readonly [infer H extends string, ...infer R extends Tokens]
  ? H extends "]"
    ? Depth extends readonly []
      ? Bracket<Item extends readonly [] ? Found : [...Found, Item], R>
      : Items<R, Tail<Depth>, [...Item, H], Found>
    : H extends "[" | "("
      ? Items<R, [H, ...Depth], [...Item, H], Found>
      : H extends ")"
        ? Items<R, Tail<Depth>, [...Item, H], Found>
        : H extends ","
          ? Depth extends readonly []
            ? Items<R, [], [], [...Found, Item]>
            : Items<R, Depth, [...Item, H], Found>
          : Items<R, Depth, [...Item, H], Found>
  : "unbalanced";

type Flat<I extends readonly Tokens[]> = I extends readonly [
  infer H extends Tokens,
  ...infer R extends readonly Tokens[],
]
  ? [...H, ",", ...Flat<R>]
  : [];

/**
 * The first name of each item. `Ranged` has the names with a range of their own, as in `i in 0..n`.
 */
type Heads<I extends readonly Tokens[]> = {
  [K in keyof I]: I[K] extends readonly [infer H extends string, ...Tokens] ? H : never;
};
type Ranged<I extends readonly Tokens[]> = I[number] extends infer One
  ? One extends readonly [infer H extends string, "in", ...Tokens]
    ? H
    : never
  : never;

// ── statements ──────────────────────────────────────────────────────────────────────────────────

interface Access {
  readonly name: string;
  readonly items: readonly Tokens[];
}

interface Body {
  readonly reads: readonly Access[];
  /** Coordinates that reductions and calls bind. */
  readonly bound: string;
  readonly ranged: string;
  /** Names outside of brackets. */
  readonly words: string;
}

/** Collects the reads of a right-hand side, from left to right. */
type Scan<
  T extends Tokens,
  Reads extends readonly Access[] = [],
  Bound extends string = never,
  Long extends string = never,
  Words extends string = never,
> = T extends readonly [infer N extends string, "[", ...infer R extends Tokens]
  ? N extends Name
    ? Items<R> extends Bracket<infer I, infer A>
      ? A extends readonly ["(", ...Tokens]
        ? Scan<A, Reads, Bound | Heads<I>[number], Long | Ranged<I>, Words>
        : A extends readonly ["[", ...Tokens]
          ? "foreign"
          : Scan<
              [...Flat<I>, ...A],
              [...Reads, { readonly name: N; readonly items: I }],
              Bound,
              Long,
              Words
            >
      : "foreign"
    : "foreign"
  : T extends readonly [string, "(", ...infer R extends Tokens]
    ? Scan<R, Reads, Bound, Long, Words>
    : T extends readonly [infer N extends string, ...infer R extends Tokens]
      ? Scan<R, Reads, Bound, Long, N extends Reserved ? Words : N extends Name ? Words | N : Words>
      : {
          readonly reads: Reads;
          readonly bound: Bound;
          readonly ranged: Long;
          readonly words: Words;
        };

interface Let extends Body {
  readonly name: string;
  readonly left: readonly string[];
  readonly leftRanged: string;
}

interface Input {
  readonly name: string;
  readonly dtype: DType;
  readonly dims: readonly string[];
}

type Parse<T extends Tokens> = T extends readonly [
  "let",
  infer N extends string,
  "[",
  ...infer R extends Tokens,
]
  ? Items<R> extends Bracket<infer I, infer A>
    ? A extends readonly ["=", ...infer E extends Tokens]
      ? LetOf<N, I, E>
      : "foreign"
    : "foreign"
  : T extends readonly ["let", infer N extends string, "=", ...infer E extends Tokens]
    ? LetOf<N, [], E>
    : T extends readonly [
          "input",
          infer N extends string,
          ":",
          "[",
          infer D extends DType,
          ...infer R extends Tokens,
        ]
      ? R extends readonly [";", ...infer Q extends Tokens]
        ? Items<Q> extends Bracket<infer I, []>
          ? { readonly name: N; readonly dtype: D; readonly dims: Heads<I> }
          : "foreign"
        : R extends readonly ["]"]
          ? { readonly name: N; readonly dtype: D; readonly dims: readonly ["?"] }
          : "foreign"
      : T extends readonly ["input", infer N extends string, ":", infer D extends DType]
        ? { readonly name: N; readonly dtype: D; readonly dims: readonly [] }
        : "foreign";

type LetOf<N extends string, I extends readonly Tokens[], E extends Tokens> = E[number] &
  Foreign extends never
  ? "=" extends E[number]
    ? "foreign"
    : Scan<E> extends infer B extends Body
      ? {
          readonly name: N;
          readonly left: Heads<I>;
          readonly leftRanged: Ranged<I>;
          readonly reads: B["reads"];
          readonly bound: B["bound"];
          readonly ranged: B["ranged"];
          readonly words: B["words"];
        }
      : "foreign"
  : "foreign";

/** A text that was understood completely. */
interface Text {
  readonly lets: readonly Let[];
  readonly inputs: readonly Input[];
}

/** Splits a text at its semicolons, except those in a type such as `[f32; n]`. */
type Statements<S extends string, Begun extends string = ""> = S extends `${infer A};${infer B}`
  ? `${Begun}${A}` extends `${string}[${infer In}`
    ? In extends `${string}]${string}`
      ? [`${Begun}${A}`, ...Statements<B>]
      : Statements<B, `${Begun}${A};`>
    : [`${Begun}${A}`, ...Statements<B>]
  : [`${Begun}${S}`];

type Collect<
  S extends readonly string[],
  P extends Text = { lets: []; inputs: [] },
> = S extends readonly [infer H extends string, ...infer R extends readonly string[]]
  ? H extends `${string}//${string}`
    ? "foreign"
    : Lex<H> extends infer W extends Tokens
      ? W extends readonly []
        ? Collect<R, P>
        : Parse<W> extends infer One
          ? One extends Let
            ? Collect<R, { lets: [...P["lets"], One]; inputs: P["inputs"] }>
            : One extends Input
              ? Collect<R, { lets: P["lets"]; inputs: [...P["inputs"], One] }>
              : "foreign"
          : "foreign"
      : "foreign"
  : P;

type Read<T extends string> = string extends T ? "foreign" : Collect<Statements<T>>;

// ── what is wrong with a text ───────────────────────────────────────────────────────────────────

type Defined<P extends Text> = P["lets"][number]["name"] | P["inputs"][number]["name"];

type TextProblem<P> = P extends Text ? LetProblem<P, P["lets"][number]> : never;

type LetProblem<P extends Text, L extends Let> = L extends Let
  ? FreeCoordinate<P, L> extends infer C
    ? [C] extends [never]
      ? TooManyIndices<P, L["reads"][number]>
      : C extends string
        ? `\`${C}\` is neither on the left of \`${L["name"]}\` nor reduced: ${Remedy<C>}`
        : never
    : never
  : never;

type Remedy<C extends string> = `write sum[${C}](…), or \`${C}\` on the left`;
/** Names that are an index by themselves and that nothing binds. */
type FreeCoordinate<P extends Text, L extends Let> = Exclude<
  BareItems<L["reads"][number]>,
  L["left"][number] | L["bound"] | Defined<P> | Reserved
>;

type BareItems<A extends Access> = A extends Access
  ? A["items"][number] extends infer One
    ? One extends readonly [infer N extends Name]
      ? N
      : never
    : never
  : never;

type TooManyIndices<P extends Text, R extends Access> = R extends Access
  ? DeclaredRank<P, R["name"]> extends infer D extends Tokens
    ? Longer<R["items"], D> extends true
      ? `\`${R["name"]}\` has rank ${D["length"]}, and is indexed with ${R["items"]["length"]}`
      : never
    : never
  : never;

/** A list as long as the rank of a name that the text defines. */
type DeclaredRank<P extends Text, N extends string> =
  Extract<P["lets"][number], { readonly name: N }> extends infer L
    ? [L] extends [never]
      ? Extract<P["inputs"][number], { readonly name: N }> extends infer I
        ? [I] extends [Input]
          ? [I] extends [never]
            ? never
            : I["dims"]
          : never
        : never
      : L extends Let
        ? L["left"]
        : never
    : never;

/** Whether A is longer than B. An empty B stands for a plain `let`, which may have any rank. */
type Longer<A extends readonly unknown[], B extends readonly unknown[]> = B extends readonly []
  ? false
  : A extends readonly [unknown, ...infer R extends readonly unknown[]]
    ? B extends readonly [unknown, ...infer S extends readonly unknown[]]
      ? S extends readonly []
        ? R extends readonly []
          ? false
          : true
        : Longer<R, S>
      : true
    : false;

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

/**
 * `ReadNames` are the names that are read with indices, and `WordNames` those without.
 * `NeededNames` are the inputs: the names of both kinds that no `let` defines.
 */
type ReadNames<P extends Text> = P["lets"][number]["reads"][number]["name"];
type WordNames<P extends Text> = P["lets"][number] extends infer L
  ? L extends Let
    ? Exclude<L["words"], L["left"][number] | L["bound"] | BareItems<L["reads"][number]>>
    : never
  : never;
type NeededNames<P extends Text> =
  Exclude<ReadNames<P> | WordNames<P>, P["lets"][number]["name"]> | P["inputs"][number]["name"];

type Reads<P extends Text, N extends string> = Extract<
  P["lets"][number]["reads"][number],
  { readonly name: N }
>;

/** The rank of an input: as declared, or the largest number of indices in its reads. */
type RankOf<P extends Text, N extends string> =
  Extract<P["inputs"][number], { readonly name: N }> extends infer I
    ? [I] extends [never]
      ? [Reads<P, N>] extends [never]
        ? 0
        : Longest<Reads<P, N>["items"]["length"]>
      : I extends Input
        ? I["dims"]["length"]
        : never
    : never;

type Longest<L extends number, Count extends readonly unknown[] = []> = [L] extends [
  Count["length"],
]
  ? Count["length"]
  : Longest<Exclude<L, Count["length"]>, [...Count, unknown]>;

type ShapeOf<V> = V extends { readonly shape: infer S extends Shape } ? S : unknown;
type DTypeOf<V> = V extends { readonly dtype: infer D extends DType } ? D : unknown;

/**
 * The type that the inputs must have. An input that does not fit becomes a sentence; a disagreement
 * between inputs replaces the whole object.
 */
type Fitting<P extends Text, I> =
  Disagreement<P, I> extends infer Problem
    ? [Problem] extends [never]
      ? { readonly [N in NeededNames<P>]: N extends keyof I ? Accepted<P, N, I[N]> : Given }
      : Problem
    : never;

type Accepted<P extends Text, N extends string, V> =
  ShapeOf<V> extends infer S extends Shape
    ? number extends S["length"]
      ? DTypeFits<P, N, V>
      : S["length"] extends RankOf<P, N>
        ? ExtentFits<P, N, V, S>
        : `\`${N}\` has rank ${RankOf<P, N>} in this text, and this value has rank ${S["length"]}`
    : V;

type DTypeFits<P extends Text, N extends string, V> =
  Extract<P["inputs"][number], { readonly name: N }> extends infer I
    ? [I] extends [never]
      ? V
      : I extends Input
        ? DTypeOf<V> extends DType
          ? DTypeOf<V> extends I["dtype"]
            ? V
            : `\`${N}\` is declared ${I["dtype"]}, and this value is ${DTypeOf<V>}`
          : V
        : V
    : V;

/** Checks the extents that a declaration fixes. */
type ExtentFits<P extends Text, N extends string, V, S extends Shape> =
  Extract<P["inputs"][number], { readonly name: N }> extends infer I
    ? [I] extends [never]
      ? V
      : I extends Input
        ? FixedMismatch<N, I["dims"], S> extends infer Problem
          ? [Problem] extends [never]
            ? DTypeFits<P, N, V>
            : Problem
          : V
        : V
    : V;

type FixedMismatch<N extends string, Dims extends readonly string[], S extends Shape> = {
  [K in keyof Dims]: K extends `${number}`
    ? Dims[K] extends `${infer E extends number}`
      ? K extends keyof S
        ? number extends S[K]
          ? never
          : S[K] extends E
            ? never
            : `axis ${K} of \`${N}\` has extent ${E}, and this value has ${S[K] & number} there`
        : never
      : never
    : never;
}[number];

// ── extents ─────────────────────────────────────────────────────────────────────────────────────

/** The extent that a coordinate gets from an axis. */
interface Extent {
  readonly of: string;
  readonly size: number;
  readonly from: string;
}

/** The literal extents of an input, by the coordinates or names of its axes. */
type Extents<N extends string, Items extends readonly unknown[], S> = {
  [K in keyof Items]: K extends keyof S
    ? S[K] extends number
      ? number extends S[K]
        ? never
        : Items[K] extends readonly [infer C extends Name]
          ? { readonly of: C; readonly size: S[K]; readonly from: `axis ${K & string} of \`${N}\`` }
          : Items[K] extends Name
            ? {
                readonly of: Items[K];
                readonly size: S[K];
                readonly from: `axis ${K & string} of \`${N}\``;
              }
            : never
      : never
    : never;
}[number];

type ExtentsOf<P extends Text, L extends Let, I> = L["reads"][number] extends infer A
  ? A extends Access
    ? A["name"] extends keyof I
      ? A["name"] extends P["lets"][number]["name"]
        ? never
        : Extents<A["name"], A["items"], ShapeOf<I[A["name"]]>>
      : never
    : never
  : never;

type DeclaredExtents<P extends Text, I> = P["inputs"][number] extends infer D
  ? D extends Input
    ? D["name"] extends keyof I
      ? Extents<D["name"], D["dims"], ShapeOf<I[D["name"]]>>
      : never
    : never
  : never;

/**
 * The extents that must agree. A coordinate with a range of its own only has to stay within each
 * axis.
 */
type MustAgree<E extends Extent, Free extends string> = E extends Extent
  ? E["of"] extends Free
    ? never
    : E
  : never;

type Clash<E extends Extent, All extends Extent = E> = E extends Extent
  ? Exclude<
      Extract<All, { readonly of: E["of"] }>,
      { readonly size: E["size"] }
    > extends infer Other
    ? Other extends Extent
      ? E["size"] extends Smaller<E["size"], Other["size"]>
        ? `\`${E["of"]}\` is ${E["size"]} in ${E["from"]} and ${Other["size"]} in ${Other["from"]}`
        : never
      : never
    : never
  : never;

/** The smaller of two literal numbers, whichever comes first, so that a pair is reported once. */
type Smaller<A extends number, B extends number> = `${A}` extends `-${string}`
  ? A
  : Less<A, B> extends true
    ? A
    : B;
type Less<
  A extends number,
  B extends number,
  Count extends readonly unknown[] = [],
> = Count["length"] extends A
  ? true
  : Count["length"] extends B
    ? false
    : Count["length"] extends 900
      ? true
      : Less<A, B, [...Count, unknown]>;

type Disagreement<P extends Text, I> = [Clash<DeclaredExtents<P, I>>] extends [never]
  ? Disagreeing<P, P["lets"][number], I>
  : Clash<DeclaredExtents<P, I>>;
type Disagreeing<P extends Text, L extends Let, I> = L extends Let
  ? Clash<MustAgree<ExtentsOf<P, L, I>, L["ranged"] | L["leftRanged"]>>
  : never;

// ── results ─────────────────────────────────────────────────────────────────────────────────────

/**
 * The type of a result. Coordinates with literal extents give it literal extents. A plain `let` may
 * have any rank.
 */
type Result<P extends Text, L extends Let, I> = L["left"] extends readonly []
  ? Value
  : Value<DType, Sizes<L["left"], ExtentsOf<P, L, I>, L["leftRanged"]>>;

type Sizes<Left extends readonly string[], E extends Extent, Free extends string> = {
  readonly [K in keyof Left]: Left[K] extends Free ? number : SizeOf<E, Left[K]>;
};

type SizeOf<E extends Extent, N extends string> =
  Extract<E, { readonly of: N }> extends infer X
    ? [X] extends [never]
      ? number
      : X extends Extent
        ? X["size"]
        : number
    : number;
