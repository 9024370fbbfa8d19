// Carries out an entry or a command of a session, with files and screen. In which thread this
// happens is decided elsewhere.

import { compile } from "../../driver/compile.ts";
import type { DeclaredInput } from "../../lower/declared-input.ts";
import { error, isError, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { fileMeant, readText, writeAtomically } from "../../host/node/files.ts";
import { modulesBeside, modulesOfSession } from "../../host/node/modules.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import type { ReadModule } from "../../check/names/modules.ts";
import {
  helpText,
  isCommand,
  readCommand,
  sessionCommands,
  type CommandName,
} from "../../repl/commands.ts";
import { foreignLine, type Foreign } from "../../repl/elsewhere.ts";
import { programText } from "../../repl/program-text.ts";
import { gradOf, irOf, nameLines, typeAnswer, type Answer } from "../../repl/queries.ts";
import {
  compileSession,
  emptySession,
  enter,
  give,
  howToGive,
  inputsOf,
  type CompiledEntries,
  type EnterOptions,
  type Session,
} from "../../repl/session.ts";
import { emptyVocabulary, extended, vocabularyOf, type Vocabulary } from "../../repl/vocabulary.ts";
import type { Source } from "../../base/source.ts";
import { explainCode } from "../commands/explain-code.ts";
import { readInputs } from "../inputs.ts";
import { exitCode, wantsColour, type Io } from "../io.ts";
import { show } from "../show/report.ts";
import { FlagProblem, pair, type Pair, type Settings } from "../settings.ts";
import { printedText, type Shown } from "../show/values.ts";

/** The settings that concern a session. */
export type SessionSettings = Pick<Settings, "files" | "scalars" | "f64" | "trap" | "maxMemory">;

export interface Interpreter {
  session: Session;
  /** The words that completion offers. */
  vocabulary: Vocabulary;
  /** The number of entries so far, with those that failed. Messages name entries by it. */
  count: number;
  /** Values from the command line or from `:in`, for inputs that are not declared yet. */
  files: readonly Pair[];
  scalars: readonly Pair[];
  readonly settings: SessionSettings;
  readonly io: Io;
}

interface Outcome {
  readonly ok: boolean;
  readonly leaves: boolean;
}

const fine: Outcome = { ok: true, leaves: false };
const failed: Outcome = { ok: false, leaves: false };

/** The state of a session, which can move to another thread. */
export type State = Omit<Interpreter, "settings" | "io">;

export function newState({ files, scalars }: SessionSettings): State {
  return { session: emptySession, vocabulary: emptyVocabulary, count: 0, files, scalars };
}

/** Carries out one entry or command, and shows its result. */
export function submit(interpreter: Interpreter, text: string): Outcome {
  try {
    const plain = plainCommand(interpreter, text);
    if (plain) return commandOf(interpreter, plain, "");
    const foreign = isCommand(text) ? undefined : lineElsewhere(interpreter, text);
    if (foreign) return showRefusal(interpreter, `\`${foreign.form}\` is no entry`, foreign.help);
    if (!isCommand(text)) return enterSource(interpreter, nextSource(interpreter, text));
    const command = readCommand(text);
    if ("problem" in command) return showRefusal(interpreter, command.problem, command.help);
    return commandOf(interpreter, command.name, command.rest);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return showProblems(interpreter, [problem.diagnostic]);
  }
}

/** The source of the next entry. */
function nextSource(interpreter: Interpreter, text: string): Source {
  return { name: `<entry ${++interpreter.count}>`, text };
}

/** The compiled entries of the session, or undefined if there are none. */
function compiledNow({ session }: Interpreter): CompiledEntries | undefined {
  if (session.entries.length === 0) return undefined;
  const compiled = compileSession(session, { readModule });
  return "refused" in compiled ? undefined : compiled;
}

/**
 * The command in a line such as `help` or `exit`, without the colon. Undefined if the session has
 * bound this name.
 */
function plainCommand({ vocabulary }: Interpreter, text: string): CommandName | undefined {
  const [, word] = /^\s*(help|\?|exit|quit)(?:\(\))?;?\s*$/.exec(text) ?? [];
  if (word === undefined || vocabulary.names.includes(word)) return undefined;
  return word === "help" || word === "?" ? "help" : "quit";
}

/** Recognises a line in the language of another prompt, such as `%time f(1)`. */
function lineElsewhere({ vocabulary }: Interpreter, text: string): Foreign | undefined {
  const commands = sessionCommands.map(({ name }) => name);
  return foreignLine(text, commands, vocabulary.names);
}

/** Finds modules beside the file that names them. For a typed entry this is the working folder. */
const readModule: ReadModule = modulesOfSession();

function enterSource(interpreter: Interpreter, source: Source): Outcome {
  const { io } = interpreter;
  const result = enter(interpreter.session, source, enterOptions(interpreter));
  if (!result.ok) return showProblems(interpreter, result.diagnostics);
  interpreter.session = result.session;
  interpreter.vocabulary = extended(interpreter.vocabulary, vocabularyOf(result.scope));
  show(result.warnings, io);
  for (const input of result.waiting)
    io.err.write(`\`${input.name}\` has no value yet; ${howToGive(input)}\n`);
  return fine;
}

function enterOptions(interpreter: Interpreter): EnterOptions {
  const { settings, io } = interpreter;
  const out: Shown = { ...io.out, columns: io.out.columns, color: wantsColour(io.out, io.env) };
  return {
    f64: settings.f64,
    trap: settings.trap,
    maxMemory: settings.maxMemory,
    readModule,
    supply: (input) => waitingValue(interpreter, input),
    onPrint: (printed) => io.out.write(`${printedText(printed, out)}\n`),
  };
}

function commandOf(interpreter: Interpreter, name: CommandName, rest: string): Outcome {
  const { io, session } = interpreter;
  const source: Source = { name: `<${name}>`, text: rest };
  switch (name) {
    case "type":
      return showAnswer(interpreter, typeAnswer(session, source, { readModule }));
    case "ir":
      return showAnswer(interpreter, irOf(session, source, { readModule }));
    case "grad":
      return showGradient(interpreter, rest);
    case "names":
      return showNames(interpreter);
    case "in":
      return giveInput(interpreter, "files", filePair(interpreter, rest));
    case "set":
      return giveInput(interpreter, "scalars", pair(":set", rest, "x=100"));
    case "load":
      return loadFile(interpreter, fromHome(rest, io.env));
    case "save":
      return saveFile(interpreter, fromHome(rest, io.env));
    case "time":
      return timeEntry(interpreter, nextSource(interpreter, rest));
    case "explain":
      return explainCode(rest, io) === exitCode.fine ? fine : failed;
    case "clear":
      interpreter.session = emptySession;
      interpreter.vocabulary = emptyVocabulary;
      return fine;
    case "help":
      io.out.write(`${helpText()}\n`);
      return fine;
    case "quit":
      return { ok: true, leaves: true };
    default:
      return name satisfies never;
  }
}

function showAnswer(interpreter: Interpreter, answer: Answer): Outcome {
  if ("refused" in answer) return showProblems(interpreter, answer.refused);
  interpreter.io.out.write(`${answer.text}\n`);
  return fine;
}

function showGradient(interpreter: Interpreter, rest: string): Outcome {
  const [of, ...wrt] = rest.split(/[\s,]+/).filter((word) => word !== "");
  if (of === undefined || wrt.length === 0)
    return showRefusal(
      interpreter,
      "`:grad` needs a value and what to differentiate by",
      "write `:grad loss W`",
    );
  return showAnswer(interpreter, gradOf(interpreter.session, of, wrt, { readModule }));
}

function showNames(interpreter: Interpreter): Outcome {
  const compiled = compiledNow(interpreter);
  for (const line of compiled ? nameLines(compiled) : []) interpreter.io.out.write(`${line}\n`);
  return fine;
}

function loadFile(interpreter: Interpreter, path: string): Outcome {
  if (path === "")
    return showRefusal(interpreter, "`:load` needs a file", "write `:load program.ein`");
  const text = readText(path);
  if (!text.ok) {
    const help = fileMeant(path);
    return showProblems(interpreter, [
      error("E0881", `cannot read \`${path}\`: ${text.why}`, undefined, { help }),
    ]);
  }
  return enterSource(interpreter, { name: path, text: text.value.replace(/^\uFEFF/, "") });
}

function saveFile(interpreter: Interpreter, path: string): Outcome {
  if (path === "")
    return showRefusal(interpreter, "`:save` needs a file", "write `:save program.ein`");
  const source = { name: path, text: programText(interpreter.session.entries) };
  const written = writeAtomically(path, source.text);
  if (!written.ok)
    return showProblems(interpreter, [
      error("E0882", `cannot write \`${path}\`: ${written.why}`, undefined),
    ]);
  const problems = compile(source, { readModule: modulesBeside(source) }).diagnostics.filter(
    isError,
  );
  if (problems.length === 0) return fine;
  interpreter.io.err.write(`\`${path}\` is written, but it does not run as it stands:\n`);
  return showProblems(interpreter, problems);
}

function timeEntry(interpreter: Interpreter, source: Source): Outcome {
  const { io } = interpreter;
  const start = io.now();
  const outcome = enterSource(interpreter, source);
  io.out.write(`${(io.now() - start).toFixed(1)} ms\n`);
  return outcome;
}

/** Replaces a leading `~`, which only a shell would do otherwise. */
export function fromHome(path: string, env: Io["env"]): string {
  const home = env["HOME"];
  return home && (path === "~" || path.startsWith("~/")) ? `${home}${path.slice(1)}` : path;
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

/** Gives a value to a declared input, or keeps the value until the input is declared. */
function giveInput(interpreter: Interpreter, kind: "files" | "scalars", given: Pair): Outcome {
  const { session, io } = interpreter;
  const compiled = compiledNow(interpreter);
  const inputs = compiled ? inputsOf(session, compiled) : [];
  const input = inputs.find(({ name }) => name === given.name);
  if (!compiled || !input) {
    for (const list of ["files", "scalars"] as const)
      interpreter[list] = interpreter[list].filter(({ name }) => name !== given.name);
    interpreter[kind] = [...interpreter[kind], given];
    io.err.write(
      `\`${given.name}\` is not an input yet; it takes this value when it is declared: ` +
        `\`input ${given.name}: …;\`\n`,
    );
    return fine;
  }
  const present = new Map(
    inputs.flatMap(({ name, key }) => {
      const value = session.kept.get(key);
      return value && name !== input.name ? [[name, value] as const] : [];
    }),
  );
  const value = readValue(interpreter, { [kind]: [given] }, inputs, input.name, present)!;
  const after = give(session, compiled, input, value, enterOptions(interpreter));
  if ("refused" in after) return showProblems(interpreter, after.refused);
  interpreter.session = after;
  return fine;
}

function filePair({ io }: Interpreter, text: string): Pair {
  const { name, rest } = pair(":in", text, "x=data.npy");
  return { name, rest: fromHome(rest, io.env) };
}

function waitingValue(interpreter: Interpreter, input: DeclaredInput): TensorValue | undefined {
  const own = (list: readonly Pair[]): readonly Pair[] =>
    list.filter(({ name }) => name === input.name);
  const [files, scalars] = [own(interpreter.files), own(interpreter.scalars)];
  if (files.length + scalars.length === 0) return undefined;
  return readValue(interpreter, { files, scalars }, [input], input.name, new Map());
}

function readValue(
  { settings }: Interpreter,
  given: Partial<Pick<Settings, "files" | "scalars">>,
  inputs: readonly DeclaredInput[],
  name: string,
  present: ReadonlyMap<string, TensorValue>,
): TensorValue | undefined {
  const wanted = { files: given.files ?? [], scalars: given.scalars ?? [], f64: settings.f64 };
  return readInputs(wanted, inputs, { present, set: ":set" }).get(name);
}

// ── what is wrong ───────────────────────────────────────────────────────────────────────────────

function showProblems({ io }: Interpreter, diagnostics: readonly Diagnostic[]): Outcome {
  show(diagnostics, io);
  return failed;
}

function showRefusal(interpreter: Interpreter, title: string, help: string): Outcome {
  return showProblems(interpreter, [error("E0880", title, undefined, { help })]);
}
