// The command line `ein`: everything between the words of a command line and an exit code. What a
// program means is not here.
//
// This file finds the command, gives it the program, and reports failures.

import { error } from "../diagnostics/diagnostic.ts";
import { isStackEnd } from "../diagnostics/stack-end.ts";
import { fileMeant, readStandardInput, readText, type Attempt } from "../host/node/files.ts";
import type { Source } from "../base/source.ts";
import {
  asksForJson,
  readArguments,
  type Flags,
  type ProgramPlace,
  type Request,
} from "./arguments.ts";
import { exitCode, type ExitCode, type Io } from "./io.ts";
import { mayNestDeeply } from "./may-nest-deeply.ts";
import { fail } from "./show/report.ts";

/** The task of a command that takes a program. */
export interface Task {
  readonly source: Source;
  readonly place: ProgramPlace;
  readonly flags: Flags;
  readonly json: boolean;
  readonly io: Io;
}

export async function main(words: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await answer(readArguments(words), words, io);
  } catch (problem) {
    return internalError(problem, asksForJson(words), io);
  }
}

async function answer(request: Request, words: readonly string[], io: Io): Promise<ExitCode> {
  switch (request.kind) {
    case "shown":
      io.out.write(request.text);
      return words.length === 0 ? exitCode.commandWrong : exitCode.fine;
    case "version": {
      const { packageVersion } = await import("./package.ts");
      io.out.write(`${packageVersion()}\n`);
      return exitCode.fine;
    }
    case "wrong":
      return fail([request.problem], request.exit, asksForJson(words), io);
    case "code": {
      const { explainCode } = await import("./commands/explain-code.ts");
      return explainCode(request.code, io);
    }
    case "session": {
      const { repl } = await import("./repl/repl.ts");
      return await repl(request.beginning, request.flags, io);
    }
    case "program":
      return withProgram(request, words, io);
    default:
      return request satisfies never;
  }
}

type ProgramRequest = Extract<Request, { readonly kind: "program" }>;

async function withProgram(
  request: ProgramRequest,
  words: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const { place, flags } = request;
  const json = flags.has("json");
  const source = readProgram(place, io);
  if ("why" in source) {
    const help = place.kind === "file" ? fileMeant(place.path) : undefined;
    const problem = error(
      "E0881",
      `cannot read \`${sourceName(place)}\`: ${source.why}`,
      undefined,
      {
        help,
      },
    );
    return fail([problem], exitCode.commandWrong, json, io);
  }
  if (io.onLargerStack && mayNestDeeply(source.text)) {
    return io.onLargerStack(words, place.kind === "standard input" ? source.text : undefined);
  }
  try {
    return await perform(request, { source, place, flags, json, io });
  } catch (problem) {
    if (!isStackEnd(problem)) throw problem;
    const [{ parse }, { outOfStack }] = await Promise.all([
      import("../syntax/parse/parser.ts"),
      import("../syntax/parse/too-deep.ts"),
    ]);
    return fail([outOfStack(parse(source).module)], exitCode.programWrong, json, io);
  }
}

async function perform({ command }: ProgramRequest, task: Task): Promise<ExitCode> {
  // With EIN_VERIFY=1 every pass of the compiler is checked.
  if (task.io.env["EIN_VERIFY"] === "1") {
    const [{ watchPasses }, { verify }] = await Promise.all([
      import("../ir/between-passes.ts"),
      import("../ir/verify.ts"),
    ]);
    watchPasses(verify);
  }
  const without = task.io.env["EIN_WITHOUT"];
  if (without) {
    const { rewriteNames, switchOff } = await import("../ir/rewrites.ts");
    const wanted = without.split(",");
    const unknown = wanted.find((name) => !rewriteNames.some((known) => known === name));
    if (unknown !== undefined) {
      const help = `EIN_WITHOUT names some of: ${rewriteNames.join(", ")}`;
      const problem = error("E0880", `there is no rewrite \`${unknown}\``, undefined, { help });
      return fail([problem], exitCode.commandWrong, task.json, task.io);
    }
    switchOff(rewriteNames.filter((name) => wanted.includes(name)));
  }
  switch (command) {
    case "run":
      return (await import("./commands/run.ts")).run(task);
    case "check":
      return (await import("./commands/check.ts")).check(task);
    case "grad":
      return (await import("./commands/grad.ts")).grad(task);
    case "explain":
      return (await import("./commands/explain.ts")).explain(task);
    case "audit":
      return (await import("./commands/audit.ts")).audit(task);
    case "fmt":
      return (await import("./commands/fmt.ts")).fmt(task);
    case "build":
      return (await import("./commands/build.ts")).build(task);
    case "repl":
    case "explain-code":
      throw new Error(`${command} takes no program`);
    default:
      return command satisfies never;
  }
}

function readProgram(place: ProgramPlace, io: Io): Source | { readonly why: string } {
  const text = textAt(place, io);
  return text.ok
    ? { name: sourceName(place), text: text.value.replace(/^\uFEFF/, "") }
    : { why: text.why };
}

function textAt(place: ProgramPlace, io: Io): Attempt<string> {
  switch (place.kind) {
    case "file":
      return readText(place.path);
    case "text":
      return { ok: true, value: place.text };
    case "standard input":
      return io.standardInput === undefined
        ? readStandardInput()
        : { ok: true, value: io.standardInput };
    default:
      return place satisfies never;
  }
}

function sourceName(place: ProgramPlace): string {
  switch (place.kind) {
    case "file":
      return place.path;
    case "text":
      return "<command line>";
    case "standard input":
      return "<stdin>";
    default:
      return place satisfies never;
  }
}

/**
 * Reports a defect of the compiler. The message says that the program is not at fault. A stack
 * trace is shown only with EIN_DEBUG=1.
 */
function internalError(problem: unknown, json: boolean, io: Io): ExitCode {
  const what = problem instanceof Error ? problem.message : String(problem);
  const help =
    "this is a mistake in Einlang, not in your program: " +
    "please report it with the program that shows it";
  const title = isStackEnd(problem)
    ? "internal error: the compiler ran out of stack"
    : `internal error: ${what}`;
  const code = fail([error("E0999", title, undefined, { help })], exitCode.programWrong, json, io);
  if (io.env["EIN_DEBUG"] === "1" && problem instanceof Error)
    io.err.write(`${problem.stack ?? ""}\n`);
  return code;
}
