// Programs with an input whose rank is not declared, such as `[f32; *]` or `[f32; ..b, n]`. They
// are compiled when the value is known. Until then, likely ranks are tried.
//
// Ranks are tried until one gives no errors. If all of them fail, the errors that all have in
// common are errors of the program.

import type { Compiled, CoreProgram } from "./core.ts";
import type { Wrong } from "../diagnostics/diagnostic.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import { assumedRanks, type Ranks } from "../check/statements/assumed-ranks.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { ordered } from "../diagnostics/sort.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { isElementType, type ElementType } from "../scalar/types.ts";
import type { Module, Type } from "../syntax/tree/ast.ts";

/** The numbers of axes that are tried for a pack, the most likely one first. */
const lengths = [1, 0, 2, 3, 4, 5];

/**
 * `diagnostics` were found without ranks. `compileWith` compiles the same text with ranks for all
 * inputs.
 */
export function withoutRanks(
  module: Module,
  diagnostics: readonly Diagnostic[],
  given: Ranks,
  compileWith: (ranks: Ranks) => Compiled,
): Compiled {
  const known = new Map<string, Compiled>();
  /** Compiles each choice of ranks once. */
  const withRanks = (ranks: Ranks): Compiled => {
    const key = JSON.stringify([...ranks]);
    let compiled = known.get(key);
    if (!compiled) known.set(key, (compiled = compileWith(ranks)));
    return compiled;
  };
  const assuming = (length: number, ranks: Ranks): Compiled =>
    withRanks(assumedRanks(module, ranks, length));
  const found = [...diagnostics];
  for (const each of commonErrors(lengths, (length) => errorsOf(assuming(length, given))))
    if (!found.some((known) => areSameMistake(known, each))) found.push(each);
  if (found.length > diagnostics.length) return { diagnostics: ordered(found) };
  return { diagnostics, program: unrankedProgram(module, withRanks, assuming) };
}

/**
 * The errors that all attempts have in common, in the words of the first. It stops as soon as no
 * error is left.
 */
function commonErrors<T>(
  attempts: readonly T[],
  errorsAt: (attempt: T) => readonly Diagnostic[],
): readonly Diagnostic[] {
  const [first, ...others] = attempts;
  let common = errorsAt(first!);
  for (const other of others) {
    if (common.length === 0) break;
    const errors = errorsAt(other);
    common = common.filter((each) => errors.some((found) => areSameMistake(found, each)));
  }
  return common;
}

function errorsOf({ diagnostics }: Compiled): readonly Diagnostic[] {
  return diagnostics.filter(({ level }) => level === "error");
}

/** Whether two diagnostics are the same mistake. Their words may differ with the rank. */
function areSameMistake(a: Diagnostic, b: Diagnostic): boolean {
  return (
    a.code === b.code &&
    a.span?.source.name === b.span?.source.name &&
    a.span?.start === b.span?.start
  );
}

function unrankedProgram(
  module: Module,
  withRanks: (ranks: Ranks) => Compiled,
  assuming: (length: number, known: Ranks) => Compiled,
): CoreProgram {
  const inputs = module.statements.flatMap((statement): DeclaredInput[] =>
    statement.kind === "input"
      ? [
          {
            name: statement.name.text,
            dtype: declaredElement(statement.type),
            span: statement.name.span,
          },
        ]
      : [],
  );
  const values = module.statements.flatMap((statement): string[] => {
    if (statement.kind === "indexed-let") return [statement.name.text];
    return statement.kind === "let" && statement.pattern.kind === "name"
      ? [statement.pattern.name.text]
      : [];
  });
  /**
   * The program for the ranks of the given values. The ranks of other inputs are the likeliest with
   * which it compiles.
   */
  const likely = (given: ReadonlyMap<string, TensorValue>): CoreProgram | Wrong => {
    const ranks = ranksIn(given);
    for (const length of lengths) {
      const { program } = assuming(length, ranks);
      if (program) return program;
    }
    return { diagnostics: errorsOf(assuming(lengths[0]!, ranks)) };
  };
  return {
    inputs,
    values: [...new Set(values)],
    formOf: () => undefined,
    readsOf: () => new Set(inputs.map(({ name }) => name)),
    grad(of, wrt) {
      const program = likely(new Map());
      return "diagnostics" in program ? program : program.grad(of, wrt);
    },
    partsFor(given, asked) {
      const program = likely(given);
      return "diagnostics" in program ? program : program.partsFor(given, asked);
    },
    variants: () =>
      lengths.flatMap((length) => assuming(length, new Map()).program?.variants() ?? []),
    run(runOptions) {
      const given = runOptions.inputs ?? new Map<string, TensorValue>();
      const missing = inputs.find((input) => !given.has(input.name));
      if (missing) {
        const statement = module.statements.find(
          (each) => each.kind === "input" && each.name.text === missing.name,
        );
        const fault = error("E0801", `the input \`${missing.name}\` is missing`, statement?.span, {
          help:
            `give it: \`--in ${missing.name}=file.npy\`; ` +
            "files in `.csv` and `.json` are read too",
        });
        return { values: new Map(), omitted: [], peakBytes: 0, fault };
      }
      const compiled = withRanks(ranksIn(given));
      const [fault] = errorsOf(compiled);
      if (!compiled.program)
        return { values: new Map(), omitted: [], peakBytes: 0, ...(fault ? { fault } : {}) };
      return compiled.program.run(runOptions);
    },
  };
}

function ranksIn(given: ReadonlyMap<string, TensorValue>): Ranks {
  return new Map([...given].map(([name, value]) => [name, value.shape.length]));
}

export function declaredElement(type: Type): ElementType {
  const named = type.kind === "tensor" ? type.element : type;
  const word = named.kind === "named" ? named.path[0]!.text : "";
  return isElementType(word) ? word : "f32";
}
