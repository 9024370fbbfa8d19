// Every fix of a message works: after the edits the message is gone, the inserted text has no
// errors, and the text parses as well as before.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { codes, type Code } from "../../src/diagnostics/codes.ts";
import type { Diagnostic, Edit, Fix } from "../../src/diagnostics/diagnostic.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import type { Source } from "../../src/base/source.ts";
import { collectCases } from "../cases/collect.ts";
import { pages } from "../pages.ts";

const messages = fileURLToPath(new URL(".", import.meta.url));
const cases = fileURLToPath(new URL("../cases/", import.meta.url));

/**
 * The texts of all tests of messages: the programs in this folder, the examples of the pages, and
 * the literate cases.
 */
const corpus: readonly Source[] = [
  ...readdirSync(messages)
    .filter((name) => name.endsWith(".ein"))
    .map((name) => ({ name, text: readFileSync(messages + name, "utf8").split("//---\n")[0]! })),
  ...pages().flatMap(({ code, language, example }) =>
    language === "ein" ? [{ name: `docs/errors/${code}.md`, text: example }] : [],
  ),
  ...collectCases(cases)
    .filter((each) => each.messages.length > 0)
    .map(({ name, text }) => ({ name: `${name}.ein`, text })),
];

interface Said {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
}

const said: readonly Said[] = corpus.map((source) => ({
  source,
  diagnostics: compile(source).diagnostics,
}));

/** The text after all edits of a fix. */
function edited(text: string, { edits }: Fix): string {
  const last = [...edits].sort((a, b) => b.span.start - a.span.start);
  return last.reduce(
    (all, { span, text: by }) => all.slice(0, span.start) + by + all.slice(span.end),
    text,
  );
}

/** The new offset of a place after the edits before it. */
function moved(at: number, edits: readonly Edit[]): number {
  const before = edits.filter(({ span }) => span.end <= at && span.start < at);
  return before.reduce(
    (place, { span, text }) => place + text.length - (span.end - span.start),
    at,
  );
}

/** The stretches of the new text that a fix inserted. */
function inserted(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  return edits.map(({ span, text }) => {
    const start = moved(
      span.start,
      edits.filter((other) => other.span !== span),
    );
    return [start, start + text.length];
  });
}

/** What is wrong with a fix. Empty for a fix that works. */
function faultsOf({ source, diagnostics }: Said, of: Diagnostic, fix: Fix): readonly string[] {
  const faults: string[] = [];
  const { edits } = fix;
  if (edits.length === 0) faults.push("it has no edit");
  if (edits.some(({ span }) => span.source.name !== source.name)) return ["it edits another text"];
  const inOrder = [...edits].sort((a, b) => a.span.start - b.span.start);
  if (inOrder.some(({ span }, k) => k > 0 && span.start < inOrder[k - 1]!.span.end))
    faults.push("its edits overlap");
  const text = edited(source.text, fix);
  if (text === source.text) faults.push("it changes nothing");
  const after = compile({ name: source.name, text }).diagnostics;
  const place = of.span ? moved(of.span.start, edits) : -1;
  const stays = after.filter(
    ({ code, title, span }) => code === of.code && title === of.title && span?.start === place,
  );
  const before = diagnostics.filter(
    ({ code, title, span }) =>
      code === of.code && title === of.title && span?.start === of.span?.start,
  );
  if (stays.length >= before.length) faults.push("its message stays");
  const stretches = inserted(edits).filter(([start, end]) => end > start);
  const wrong = after.find(
    ({ level, span }) =>
      level === "error" &&
      span &&
      stretches.some(([start, end]) => start <= span.start && span.end <= end && span.start < end),
  );
  if (wrong) faults.push(`it brings ${wrong.code} ${wrong.title}`);
  const [was, is] = [source.text, text].map(
    (each) => parse({ name: source.name, text: each }).diagnostics.length,
  );
  if (is! > was!) faults.push(`the text can be read worse: ${is} errors for ${was}`);
  return faults;
}

const repairs = said.flatMap((one) =>
  one.diagnostics.flatMap((of) =>
    (of.fixes ?? []).map((fix) => ({ one, of, fix, name: `${of.code} ${fix.title}` })),
  ),
);

describe("every repair", () => {
  test("is there to be tested", () => {
    expect(repairs.length).toBeGreaterThan(200);
  });

  const mended = new Set(repairs.map(({ of }) => of.code));
  test.each([...mended].sort())("of %s works", (code) => {
    const failed = repairs.flatMap(({ one, of, fix }) => {
      if (of.code !== code) return [];
      const faults = faultsOf(one, of, fix);
      return faults.map((fault) => `${one.source.name}: ${of.title} | ${fix.title}: ${fault}`);
    });
    expect(failed).toEqual([]);
  });
});

/** The reason why the help of a code has no fix. */
const inWords: Partial<Record<Code, string>> = {
  E0115: "where to divide the expression is the writer's choice",
  E0190: "the recurrence has to be turned round by hand",
  E0204: "what stands between the two places may need the old order",
  E0206: "the text that is missing is in another file",
  E0207: "values that need one another belong into a module that is not there yet",
  E0208: "the module may be a file that is missing, or a value that is no module",
  E0305: "the range, the access or a guard may be meant",
  E0306: "which of the two has a range, and how long, is not known",
  E0412: "the value of the missing arm is not known",
  E0416: "the comprehension depends on what is made of the rows",
  E0504: "the coordinate needs a name and a size of its own",
  E0505: "what is to be printed of the finished tensor is not known",
  E0506: "what a read of a filtered cell means is the writer's choice",
  E0508: "the functions have to become variants of an enum",
  E0603: "the recurrence has to be turned round by hand",
  E0605: "what stands between the two places may need the old order",
  E0702: "what the numerator was meant to be is not known",
  E0703: "the numerator has to use the new name as well",
  E0705: "the right rule is a matter of mathematics",
  E0706: "the rule may have other names inside",
  E0707: "what the differential is divided by is not known",
  E0708: "the request belongs outside of the recurrence, with a name of its own",
  E0709: "the function has to give its derivative together with its value",
  W0307: "the value of the other border is not known",
  W0701: "the numerator, the denominator or the 0 may be meant",
  W0702: "the rule has to say how the result moves with the new parameter",
};

test("codes whose help is never an edit have a reason, and are a third at most", () => {
  const all = said.flatMap(({ diagnostics }) => diagnostics);
  const mended = new Set(all.flatMap(({ code, fixes }) => (fixes ? [code] : [])));
  const told = new Set(
    all.flatMap(({ code, help }) => (help !== undefined && !mended.has(code) ? [code] : [])),
  );
  expect([...told].sort()).toEqual(Object.keys(inWords).sort());
  expect(told.size).toBeLessThanOrEqual(Object.keys(codes).length / 3);
});
