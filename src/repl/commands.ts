// The commands of a session, such as `:type` and `:load`. `:help`, completion and docs/repl.md are
// made from this one table.

import { didYouMean } from "../diagnostics/suggest.ts";
import { commandElsewhere } from "./elsewhere.ts";

interface SessionCommand {
  readonly name: CommandName;
  /** The operands, as `:help` shows them. */
  readonly takes?: string;
  readonly about: string;
  /** What completion offers for the operands. */
  readonly completes?: "expression" | "file" | "input" | "name" | "code";
}

export type CommandName =
  | "type"
  | "grad"
  | "ir"
  | "names"
  | "in"
  | "set"
  | "load"
  | "save"
  | "time"
  | "explain"
  | "clear"
  | "help"
  | "quit";

export const sessionCommands: readonly SessionCommand[] = [
  {
    name: "type",
    takes: "e",
    about: "the type of an expression, with names and extents",
    completes: "expression",
  },
  {
    name: "grad",
    takes: "y x …",
    about: "the derived program of @y / @x, as source",
    completes: "name",
  },
  {
    name: "ir",
    takes: "[e]",
    about: "the indexed program of everything, or of one expression",
    completes: "expression",
  },
  { name: "names", about: "what is bound, with its types" },
  {
    name: "in",
    takes: "x=FILE",
    about: "give the input x a value from a .npy or .json file",
    completes: "input",
  },
  {
    name: "set",
    takes: "x=VALUE",
    about: "give the input x a number, true or false, or a list such as [1, 2]",
    completes: "input",
  },
  { name: "load", takes: "FILE", about: "enter a whole program", completes: "file" },
  {
    name: "save",
    takes: "FILE",
    about: "write the session as a program that runs",
    completes: "file",
  },
  {
    name: "time",
    takes: "e",
    about: "how long an expression or a statement takes",
    completes: "expression",
  },
  {
    name: "explain",
    takes: "CODE",
    about: "the page on an error code, such as E0304",
    completes: "code",
  },
  { name: "clear", about: "forget every entry" },
  { name: "help", about: "this list" },
  { name: "quit", about: "leave, as Ctrl-D does" },
];

/** All lines between these two form one entry, however many statements they have. */
export const blockOpening = ":{";
export const blockClosing = ":}";

type ReadCommand =
  | { readonly name: CommandName; readonly rest: string }
  | { readonly problem: string; readonly help: string };

export function isCommand(text: string): boolean {
  return text.trimStart().startsWith(":");
}

/**
 * Finds a command. A beginning of its name is enough: of several commands that begin so, the first
 * in the table is meant, so `:t` is `:type`.
 */
export function readCommand(text: string): ReadCommand {
  const [, word = "", rest = ""] = /^\s*:\s*(\w*)\s*([\s\S]*)$/.exec(text) ?? [];
  const names = sessionCommands.map((command) => command.name);
  const exact = names.find((name) => name === word);
  const found = exact ?? (word === "" ? undefined : names.find((name) => name.startsWith(word)));
  if (found) return { name: found, rest: rest.trim() };
  return {
    problem: word === "" ? "a command has a name" : `there is no command \`:${word}\``,
    help:
      commandElsewhere(word) ??
      didYouMean(word, names)?.replaceAll(/`(\w+)`/g, "`:$1`") ??
      "`:help` lists the commands",
  };
}

export function helpText(): string {
  const rows: [string, string][] = sessionCommands.map(({ name, takes, about }) => [
    `:${name}${takes ? ` ${takes}` : ""}`,
    about,
  ]);
  rows.push([`${blockOpening} … ${blockClosing}`, "several lines as one entry"]);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  return [
    "An expression shows its value; a statement binds names. " +
      "A line that is not finished goes on in the next.",
    "",
    ...rows.map(([usage, about]) => `  ${usage.padEnd(width)}  ${about}`),
    "",
    "Tab completes, the arrows walk through earlier entries, " +
      "Ctrl-C stops a computation or drops the line, Ctrl-D leaves.",
  ].join("\n");
}
