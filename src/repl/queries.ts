// Questions about a session that do not change it: types, the indexed program, derived programs,
// the names in scope.

import type { Binding } from "../check/names/scope.ts";
import { error } from "../diagnostics/diagnostic.ts";
import { derivedSource } from "../explain/source/derived-source.ts";
import { printProgram } from "../print/print.ts";
import type { Statement } from "../syntax/tree/ast.ts";
import { parse } from "../syntax/parse/parser.ts";
import type { Source } from "../base/source.ts";
import {
  compileNext,
  compileSession,
  type CompiledEntries,
  type EnterOptions,
  type Refusal,
  type Session,
} from "./session.ts";
import { functionHead, typeText } from "./type-text.ts";

export type Answer = { readonly text: string } | Refusal;

type Options = Pick<EnterOptions, "readModule">;

/** The type of an expression. For a statement, the types of the names that it would bind. */
export function typeAnswer(session: Session, source: Source, options: Options): Answer {
  return withEntry(session, source, options, ({ checked }, statements) => {
    const head = functionNamed(checked.scope.functions, statements);
    if (head !== undefined) return head;
    const lines = checked.last.flatMap((action): readonly string[] => {
      if (action.kind === "value") return [typeText(action.value.type)];
      if (action.kind !== "bind" || isPart(action.binding)) return [];
      return [`${action.binding.name}: ${typeText(action.binding.type)}`];
    });
    return lines.length > 0 ? lines.join("\n") : "nothing";
  });
}

/**
 * The head of a function, if the entry is only its name. A function is not a value, so it has no
 * type otherwise.
 */
function functionNamed(
  functions: CompiledEntries["checked"]["scope"]["functions"],
  [only, ...others]: readonly Statement[],
): string | undefined {
  if (others.length > 0 || only?.kind !== "expression" || only.value.kind !== "path")
    return undefined;
  const binding = functions.get(only.value.segments[0]!.text);
  return binding && only.value.segments.length === 1 ? functionHead(binding) : undefined;
}

/** The indexed program of the session, or the part that one expression needs. */
export function irOf(session: Session, source: Source, options: Options): Answer {
  if (source.text.trim() === "") {
    const compiled = compileSession(session, options);
    return "refused" in compiled
      ? compiled
      : { text: printProgram({ ...compiled.program, actions: [] }).trimEnd() };
  }
  return withEntry(session, source, options, ({ program }) =>
    printProgram({
      ...program,
      inputs: [],
      outputs: new Map(),
      texts: new Map(),
      scalars: new Map(),
    }).trimEnd(),
  );
}

/** The source of the gradients of one value with respect to others. */
export function gradOf(
  session: Session,
  of: string,
  wrt: readonly string[],
  options: Options,
): Answer {
  const compiled = compileSession(session, { ...options, asked: { of, wrt } });
  if ("refused" in compiled) return compiled;
  const { module, program, checked } = compiled;
  const derived = derivedSource(module, program, of, wrt, checked.checker.extents);
  return "source" in derived
    ? { text: derived.source.trimEnd() }
    : { refused: derived.diagnostics };
}

/** Every name in scope with its type, values first. */
export function nameLines(compiled: CompiledEntries): readonly string[] {
  const { names, functions, types, modules } = compiled.checked.scope;
  return [
    ...[...names].flatMap(([name, binding]) => nameLine(name, binding)),
    ...[...functions.values()].map(functionHead),
    ...[...types].map(([name, { declaration }]) => `${declaration.kind} ${name}`),
    ...[...modules.keys()].map((name) => `mod ${name}`),
  ];
}

function nameLine(name: string, binding: Binding): readonly string[] {
  switch (binding.kind) {
    case "value":
      return [`${binding.role === "input" ? "input " : ""}${name}: ${typeText(binding.type)}`];
    case "tensor":
      return [`${name}: ${typeText(binding.type)}`];
    case "const":
      return [`const ${name}`];
    case "coordinate":
    case "pack":
    case "dimension":
    case "signature-pack":
    case "function":
    case "wrong":
      return [];
    default:
      return binding satisfies never;
  }
}

function isPart(binding: Binding): boolean {
  return binding.kind === "value" && binding.role === "part";
}

/** Compiles a text as if it were the next entry, then answers a question about the result. */
function withEntry(
  session: Session,
  source: Source,
  options: Options,
  ask: (compiled: CompiledEntries, statements: readonly Statement[]) => string,
): Answer {
  const { module, diagnostics } = parse(source);
  if (diagnostics.length > 0) return { refused: diagnostics };
  if (module.statements.length === 0) {
    return {
      refused: [
        error("E0880", "this needs an expression", undefined, {
          help: "for example `:type 1 + 1`",
        }),
      ],
    };
  }
  // The name of a function is not a value, so the compiler refuses it, but its type is a fair
  // question.
  const [only] = module.statements;
  const isName =
    module.statements.length === 1 && only?.kind === "expression" && only.value.kind === "path";
  const compiled = compileNext(session, options, { source, module, continued: 0 });
  if (!("refused" in compiled)) return { text: ask(compiled, module.statements) };
  if (isName) {
    const before = compileSession(session, options);
    const head =
      "refused" in before
        ? undefined
        : functionNamed(before.checked.scope.functions, module.statements);
    if (head !== undefined) return { text: head };
  }
  return compiled;
}
