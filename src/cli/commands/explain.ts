// `ein explain`: shows how gradients come about, what they cost, and pictures of them.

import { compile, type CompiledProgram } from "../../driver/compile.ts";
import type { DeclaredInput } from "../../lower/declared-input.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { costText, type CostReport } from "../../explain/cost/cost.ts";
import type { Wrong } from "../../diagnostics/diagnostic.ts";
import type { Asked } from "../../autodiff/requests/requests.ts";
import type { ExplainOptions } from "../../explain/ledger/explain-request.ts";
import type { Explanation } from "../../explain/ledger/explanation.ts";
import { explanationHtml } from "../../explain/ledger/html.ts";
import { explanationJson } from "../../explain/ledger/json.ts";
import { explanationTex } from "../../explain/ledger/tex.ts";
import { explanationText } from "../../explain/ledger/text.ts";
import type { MemoryReport } from "../../explain/cost/memory.ts";
import { memoryText } from "../../explain/cost/memory-text.ts";
import { modulesBeside } from "../../host/node/modules.ts";
import type { Flags } from "../arguments.ts";
import { drawn } from "../show/pictures.ts";
import { readInputs } from "../inputs.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { fail, show, warningsIn } from "../show/report.ts";
import {
  checkFlags,
  commandProblem,
  denominators,
  FlagProblem,
  readSettings,
  type Idle,
} from "../settings.ts";
import { styleFor } from "../show/style.ts";

export function explain(task: Task): ExitCode {
  const { source, json, io } = task;
  const { diagnostics, program } = compile(source, {
    open: true,
    readModule: modulesBeside(source),
  });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  try {
    return showExplanation(task, program, diagnostics);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...diagnostics], problem.exit, json, io);
  }
}

function showExplanation(
  task: Task,
  program: CompiledProgram,
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const { flags, json, io } = task;
  checkFlags(flags, idleFlags(flags));
  const picture = flags.value("graph") ?? flags.value("heat");
  if (picture !== undefined) return drawn(task, program, diagnostics);
  const asked = askedIn(flags);
  const options = optionsOf(flags, program, asked);
  const answers: Answers = {
    explanations: [],
    ...(flags.has("cost") ? { costs: successes(program.cost(asked, options)) } : {}),
    ...(flags.has("memory") ? { memory: successes(program.memory(asked, options)) } : {}),
  };
  const isPlain = (!answers.costs && !answers.memory) || flags.has("html") || flags.has("tex");
  const all = {
    ...answers,
    explanations: isPlain || json ? successes(program.explain(asked, options)) : [],
  };
  if ([all.explanations, all.costs ?? [], all.memory ?? []].every((list) => list.length === 0))
    throw commandProblem(
      "the program asks for no derivative",
      "say which to explain: `--of loss --wrt W`",
    );
  if (json) io.out.write(`${JSON.stringify({ ...jsonOf(all), ...warningsIn(diagnostics) })}\n`);
  else {
    show(diagnostics, io);
    io.out.write(answersText(task, all));
  }
  return exitCode.fine;
}

/** The flags that have no effect beside other flags. */
function idleFlags(flags: Flags): readonly Idle[] {
  const isPicture = flags.value("graph") !== undefined || flags.value("heat") !== undefined;
  const isForm = flags.has("html") || flags.has("tex");
  return [
    { when: flags.has("html"), idle: ["tex"], because: "one form at a time, `--html` or `--tex`" },
    {
      when: flags.has("json"),
      idle: ["html", "tex"],
      because: "with `--json` the explanation is data",
    },
    {
      when: isForm,
      idle: ["cost", "memory"],
      because: "costs and memory are written as text or with `--json`",
    },
    {
      when: flags.has("cost") || flags.has("memory"),
      idle: flags.has("json") ? [] : ["cell"],
      because: "`--cost` and `--memory` are about whole values",
    },
    {
      when: isPicture,
      idle: ["of", "wrt", "cell", "cost", "memory", "html", "tex"],
      because: "`--graph` and `--heat` draw pictures instead of an explanation",
    },
    { when: flags.value("heat") === undefined, idle: ["save"], because: "it is for `--heat`" },
    {
      when: flags.value("heat") === undefined && isPicture,
      idle: ["in", "set", "f64"],
      because: "`--graph` computes nothing",
    },
  ];
}

interface Answers {
  readonly explanations: readonly Explanation[];
  readonly costs?: readonly CostReport[];
  readonly memory?: readonly MemoryReport[];
}

function jsonOf({ explanations, costs, memory }: Answers): object {
  return {
    ...explanationJson(explanations),
    ...(costs ? { cost: costs } : {}),
    ...(memory ? { memory } : {}),
  };
}

function answersText(
  { io, flags }: Task,
  { explanations, costs = [], memory = [] }: Answers,
): string {
  const style = styleFor(io);
  if (flags.has("html")) return explanationHtml(explanations);
  if (flags.has("tex")) return explanations.map(explanationTex).join("\n");
  return [
    ...explanations.map((explanation) => explanationText(explanation, style)),
    ...costs.map(costText),
    ...memory.map(memoryText),
  ].join("\n");
}

/** The outcomes, if all of them are right. Throws the first message otherwise. */
function successes<T extends object>(outcomes: readonly (T | Wrong)[]): readonly T[] {
  return outcomes.map((outcome) => {
    if ("diagnostics" in outcome)
      throw new FlagProblem(outcome.diagnostics[0]!, exitCode.programWrong);
    return outcome;
  });
}

function askedIn(flags: Flags): Asked | undefined {
  const of = flags.value("of");
  const wrt = denominators(flags);
  if (of !== undefined && wrt.length > 0) return { of, wrt };
  if (of === undefined && wrt.length === 0) return undefined;
  throw commandProblem(
    "`--of` and `--wrt` go together",
    "write `ein explain FILE --of loss --wrt W,b`",
  );
}

function optionsOf(
  flags: Flags,
  program: CompiledProgram,
  asked: Asked | undefined,
): ExplainOptions {
  const settings = readSettings(flags);
  const incoming: readonly DeclaredInput[] = asked ? [{ name: `d_${asked.of}`, dtype: "f32" }] : [];
  const inputs = readInputs(settings, [...program.inputs, ...incoming]);
  const cell = flags.value("cell");
  return { inputs, f64: settings.f64, ...(cell === undefined ? {} : { cell: positionsIn(cell) }) };
}

function positionsIn(text: string): readonly number[] {
  if (text.trim() === "") return [];
  return text.split(",").map((word) => {
    if (!/^\s*\d+\s*$/.test(word))
      throw commandProblem(`\`--cell ${text}\` is not a list of positions`, "write `--cell 1,2`");
    return Number(word);
  });
}
