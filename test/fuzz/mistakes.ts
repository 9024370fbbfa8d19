// Programs of the suite with one to three wrong tokens. The compiler answers every text quickly and
// with messages, and a text that it accepts can be run.

import { compile } from "../../src/driver/compile.ts";
import { lex } from "../../src/syntax/lex/lexer.ts";
import { rightPrograms, type Program } from "../damage/damage.ts";
import { generator, pick } from "./draw.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

/** The milliseconds that a message may take. */
const mostWork = 5000;

let programs: readonly Program[] | undefined;

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzMistakes(seed: number, count: number): FuzzReport {
  // Tests and scripts run in the repository.
  programs ??= rightPrograms(`${process.cwd()}/`);
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const program = mistaken(programs, seed + n);
    const problem = problemOf(program);
    if (problem) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures };
}

function mistaken(from: readonly Program[], seed: number): string {
  const random = generator(seed);
  let { text } = pick(random, from);
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const tokens = lex({ name: "mistaken", text }).tokens.filter(({ kind }) => kind !== "end");
    if (tokens.length === 0) break;
    const token = pick(random, tokens);
    const other = pick(random, tokens);
    const by = pick(random, [
      "",
      text.slice(other.start, other.end),
      `${text.slice(token.start, token.end)} `.repeat(2),
    ]);
    text = `${text.slice(0, token.start)}${by} ${text.slice(token.end)}`;
  }
  return text;
}

/** What is wrong with the compiler's answer to a text, if anything. */
export function problemOf(text: string): string | undefined {
  const before = process.cpuUsage();
  try {
    const { diagnostics, program } = compile({ name: "mistaken.ein", text });
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    const broken = diagnostics.find(({ code }) => code === "E0999");
    if (broken) return `a mistake of the compiler: ${broken.title}`;
    if (spent > mostWork) return `took ${Math.round(spent)} ms`;
    if (program && !program.inputs.some(({ shape }) => !shape)) program.dump("ir");
    return undefined;
  } catch (thrown) {
    return `threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`;
  }
}
