// The protocol on the side of the harness: a contender's process gets one question at a time, and
// is started again if it dies.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { Contender, Place } from "./contenders.ts";
import type { Answer, Question } from "./protocol.ts";

export interface Conversation {
  readonly contender: Contender;
  readonly threads: number;
  ask(question: Question): Promise<Answer>;
  close(): void;
}

/** A question that takes longer is a failure. */
const patienceMs = 120_000;

export function converse(contender: Contender, threads: number, place: Place): Conversation {
  const [program, ...words] = contender.command(place) ?? [];
  let process_: ReturnType<typeof start> | undefined;
  return {
    contender,
    threads,
    async ask(question) {
      if (program === undefined)
        return { kind: "absent", why: "not installed: `npm run bench:install`" };
      process_ ??= start(program, words, threads, place);
      const answer = await process_.ask(question);
      if (process_.ended()) process_ = undefined;
      return answer;
    },
    close() {
      process_?.close();
      process_ = undefined;
    },
  };
}

function start(program: string, words: readonly string[], threads: number, { root }: Place) {
  const child = spawn(program, words, {
    env: { ...process.env, EIN_BENCH_THREADS: String(threads), EIN_BENCH_ROOT: root },
  });
  let waiting: ((answer: Answer) => void) | undefined;
  let complaint = "";
  let ended = false;
  const settle = (answer: Answer): void => {
    waiting?.(answer);
    waiting = undefined;
  };
  const end = (why: string): void => {
    ended = true;
    settle({ kind: "failed", why });
  };
  child.on("error", (failure) => end(failure.message));
  child.on("close", (code) => end(`ended with ${code}: ${lastLine(complaint)}`));
  child.stderr.on("data", (text) => (complaint = `${complaint}${text}`.slice(-2000)));
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", (line) => settle(JSON.parse(line) as Answer));
  return {
    ended: () => ended,
    close: () => child.stdin.end(),
    ask: (question: Question) =>
      new Promise<Answer>((resolve) => {
        const impatient = setTimeout(() => stop(child), patienceMs);
        waiting = (answer) => {
          clearTimeout(impatient);
          resolve(answer);
        };
        child.stdin.write(`${JSON.stringify(question)}\n`);
      }),
  };
}

function stop(child: ChildProcessWithoutNullStreams): void {
  child.kill("SIGKILL");
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
