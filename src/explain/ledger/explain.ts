// Explains a derivation: what the sweep recorded of every read that it passed back through, put
// into words.

import type { Pullback } from "../../autodiff/sweep/sweep.ts";
import { clauseOf } from "../../autodiff/transpose/transpose.ts";
import { namedLocals, wordingOf, type Wording } from "../../print/print.ts";
import type { Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { instantiate, coordinateScalar } from "../../ir/substitute.ts";
import { textOf } from "../../base/source.ts";
import type { Derivation } from "../source/derived-source.ts";
import type { ForwardLine, GradientStep, PullbackStep } from "./explanation.ts";
import { ledgerOf, packOf } from "./ledger.ts";
import { statementAt } from "../source/statement-at.ts";
import { tidied, tidyIn } from "../source/tidied.ts";
import { isNamed } from "../source/uses.ts";
import { allLoops } from "../../ir/parts.ts";

/** A gradient on the way: what it is of, and the reads that it comes through. */
export interface Passage {
  readonly definition: Definition;
  readonly adjoint: Definition;
  /** The gradient is another one, handed on as it is. */
  readonly isAlias: boolean;
  readonly pullbacks: readonly Pullback[];
}

/** The words of a derivation. */
export function wordsOf({ program, seed, helpers, derived, swept }: Derivation): Wording {
  const others = [...swept.trace.adjoints.values(), ...swept.trace.adjoints.keys()];
  return wordingOf(program, seed ? [seed] : [], [...helpers, ...derived, ...others]);
}

/**
 * The gradients that have something to explain, from the numerator back. A part of an expression
 * shares its whole's gradient.
 */
export function passagesOf({ swept, seed, denominators }: Derivation): readonly Passage[] {
  const { pullbacks, adjoints } = swept.trace;
  const seen = new Set<Definition>(seed ? [seed] : []);
  const passages: Passage[] = [];
  for (const [definition, adjoint] of adjoints) {
    const arriving = pullbacks.filter((pullback) => pullback.read.definition === definition);
    const isAlias = seen.has(adjoint);
    seen.add(adjoint);
    // Where a gradient is handed on as it is, there is something to say only about a value that the
    // source names.
    const isPlain =
      arriving.every(({ through }) => through.kind !== "clause") || !isNamed(definition);
    if (arriving.every(({ through }) => through.kind === "start")) continue;
    if (isAlias && isPlain && !denominators.includes(definition)) continue;
    passages.push({ definition, adjoint, isAlias, pullbacks: arriving });
  }
  return passages;
}

export function gradientStep(
  derivation: Derivation,
  words: Wording,
  passage: Passage,
): GradientStep {
  const { definition, adjoint, pullbacks, isAlias } = passage;
  const expression = expressionOf(definition);
  return {
    value: words.name(definition),
    ...(expression === undefined ? {} : { expression }),
    gradient: words.name(adjoint),
    pullbacks: pullbacks.map((pullback) => pullbackStep(derivation, words, adjoint, pullback)),
    lines: isAlias ? [] : linesFor(derivation, words, passage),
  };
}

/** The expression of the source that a value without a name is, on one line; a gradient is none. */
function expressionOf(definition: Definition): string | undefined {
  const text = textOf(definition.span).replace(/\s+/g, " ");
  const isGradient = definition.name.startsWith("d_") && !text.startsWith("d_");
  if (isNamed(definition) || isGradient) return undefined;
  // In a tangent rule a parameter's stand-in is what the rule calls `@x`.
  return /^\w+$/.test(text) ? `@${text}` : text;
}

/** What is asked for, with an expression where the source has no name. */
export function requestText(
  words: Wording,
  numerator: Definition,
  denominators: readonly Definition[],
): string {
  const expression = expressionOf(numerator);
  const of =
    expression === undefined
      ? words.name(numerator)
      : /^\(.*\)$/.test(expression)
        ? expression
        : `(${expression})`;
  return `@${of} / ${denominators.map((denominator) => `@${words.name(denominator)}`).join(", ")}`;
}

/**
 * The gradient's own lines, after those of its parts and of what a rule needs beside the primal.
 */
function linesFor(
  { swept, derived }: Derivation,
  words: Wording,
  { adjoint, pullbacks }: Passage,
): readonly string[] {
  const others = new Set(swept.trace.adjoints.values());
  const parts = pullbacks.flatMap(({ piece }) => swept.trace.parts.get(piece) ?? []);
  const found = new Set<Definition>();
  const visit = (definition: Definition): void => {
    if (found.has(definition)) return;
    for (const read of readsOf(definition)) {
      if (derived.includes(read) && !others.has(read) && read !== definition) visit(read);
    }
    found.add(definition);
  };
  for (const definition of [...parts, adjoint]) visit(definition);
  return tidied([...found], () => [...found].flatMap((definition) => words.lines(definition)));
}

/** Scalars of a pullback, in the coordinates of the held cell and of what is summed. */
export function textOfPullback(
  words: Wording,
  adjoint: Definition,
  pullback: Pullback,
): (scalar: Scalar) => string {
  const clause = clauseOf(pullback.piece);
  const [text, tidy] = [words.within(adjoint, clause), tidyIn(allLoops(clause))];
  return (scalar) => text(tidy(scalar));
}

function pullbackStep(
  derivation: Derivation,
  words: Wording,
  adjoint: Definition,
  pullback: Pullback,
): PullbackStep {
  const { read, incoming, local, piece } = pullback;
  const text = textOfPullback(words, adjoint, pullback);
  const here = (scalar: Scalar): string => text(instantiate(scalar, piece.inverse));
  const conditions = [...new Set([...piece.ranges, ...piece.guards, ...piece.ties].map(text))];
  const over = [...new Set(piece.summed.map((loop) => packOf(loop) ?? nameOf(text, loop)))];
  const where = conditions.length > 0 ? ` where ${conditions.join(", ")}` : "";
  const value = text(piece.value);
  const isOne = local.kind === "constant" && local.value === 1;
  return {
    forward: forwardLine(derivation, words, pullback),
    ledger: ledgerOf(pullback, text, derivation.isPrimal),
    hold: cellOf(words, text, read.definition, piece.axes.map(coordinateScalar)),
    cells: {
      cell: cellOf(
        words,
        text,
        pullback.output,
        outputIndices(pullback).map((index) => instantiate(index, piece.inverse)),
        ownerName(derivation, words, pullback.output),
      ),
      every: [
        ...new Set(
          piece.summed.map(
            (loop) =>
              packOf(loop) ?? `${nameOf(text, loop)} in ${text(loop.from)}..${text(loop.to)}`,
          ),
        ),
      ],
      where: conditions,
    },
    ...(incoming ? { incoming: here(incoming) } : {}),
    ...(isOne ? {} : { local: here(local) }),
    bindings: namedLocals(piece.value).map((local) => `${local.name} = ${text(local.value)}`),
    over,
    sum: over.length > 0 ? `sum[${over.join(", ")}](${value}${where})` : `${value}${where}`,
  };
}

/** Where the output cell lies, in the coordinates of the output's own clause. */
export function outputIndices({ through, loops }: Pullback): readonly Scalar[] {
  return (through.kind === "clause" ? through.clause.loops : loops).map((loop) =>
    coordinateScalar(loop),
  );
}

/** A cell of a definition, its packs under their names. */
function cellOf(
  words: Wording,
  text: (scalar: Scalar) => string,
  definition: Definition,
  indices: readonly Scalar[],
  name = words.name(definition),
): string {
  const { element, span } = definition;
  const written = text({ kind: "read", type: element, definition, indices, span });
  return `${name}${written.slice(words.name(definition).length)}`;
}

export function cellText(name: string, indices: readonly string[]): string {
  return indices.length === 0 ? name : `${name}[${indices.join(", ")}]`;
}

function nameOf(text: (scalar: Scalar) => string, loop: Loop): string {
  return text(coordinateScalar(loop));
}

/**
 * What an output is called: a part of an expression whose gradient is that of the whole goes by the
 * name of the whole.
 */
export function ownerName({ swept }: Derivation, words: Wording, output: Definition): string {
  if (isNamed(output)) return words.name(output);
  const adjoint = swept.trace.adjoints.get(output);
  for (const [definition, other] of swept.trace.adjoints)
    if (other === adjoint) return words.name(definition);
  return words.name(output);
}

/** Of a longer statement its first lines stand before each of its parts: of a thousand branches that would be a thousand times as many. */
const mostLines = 60;

function begun(statement: string): string {
  const lines = statement.split("\n");
  return lines.length > mostLines ? [...lines.slice(0, mostLines), "…"].join("\n") : statement;
}

function forwardLine(derivation: Derivation, words: Wording, pullback: Pullback): ForwardLine {
  const { output, through, read, loops } = pullback;
  const name = ownerName(derivation, words, output);
  if (through.kind !== "clause") {
    const common = {
      output: name,
      read: cellText(
        words.name(read.definition),
        loops.map((loop) => loop.variable.name),
      ),
    };
    return through.kind === "rule"
      ? {
          ...common,
          text: output.rule ? textOf(output.span) : `@${textOf(output.span)}`,
          kind: "rule",
        }
      : { ...common, text: `@${name}`, kind: "start" };
  }
  const { clause } = through;
  const common = { output: name, read: words.within(output, clause)(read), kind: "line" } as const;
  const statement =
    isNamed(output) || name !== words.name(output) ? statementAt(clause.span) : undefined;
  if (statement) return { ...common, ...statement, text: begun(statement.text) };
  const text = words.lines(output).join("\n");
  return { ...common, text: text.replaceAll(`let ${words.name(output)}[`, () => `let ${name}[`) };
}
