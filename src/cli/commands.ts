// The table of commands and flags. `--help`, the parser of the command line and
// docs/command-line.md are made from it.

import type { Backend } from "../backends/results.ts";

interface FlagRow {
  readonly name: string;
  readonly short?: string;
  /** The operand of the flag, or undefined for a switch. */
  readonly value?: string;
  readonly repeatable?: true;
  readonly about: string;
}

export interface CommandRow {
  readonly name: CommandName;
  /** The operand of the command: a program, a file to begin with, or a code. */
  readonly takes: "program" | "beginning" | "code";
  readonly about: string;
  readonly flags: readonly FlagRow[];
}

export type CommandName =
  "run" | "check" | "grad" | "explain" | "audit" | "fmt" | "build" | "repl" | "explain-code";

const evaluate: FlagRow = {
  name: "eval",
  short: "e",
  value: "SOURCE",
  about: "the program itself, instead of a file",
};
const json: FlagRow = { name: "json", about: "print exactly one JSON object on standard output" };
const inputFile: FlagRow = {
  name: "in",
  value: "x=FILE",
  repeatable: true,
  about: "read the input x from a .npy, .npz:key, .safetensors:key, .csv or .json file",
};
const inputValue: FlagRow = {
  name: "set",
  value: "x=VALUE",
  repeatable: true,
  about: "set the input x to a number, true, false, or a list such as [1, 2]",
};
const f64: FlagRow = { name: "f64", about: "compute every float in f64" };
const trap: FlagRow = {
  name: "trap",
  value: "KIND",
  about:
    "stop at the first float that is not finite (nan), or integer that wraps around (overflow)",
};
const maxMemory: FlagRow = {
  name: "max-memory",
  value: "SIZE",
  about: "stop rather than use more memory, such as 4GB",
};

export const commands: readonly CommandRow[] = [
  {
    name: "run",
    takes: "program",
    about: "run a program and show what it prints",
    flags: [
      evaluate,
      inputFile,
      inputValue,
      {
        name: "get",
        value: "NAMES",
        repeatable: true,
        about: "show these values, separated by commas",
      },
      {
        name: "save",
        value: "x=FILE",
        repeatable: true,
        about: "write the value x to a .npy, .npz, .safetensors or .csv file",
      },
      json,
      {
        name: "backend",
        value: "NAME",
        about: "what runs the program: wasm (the default), js or interpret",
      },
      {
        name: "threads",
        value: "N",
        about: "how many threads to use; without it, as many as there are cores",
      },
      { name: "deterministic", about: "the same bits on every machine, for some of the speed" },
      f64,
      { name: "time", about: "report the time and memory used" },
      { name: "profile", about: "report time, bytes and GFLOP/s of each source line" },
      trap,
      maxMemory,
      { name: "dump", value: "PASS", about: "print the program after a pass, on standard error" },
    ],
  },
  {
    name: "check",
    takes: "program",
    about: "report everything that is wrong with a program, without running it",
    flags: [
      evaluate,
      json,
      { name: "grad", about: "also verify every derivative numerically" },
      {
        name: "in",
        value: "x=FILE",
        repeatable: true,
        about: "with --grad: read the input x from a file; others are drawn",
      },
      { name: "set", value: "x=VALUE", repeatable: true, about: "with --grad: set the input x" },
      { name: "dump", value: "PASS", about: "print what the checks found, on standard error" },
    ],
  },
  {
    name: "grad",
    takes: "program",
    about: "print the derived backward program, as source that runs",
    flags: [
      evaluate,
      { name: "of", value: "NAME", about: "the value to differentiate" },
      { name: "wrt", value: "NAMES", about: "with respect to these values, separated by commas" },
      json,
    ],
  },
  {
    name: "explain",
    takes: "program",
    about: "show how a gradient comes about: its coordinate ledger and the five steps",
    flags: [
      evaluate,
      {
        name: "of",
        value: "NAME",
        about: "the value to differentiate; left out: every request of the program",
      },
      { name: "wrt", value: "NAMES", about: "with respect to these values, separated by commas" },
      {
        name: "cost",
        about: "work and bytes of the value and of its gradients, as polynomials in the extents",
      },
      { name: "memory", about: "what is kept for the backward pass and why, and the peak" },
      { name: "tex", about: "write the explanation as LaTeX" },
      { name: "html", about: "write the explanation as one self-contained page" },
      {
        name: "graph",
        value: "FILE",
        about: "draw which value reads which, to a .svg or .dot file",
      },
      { name: "heat", value: "NAME", about: "show a value as a heat map, or with --save write it" },
      { name: "save", value: "FILE", about: "with --heat: the .png file to write" },
      {
        name: "cell",
        value: "I,J",
        about: "hold this cell, and list what adds up to its gradient, in numbers",
      },
      {
        name: "in",
        value: "x=FILE",
        repeatable: true,
        about: "read the input x from a file; others are drawn",
      },
      { name: "set", value: "x=VALUE", repeatable: true, about: "set the input x" },
      { name: "f64", about: "compute every float in f64" },
      json,
    ],
  },
  {
    name: "audit",
    takes: "program",
    about:
      "list every broadcast with the backward sum that answers it, and what deserves a second look",
    flags: [evaluate, json],
  },
  {
    name: "fmt",
    takes: "program",
    about: "lay out a program in the one standard way",
    flags: [
      evaluate,
      { name: "check", about: "change nothing; exit with 1 if something would change" },
    ],
  },
  {
    name: "build",
    takes: "program",
    about: "write a program as an ES module with its kernels inside, and its types",
    flags: [
      evaluate,
      { name: "out", value: "DIR", about: "the folder to write to" },
      {
        name: "extent",
        value: "n=SIZE",
        repeatable: true,
        about: "build for this extent of the dimension n, or for several, n=32,64",
      },
      {
        name: "get",
        value: "NAMES",
        repeatable: true,
        about: "give these values; left out: the pub ones, or all",
      },
      {
        name: "in",
        value: "x=FILE",
        repeatable: true,
        about: "make the input x a constant, read from a file",
      },
      { name: "set", value: "x=VALUE", repeatable: true, about: "make the input x a constant" },
      json,
    ],
  },
  {
    name: "repl",
    takes: "beginning",
    about:
      "enter a program line by line and see what each line gives; FILE or SOURCE is entered first",
    flags: [evaluate, inputFile, inputValue, f64, trap, maxMemory],
  },
  { name: "explain-code", takes: "code", about: "explain an error code, such as E0304", flags: [] },
];

/** Commands that the language plans and that are not built. `--help` does not offer them. */
export const unbuiltCommands: readonly string[] = [];

export const backends: readonly Backend[] = ["wasm", "js", "interpret"];
export const unbuiltBackends: readonly string[] = ["native", "webgpu"];

/** The flag as it is typed: `-e, --eval SOURCE`. */
export function spelling(flag: FlagRow): string {
  const short = flag.short ? `-${flag.short}, ` : "";
  const value = flag.value ? ` ${flag.value}` : "";
  return `${short}--${flag.name}${value}`;
}

/** The words after the name of the command: `FILE [flags]`. */
export function usage(command: CommandRow): string {
  switch (command.takes) {
    case "code":
      return "CODE";
    case "beginning":
      return "[FILE] [flags]";
    case "program":
      return "FILE [flags]";
    default:
      return command.takes satisfies never;
  }
}
