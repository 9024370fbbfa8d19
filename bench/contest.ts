// Runs the benchmarks once: every row with every contender, in turns. The report is written from
// the result.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { distance, type Checksum } from "./checksum.ts";
import { contenders as all, type Contender, type Family, type Place } from "./contenders.ts";
import { converse, type Conversation } from "./conversation.ts";
import { freshProcess } from "./fresh.ts";
import type { Task } from "./protocol.ts";
import { rowsAt, type Row, type Scale } from "./rows.ts";

export interface Plan {
  readonly scale: Scale;
  /** The beginnings of the ids of the rows to run. An empty list means all rows. */
  readonly only: readonly string[];
  /** The names of the peers. An empty list means all peers. */
  readonly peers: readonly string[];
  readonly threads: readonly number[];
  readonly rounds: number;
  /** Milliseconds for one contender in one round. */
  readonly budgetMs: number;
  readonly place: Place;
  readonly note: (line: string) => void;
}

/** The result of a contender in a row, with the number of threads of the table. */
export type Outcome =
  | {
      readonly kind: "timed";
      readonly ms: number;
      readonly checksums: readonly Checksum[];
      /**
       * The distance of the checksums from those of Einlang, as a fraction of the magnitudes, and
       * whether it is within the tolerance of the row.
       */
      readonly apart: number;
      readonly agrees: boolean;
    }
  | { readonly kind: "unable" }
  | { readonly kind: "failed"; readonly why: string };

export interface Line {
  readonly row: Pick<Row, "id" | "title" | "flops" | "bytes">;
  readonly threads: number;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface Contest {
  readonly lines: readonly Line[];
  readonly versions: Readonly<Record<string, string>>;
  readonly absent: ReadonlyMap<string, string>;
  readonly present: readonly { readonly name: string; readonly family: Family }[];
}

export async function hold(plan: Plan): Promise<Contest> {
  const versions: Record<string, string> = { node: process.versions.node };
  const absent = new Map<string, string>();
  const invited = all.filter(
    ({ name, family }) =>
      family === "ours" ||
      family === "eager" ||
      plan.peers.length === 0 ||
      plan.peers.includes(name),
  );
  for (const contender of invited) {
    const conversation = converse(contender, 1, plan.place);
    const answer = await conversation.ask({ kind: "hello" });
    conversation.close();
    if (answer.kind === "hello") Object.assign(versions, answer.versions);
    else absent.set(contender.name, "why" in answer ? answer.why : answer.kind);
  }
  for (const [name, why] of absent) plan.note(`${name}: absent (${why})`);
  const present = invited.filter(({ name }) => !absent.has(name));
  const rows = rowsAt(plan.scale).filter(({ id }) => wanted(plan, id));
  const folder = join(plan.place.peers, ".cache/data");
  mkdirSync(folder, { recursive: true });
  const data = mkdtempSync(join(folder, "run-"));
  const rounds: (readonly Line[])[] = [];
  try {
    while (rounds.length < plan.rounds) rounds.push(await roundOf(plan, rows, present, data));
  } finally {
    rmSync(data, { recursive: true });
  }
  const lines = rounds.reduce((best, round) => best.map((line, k) => bestOf(line, round[k]!)));
  if (plan.rounds > 1) for (const line of lines) plan.note(noted(line));
  const timesStartUp = plan.scale === "full" && wanted(plan, "startup");
  const timesFresh = plan.scale === "full" && wanted(plan, "fresh");
  const further = timesStartUp ? [startUp(plan, present)] : [];
  if (timesFresh) further.push(...freshProcess(plan.place));
  for (const line of further) plan.note(noted(line));
  return { lines: [...lines, ...further], versions, absent, present };
}

/**
 * Runs all rows once. Rounds lie minutes apart, because a machine may be slow for minutes. Every
 * contender starts a new process in each round: where its memory lies changes the times for as long
 * as the process lives.
 */
async function roundOf(
  plan: Plan,
  rows: readonly Row[],
  present: readonly Contender[],
  data: string,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const threads of plan.threads) {
    const conversations = present.map((one) =>
      converse(one, Math.min(threads, one.mostThreads), plan.place),
    );
    for (const row of rows) {
      const line = await rowOf(plan, row, threads, conversations, data);
      plan.note(noted(line));
      lines.push(line);
    }
    for (const conversation of conversations) conversation.close();
  }
  return lines;
}

/** The best times of two rounds. A contender that failed in one round has failed. */
export function bestOf(line: Line, other: Line): Line {
  const outcomes = [...line.outcomes].map(([name, outcome]): [string, Outcome] => {
    const another = other.outcomes.get(name)!;
    if (outcome.kind !== "timed") return [name, outcome];
    if (another.kind !== "timed") return [name, another];
    const { ms } = outcome.ms < another.ms ? outcome : another;
    return [name, { ...(outcome.agrees ? another : outcome), ms }];
  });
  return { ...line, outcomes: new Map(outcomes) };
}

function wanted({ only }: Plan, id: string): boolean {
  return only.length === 0 || only.some((beginning) => id.startsWith(beginning));
}

/** All contenders prepare a row; then each is timed in turn. */
async function rowOf(
  plan: Plan,
  row: Row,
  threads: number,
  conversations: readonly Conversation[],
  folder: string,
): Promise<Line> {
  const task = written(row, folder, plan.place);
  const ready = new Map<Conversation, readonly Checksum[]>();
  const outcomes = new Map<string, Outcome>();
  for (const conversation of conversations) {
    const answer = await conversation.ask({ kind: "prepare", task });
    if (answer.kind === "prepared") ready.set(conversation, answer.checksums);
    else if (answer.kind === "unable")
      outcomes.set(conversation.contender.name, { kind: "unable" });
    else
      outcomes.set(conversation.contender.name, {
        kind: "failed",
        why: "why" in answer ? answer.why : answer.kind,
      });
  }
  const times = new Map<Conversation, number>();
  for (const conversation of ready.keys()) {
    const answer = await conversation.ask({ kind: "time", budgetMs: plan.budgetMs });
    if (answer.kind === "timed") times.set(conversation, answer.ms);
    else {
      ready.delete(conversation);
      outcomes.set(conversation.contender.name, {
        kind: "failed",
        why: "why" in answer ? answer.why : answer.kind,
      });
    }
  }
  const [, ours = []] = [...ready].find(([{ contender }]) => contender.family === "ours") ?? [];
  for (const [conversation, checksums] of ready) {
    const apart = distance(ours, checksums);
    const agrees = apart <= row.tolerance;
    outcomes.set(conversation.contender.name, {
      kind: "timed",
      ms: times.get(conversation)!,
      checksums,
      apart,
      agrees,
    });
    await conversation.ask({ kind: "release" });
  }
  return { row, threads, outcomes };
}

/** Writes the inputs of a row to files, and returns its task. */
export function written(row: Row, folder: string, { root }: Pick<Place, "root">): Task {
  const inputs = Object.entries(row.inputs).map(([name, { dtype, shape, cells }]) => {
    const path = join(folder, `${name}.${dtype}`);
    writeFileSync(path, cells());
    return { name, dtype, shape, path };
  });
  const { id, outputs, feedback, fresh } = row;
  return {
    id,
    program: join(root, "bench/programs", `${row.program}.ein`),
    inputs,
    outputs,
    feedback,
    fresh,
  };
}

function noted({ row, threads, outcomes }: Line): string {
  const parts = [...outcomes].map(([name, outcome]) => {
    if (outcome.kind === "unable") return `${name} –`;
    if (outcome.kind === "failed") return `${name} failed (${outcome.why})`;
    return (
      `${name} ${outcome.ms.toPrecision(3)} ` +
      `ms${outcome.agrees ? "" : ` DISAGREES by ${outcome.apart.toExponential(1)}`}`
    );
  });
  return `${row.id} (${threads}): ${parts.join(", ")}`;
}

/**
 * The time from the start of a process to its first number. The script of each contender computes 1
 * + 1 and ends when its input ends.
 */
function startUp(plan: Plan, present: readonly Contender[]): Line {
  const times = new Map<string, number>();
  const commands = present.map(({ name, family, command }): [string, readonly string[]] =>
    family === "ours"
      ? [name, [process.execPath, join(plan.place.root, "dist/ein.js"), "-e", "print(1 + 1);"]]
      : [name, command(plan.place)!],
  );
  commands.push(["node -e 0", [process.execPath, "-e", "0"]]);
  for (let round = 0; round < plan.rounds; round++) {
    for (const [name, [program, ...words]] of commands) {
      const from = performance.now();
      const { status } = spawnSync(program!, words, {
        input: "",
        env: { ...process.env, EIN_BENCH_ROOT: plan.place.root },
      });
      if (status === 0)
        times.set(name, Math.min(performance.now() - from, times.get(name) ?? Infinity));
    }
  }
  const outcomes = new Map(
    [...times].map(([name, ms]): [string, Outcome] => [
      name,
      { kind: "timed", ms, checksums: [], apart: 0, agrees: true },
    ]),
  );
  return { row: { id: "startup", title: "start-up", flops: 0, bytes: 0 }, threads: 1, outcomes };
}
