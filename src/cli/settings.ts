// The flags of `ein run` as the settings of a run. A flag for a planned feature gets a message.

import { totalmem } from "node:os";
import { traps, type Trap } from "../backends/traps.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import type { Flags } from "./arguments.ts";
import type { Backend } from "../backends/results.ts";
import { backends, unbuiltBackends } from "./commands.ts";
import { exitCode, type ExitCode } from "./io.ts";

/** A `name=rest` pair of the command line. */
export interface Pair {
  readonly name: string;
  readonly rest: string;
}

export interface Settings {
  readonly files: readonly Pair[];
  readonly scalars: readonly Pair[];
  /** The values to show, or undefined if none were named. */
  readonly get: readonly string[] | undefined;
  readonly saves: readonly Pair[];
  readonly f64: boolean;
  readonly time: boolean;
  readonly profile: boolean;
  readonly trap: Trap | undefined;
  readonly maxMemory: number | undefined;
  readonly backend: Backend | undefined;
  /** The number of threads, or undefined for as many as there are cores. */
  readonly threads: number | undefined;
  readonly deterministic: boolean;
  readonly dump: string | undefined;
}

/** Thrown while flags are read, and reported by the command. */
export class FlagProblem extends Error {
  readonly diagnostic: Diagnostic;
  readonly exit: ExitCode;
  constructor(diagnostic: Diagnostic, exit: ExitCode) {
    super(diagnostic.title);
    this.diagnostic = diagnostic;
    this.exit = exit;
  }
}

export function readSettings(flags: Flags): Settings {
  return {
    files: flags.values("in").map((text) => pair("--in", text, "x=data.npy")),
    scalars: flags.values("set").map((text) => pair("--set", text, "x=100")),
    get: flags.values("get").length > 0 ? flags.values("get").flatMap(splitNames) : undefined,
    saves: flags.values("save").map((text) => pair("--save", text, "y=out.npy")),
    f64: flags.has("f64"),
    time: flags.has("time"),
    profile: flags.has("profile"),
    backend: backendOf(flags.value("backend")),
    threads: threadsOf(flags.value("threads")),
    deterministic: flags.has("deterministic"),
    trap: trapOf(flags.value("trap")),
    maxMemory: memorySizeOf(flags.value("max-memory")),
    dump: flags.value("dump"),
  };
}

export function commandProblem(title: string, help?: string): FlagProblem {
  return new FlagProblem(error("E0880", title, undefined, { help }), exitCode.commandWrong);
}

/** Flags that have no effect under some condition. */
export interface Idle {
  readonly when: boolean;
  readonly idle: readonly string[];
  readonly because: string;
}

/** Refuses a flag that would have no effect. */
export function checkFlags(flags: Flags, rows: readonly Idle[]): void {
  const isGiven = (name: string): boolean =>
    flags.has(name) || flags.value(name) !== undefined || flags.values(name).length > 0;
  for (const { when, idle, because } of rows) {
    const found = when ? idle.find(isGiven) : undefined;
    if (found !== undefined)
      throw commandProblem(`\`--${found}\` has nothing to do here: ${because}`);
  }
}

function unbuilt(what: string, help?: string): FlagProblem {
  return new FlagProblem(
    error("E0190", `${what} is not built yet`, undefined, { help }),
    exitCode.programWrong,
  );
}

function backendOf(name: string | undefined): Backend | undefined {
  const known = backends.find((each) => each === name);
  if (name === undefined || known) return known;
  const there = `use \`--backend ${backends.join("`, `")}\``;
  if (unbuiltBackends.includes(name)) throw unbuilt(`the backend \`${name}\``, there);
  throw commandProblem(
    `there is no backend \`${name}\``,
    didYouMean(name, [...backends, ...unbuiltBackends]) ?? there,
  );
}

const mostThreads = 64;

function threadsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(text) || Number(text) > mostThreads)
    throw commandProblem(
      `\`--threads ${text}\` is not a number of threads from 1 to ${mostThreads}`,
      "write `--threads 2`",
    );
  return Number(text);
}

function trapOf(text: string | undefined): Trap | undefined {
  const known = traps.find((trap) => trap === text);
  if (known !== undefined || text === undefined) return known;
  throw commandProblem(
    `\`--trap ${text}\` is not something to stop at`,
    "write `--trap nan` or `--trap overflow`",
  );
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

function memorySizeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text) ?? [];
  const factor =
    unit === undefined ? undefined : (units[unit.toUpperCase()] ?? units[`${unit.toUpperCase()}B`]);
  if (number === undefined || factor === undefined) {
    throw commandProblem(
      `\`--max-memory ${text}\` is not an amount of memory`,
      "write a number and a unit, such as `4GB` or `512MiB`",
    );
  }
  return Math.min(Math.floor(Number(number) * factor), machineMemory());
}

/**
 * The memory of the machine, which limits `--max-memory`. A system may promise more memory than it
 * has, and then end the process that uses it.
 */
function machineMemory(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}

/** Splits `name=rest`, the operand of a flag or a command of a session. */
export function pair(flag: string, text: string, example: string): Pair {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (at < 0 || name === "" || at === text.length - 1) {
    throw commandProblem(
      `\`${flag} ${text}\` does not say which name takes what`,
      `write \`${flag} ${example}\``,
    );
  }
  return { name, rest: text.slice(at + 1) };
}

function splitNames(text: string): readonly string[] {
  const found = text.split(",").map((name) => name.trim());
  if (found.includes(""))
    throw commandProblem(
      `\`--get ${text}\` has an empty name`,
      "separate names by single commas: `--get a,b`",
    );
  return found;
}

/** The names of `--wrt`, the values to differentiate by. */
export function denominators(flags: Flags): readonly string[] {
  return (flags.value("wrt") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
