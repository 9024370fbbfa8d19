// Reads a command line by the table of commands. The result is a request, or a message about what
// is wrong with the line.

import { Command, CommanderError, Option } from "commander";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { isFile } from "../host/node/files.ts";
import {
  commands,
  spelling,
  unbuiltCommands,
  usage,
  type CommandName,
  type CommandRow,
} from "./commands.ts";
import { exitCode, type ExitCode } from "./io.ts";

/** The place of the program's text. */
export type ProgramPlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "standard input" };

export interface Flags {
  readonly has: (name: string) => boolean;
  readonly value: (name: string) => string | undefined;
  readonly values: (name: string) => readonly string[];
}

export type Request =
  | {
      readonly kind: "program";
      readonly command: CommandName;
      readonly place: ProgramPlace;
      readonly flags: Flags;
    }
  | { readonly kind: "code"; readonly code: string }
  | {
      readonly kind: "session";
      readonly beginning: ProgramPlace | undefined;
      readonly flags: Flags;
    }
  | { readonly kind: "shown"; readonly text: string }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly problem: Diagnostic; readonly exit: ExitCode };

/** Reads the words after `ein`. */
export function readArguments(words: readonly string[]): Request {
  const shown: string[] = [];
  let request: Request | undefined;
  const program = commandTree(
    (text) => shown.push(text),
    (made) => (request = made),
  );
  const [first] = words;
  const full = first !== undefined && startsProgram(words) ? ["run", ...words] : words;
  if (first === undefined) return readArguments(["--help"]);
  if (first === "--version" || first === "-V") return { kind: "version" };
  if (first === "help") return readArguments([...words.slice(1, 2), "--help"]);
  if (full === words && !first.startsWith("-") && !isKnownCommand(first))
    return unknownCommand(first);
  try {
    program.parse(full, { from: "user" });
  } catch (problem) {
    if (!(problem instanceof CommanderError)) throw problem;
    if (problem.exitCode === 0) return { kind: "shown", text: shown.join("") };
    return fromCommander(problem.message);
  }
  return request ?? { kind: "shown", text: program.helpInformation() };
}

/** Whether a line asks for JSON. The answer is needed even if the rest of the line is wrong. */
export function asksForJson(words: readonly string[]): boolean {
  return words.some(
    (word, at) => word === "--json" && words[at - 1] !== "-e" && words[at - 1] !== "--eval",
  );
}

/** The help of `ein`, or of one of its commands. */
export function helpText(name?: CommandName): string {
  const program = commandTree(
    () => undefined,
    () => undefined,
  );
  const command =
    name === undefined ? program : program.commands.find((candidate) => candidate.name() === name);
  return command?.helpInformation() ?? "";
}

function commandTree(show: (text: string) => void, answer: (request: Request) => void): Command {
  const quiet = { writeOut: show, writeErr: () => undefined };
  const program = new Command("ein")
    .description("Einlang: tensor programs in which every axis has a name.")
    .usage("COMMAND FILE [flags]")
    .option("-V, --version", "show the version")
    .configureOutput(quiet)
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .addHelpText(
      "after",
      "\nA program is a FILE, -e SOURCE, or - for standard input; " +
        "ein -e SOURCE and ein - are ein run.",
    );
  for (const row of commands)
    program.addCommand(commandFor(row, answer).configureOutput(quiet).exitOverride());
  return program;
}

function commandFor(row: CommandRow, answer: (request: Request) => void): Command {
  const command = new Command(row.name)
    .summary(row.about)
    .description(`${row.about[0]!.toUpperCase()}${row.about.slice(1)}.`)
    .usage(usage(row))
    .helpOption("-h, --help", "show this help")
    .showSuggestionAfterError(true);
  for (const flag of row.flags) {
    const option = new Option(
      spelling(flag)
        .replace(/ (\S+)$/, " <$1>")
        .replace(/, <--/, ", --"),
      flag.about,
    );
    command.addOption(flag.repeatable ? option.argParser(collect) : option);
  }
  if (row.takes === "code") {
    return command
      .argument("<CODE>", "the code")
      .action((code: string) => answer({ kind: "code", code }));
  }
  if (row.takes === "beginning") {
    return command
      .argument("[FILE]", "a program to begin with")
      .action((file: string | undefined, options: Record<string, unknown>) => {
        const nothing = file === undefined && options["eval"] === undefined;
        const beginning = nothing ? undefined : programPlace(row.name, file, options["eval"]);
        answer(
          beginning && "problem" in beginning
            ? beginning
            : { kind: "session", beginning, flags: flagsOf(options) },
        );
      });
  }
  return command
    .argument("[FILE]", "the program, or - for standard input")
    .action((file: string | undefined, options: Record<string, unknown>) => {
      const place = programPlace(row.name, file, options["eval"]);
      answer(
        "problem" in place
          ? place
          : { kind: "program", command: row.name, place, flags: flagsOf(options) },
      );
    });
}

function collect(word: string, before: unknown): readonly string[] {
  return [...(Array.isArray(before) ? (before as string[]) : []), word];
}

type Wrong = Extract<Request, { readonly kind: "wrong" }>;

function programPlace(
  command: string,
  file: string | undefined,
  text: unknown,
): ProgramPlace | Wrong {
  if (typeof text === "string") {
    return file === undefined
      ? { kind: "text", text }
      : wrongLine("a program is given twice: by -e and as a file");
  }
  if (file === undefined) return wrongLine(`${command} needs a program`, programHelp(command));
  return file === "-" ? { kind: "standard input" } : { kind: "file", path: file };
}

function programHelp(command: string): string {
  return (
    `write \`ein ${command} FILE\`, \`ein ${command} -e 'SOURCE'\`, ` +
    `or \`ein ${command} -\` to read standard input`
  );
}

function flagsOf(options: Record<string, unknown>): Flags {
  const valueAt = (name: string) =>
    options[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
  return {
    has: (name) => valueAt(name) === true,
    value: (name) => {
      const value = valueAt(name);
      return typeof value === "string" ? value : undefined;
    },
    values: (name) => {
      const value = valueAt(name);
      return Array.isArray(value) ? (value as string[]) : [];
    },
  };
}

/**
 * Whether `run` is left out, as in `ein -e …`, `ein -` and `ein --json -e …`. Flags of `ein`
 * itself, such as `--help`, are not runs.
 */
function startsProgram(words: readonly string[]): boolean {
  const [first] = words;
  if (!first?.startsWith("-") || /^(-h|--help|-V|--version)$/.test(first)) return false;
  return words.some(
    (word) =>
      word === "-" || word.startsWith("-e") || word === "--eval" || word.startsWith("--eval="),
  );
}

function isKnownCommand(word: string): boolean {
  return commands.some((command) => command.name === word);
}

/**
 * The request for a first word that is not a command: a planned command, a file, or a misspelling.
 */
function unknownCommand(word: string): Request {
  if (unbuiltCommands.includes(word)) {
    const title = `the command \`ein ${word}\` is not built yet`;
    const help = `\`ein --help\` lists the commands that there are`;
    return {
      kind: "wrong",
      problem: error("E0190", title, undefined, { help }),
      exit: exitCode.programWrong,
    };
  }
  if (word === "version")
    return wrongLine(`\`${word}\` is not a command of ein`, "write `ein --version`");
  const names = [...commands.map((command) => command.name), ...unbuiltCommands];
  const help =
    word.endsWith(".ein") || isFile(word)
      ? `to run this file, write \`ein run ${word}\``
      : (didYouMean(word, names) ?? "`ein --help` lists the commands that there are");
  return wrongLine(`\`${word}\` is not a command of ein`, help);
}

/** A message of the package commander, in the form of our own messages. */
function fromCommander(message: string): Wrong {
  const [, title = message, suggestion] =
    /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? [];
  if (title.startsWith("too many arguments"))
    return wrongLine("a command takes one file at a time");
  const [, flag, value] =
    /^option '(?:-\w, )?(--[\w-]+) <(\S+)>' argument missing$/.exec(title) ?? [];
  if (flag === "--eval")
    return wrongLine("`-e` needs a program behind it", "write `ein -e 'print(1 + 1);'`");
  if (flag !== undefined)
    return wrongLine(`\`${flag}\` needs something behind it`, `write \`${flag} ${value}\``);
  if (title === "missing required argument 'CODE'")
    return wrongLine("`ein explain-code` needs a code", "write `ein explain-code E0304`");
  const help = suggestion?.replace(/^Did/, "did").replace(/(--?[\w-]+)/g, "`$1`");
  return wrongLine(title.replaceAll("'", "`"), help);
}

function wrongLine(title: string, help?: string): Wrong {
  return {
    kind: "wrong",
    problem: error("E0880", title, undefined, { help }),
    exit: exitCode.commandWrong,
  };
}
