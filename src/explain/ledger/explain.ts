// This folder explains derivatives step by step and in several formats. It derives nothing itself:
// it puts into words what the sweep recorded about every read.
//
//    let C[i, j] = sum[k](A[i, k] * B[k, j]);   for `A` gives
//    path {j}, kept {i}, restored {k}   and   let d_A[i, k] = sum[j](d_C[i, j] * B[k, j]);

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
import { withTidyClauses, tidyIn } from "../source/tidied.ts";
import { isNamed } from "../source/uses.ts";
import { allLoops } from "../../ir/parts.ts";

/**
 * One gradient on the way from the numerator back: its value, and the reads that contribute to it.
 */
export interface Passage {
  readonly definition: Definition;
  readonly adjoint: Definition;
  /** Whether the gradient is another gradient, passed on without a change. */
  readonly isAlias: boolean;
  readonly pullbacks: readonly Pullback[];
}

/** The names and notation of a derivation. */
export function wordsOf({ program, seed, helpers, derived, swept }: Derivation): Wording {
  const others = [...swept.trace.adjoints.values(), ...swept.trace.adjoints.keys()];
  return wordingOf(program, seed ? [seed] : [], [...helpers, ...derived, ...others]);
}

/**
 * The gradients that need an explanation, from the numerator back. A part of an expression shares
 * the gradient of the whole expression.
 */
export function passagesOf({ swept, seed, denominators }: Derivation): readonly Passage[] {
  const { pullbacks, adjoints } = swept.trace;
  const seen = new Set<Definition>(seed ? [seed] : []);
  const passages: Passage[] = [];
  for (const [definition, adjoint] of adjoints) {
    const arriving = pullbacks.filter((pullback) => pullback.read.definition === definition);
    const isAlias = seen.has(adjoint);
    seen.add(adjoint);
    // A gradient that is passed on without a change is worth a word only if the source names the
    // value.
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

/** The expression of a value without a name, on one line. A gradient has no expression. */
function expressionOf(definition: Definition): string | undefined {
  const text = textOf(definition.span).replace(/\s+/g, " ");
  const isGradient = definition.name.startsWith("d_") && !text.startsWith("d_");
  if (isNamed(definition) || isGradient) return undefined;
  // In a tangent rule, the value that stands for a parameter `x` is written `@x` by the rule.
  return /^\w+$/.test(text) ? `@${text}` : text;
}

/** The request. A numerator without a name is written as its expression. */
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
 * The lines of the gradient, after the lines of its parts and of the definitions that a rule needs.
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
  return withTidyClauses([...found], () =>
    [...found].flatMap((definition) => words.lines(definition)),
  );
}

/** Prints scalars of a pullback, in the coordinates of the held cell and of the sum. */
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
  const inHeldCell = (scalar: Scalar): string => text(instantiate(scalar, piece.inverse));
  const conditions = [...new Set([...piece.ranges, ...piece.guards, ...piece.ties].map(text))];
  const over = [...new Set(piece.summed.map((loop) => packOf(loop) ?? coordinateText(text, loop)))];
  const where = conditions.length > 0 ? ` where ${conditions.join(", ")}` : "";
  const value = text(piece.value);
  const isOne = local.kind === "constant" && local.value === 1;
  return {
    forward: forwardLine(derivation, words, pullback),
    ledger: ledgerOf(pullback, text, derivation.isPrimal),
    hold: textOfCell(words, text, read.definition, piece.axes.map(coordinateScalar)),
    cells: {
      cell: textOfCell(
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
              packOf(loop) ??
              `${coordinateText(text, loop)} in ${text(loop.from)}..${text(loop.to)}`,
          ),
        ),
      ],
      where: conditions,
    },
    ...(incoming ? { incoming: inHeldCell(incoming) } : {}),
    ...(isOne ? {} : { local: inHeldCell(local) }),
    bindings: namedLocals(piece.value).map((local) => `${local.name} = ${text(local.value)}`),
    over,
    sum: over.length > 0 ? `sum[${over.join(", ")}](${value}${where})` : `${value}${where}`,
  };
}

/** The position of the output cell, in the coordinates of the output's own clause. */
export function outputIndices({ through, loops }: Pullback): readonly Scalar[] {
  return (through.kind === "clause" ? through.clause.loops : loops).map((loop) =>
    coordinateScalar(loop),
  );
}

/** A cell of a definition. A pack is written as its name. */
function textOfCell(
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

function coordinateText(text: (scalar: Scalar) => string, loop: Loop): string {
  return text(coordinateScalar(loop));
}

/**
 * The name of an output. A part of an expression that shares the gradient of the whole has the name
 * of the whole.
 */
export function ownerName({ swept }: Derivation, words: Wording, output: Definition): string {
  if (isNamed(output)) return words.name(output);
  const adjoint = swept.trace.adjoints.get(output);
  for (const [definition, other] of swept.trace.adjoints)
    if (other === adjoint) return words.name(definition);
  return words.name(output);
}

/**
 * Only the first lines of a long statement are shown before each of its parts. A statement with a
 * thousand branches would otherwise be shown a thousand times.
 */
const mostLines = 60;

function firstLines(statement: string): string {
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
  if (statement) return { ...common, ...statement, text: firstLines(statement.text) };
  const text = words.lines(output).join("\n");
  return { ...common, text: text.replaceAll(`let ${words.name(output)}[`, () => `let ${name}[`) };
}
