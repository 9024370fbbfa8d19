// Damages valid programs at random and checks the parser: it must stay fast, keep spans in order,
// and skip nothing without a message.

import { parse } from "../../src/syntax/parse/parser.ts";
import { lex } from "../../src/syntax/lex/lexer.ts";
import { corpus } from "./corpus.ts";
import { generator, pick, type Random } from "./draw.ts";
import { inspectTree } from "./spans.ts";

export interface FuzzFailure {
  readonly seed: number;
  readonly program: string;
  readonly problem: string;
}

export interface FuzzReport {
  readonly programs: number;
  readonly failures: FuzzFailure[];
}

/** Milliseconds of processor time. Elapsed time would depend on other processes. */
const mostWork = 2000;

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzParser(seed: number, count: number): FuzzReport {
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const program = damagedProgram(seed + n);
    const problem = problemOf(program);
    if (problem) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures };
}

/** What is wrong with the parser's answer to a text, if anything. */
export function problemOf(program: string): string | undefined {
  const before = process.cpuUsage();
  try {
    const { module, diagnostics } = parse({ name: "fuzz", text: program });
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent > mostWork) return `took ${Math.round(spent)} ms`;
    const { problem, missing } = inspectTree(module);
    if (problem) return problem;
    if (missing > 0 && diagnostics.length === 0) return "a missing node without a diagnostic";
    const stray = diagnostics.find(
      ({ span }) => !span || span.start < 0 || span.end > program.length || span.start > span.end,
    );
    if (stray) return `a diagnostic outside of the text: ${stray.code} ${stray.title}`;
    return undefined;
  } catch (thrown) {
    return `threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`;
  }
}

export function damagedProgram(seed: number): string {
  const random = generator(seed * 7919 + 17);
  let text = pick(random, corpus);
  for (let rounds = 1 + Math.floor(random() * 3); rounds > 0; rounds--)
    text = pick(random, mutations)(text, random);
  return text;
}

/** The words of a text, each with the blanks before it. Joined, they give the text again. */
function pieces(text: string): string[] {
  const { tokens } = lex({ name: "fuzz", text });
  let at = 0;
  return tokens.map((token) => {
    const piece = text.slice(at, token.end);
    at = token.end;
    return piece;
  });
}

const oddities = [
  ..."×≤→é漢😀\u0000\u200b\ud800\udfff“”‘’".split(""),
  ..."'\"`#$&^~\\{}()[]|@;:,.=<>!?*/+-_0xe \n\t\r\u00a0\ufeff".split(""),
];
const insertions = (
  "let const fn pub use mod as where else if match true false enum struct in input rev " +
  "checkpoint surrogate allow return for while ( ) [ ] { } , ; : :: . .. " +
  '..= = == => -> | || |> && @ ? ** - ! < > 1 1. 0x 1e .5 "a{" "b} name'
).split(" ");

type Mutation = (text: string, random: Random) => string;

function atPiece(change: (words: string[], at: number, random: Random) => void): Mutation {
  return (text, random) => {
    const words = pieces(text);
    change(words, Math.floor(random() * words.length), random);
    return words.join("");
  };
}

const mutations: readonly Mutation[] = [
  atPiece((words, at) => words.splice(at, 1)),
  atPiece((words, at) => words.splice(at, 0, words[at]!)),
  atPiece((words, at, random) => words.splice(at, 0, ` ${pick(random, insertions)}`)),
  atPiece((words, at) => words.splice(at, 2, words[at + 1] ?? "", words[at]!)),
  atPiece((words, at, random) => {
    const other = Math.floor(random() * words.length);
    [words[at], words[other]] = [words[other]!, words[at]!];
  }),
  damageBracket,
  (text, random) => {
    const at = Math.floor(random() * (text.length + 1));
    let odd = "";
    for (let n = 1 + Math.floor(random() * 4); n > 0; n--) odd += pick(random, oddities);
    return text.slice(0, at) + odd + text.slice(at);
  },
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text, random) => text.slice(Math.floor(random() * text.length)),
  (text, random) => {
    const other = pick(random, corpus);
    return (
      text.slice(0, Math.floor(random() * text.length)) +
      other.slice(Math.floor(random() * other.length))
    );
  },
];

/** Removes, doubles or exchanges one bracket. */
function damageBracket(text: string, random: Random): string {
  const places = [...text.matchAll(/[()[\]{}]/g)].map((match) => match.index);
  if (places.length === 0) return text;
  const at = pick(random, places);
  const replacement = pick(random, ["", text[at]! + text[at]!, "(", ")", "[", "]", "{", "}"]);
  return text.slice(0, at) + replacement + text.slice(at + 1);
}
