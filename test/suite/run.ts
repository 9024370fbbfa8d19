// Runs a shard of the suite: every look at every program of the shard.
//
// A program is compiled once for all looks. A look that changes the program would affect later
// looks, so the last test of each program compares its text before and after. Looks that change it
// on purpose (`writes`) get a copy.

import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { isTaken } from "../depth.ts";
import { asBuilt } from "./looks/built.ts";
import { derivedAgain, likeDifferences } from "./looks/derivatives.ts";
import { asExpected } from "./looks/expected.ts";
import { explained } from "./looks/explained.ts";
import { asJavaScript } from "./looks/javascript.ts";
import { onKernels } from "./looks/kernels.ts";
import type { Look } from "./looks/look.ts";
import { printedWhole } from "./looks/printed.ts";
import { asRecorded } from "./looks/recorded.ts";
import { suitePrograms, type SuiteProgram } from "./programs.ts";
import { subjectOf, type Subject } from "./subject.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const looks: readonly Look[] = [
  asRecorded,
  asExpected,
  asJavaScript,
  onKernels,
  asBuilt,
  printedWhole,
  likeDifferences,
  derivedAgain,
  explained,
];

/** Neighbours are similar and take similar times, so they go to different shards. */
export function runShard(shard: number, shards: number): void {
  const programs = suitePrograms(root).filter((_, k) => k % shards === shard);
  for (const one of programs) {
    const own = looksAt(one);
    if (own.length > 0) describe(`${one.kind} ${one.name}`, () => lookAt(one, own));
  }
  describe("the shard", () => {
    for (const { name, atTheEnd } of looks) if (atTheEnd) test(name, atTheEnd);
  });
}

function looksAt(one: SuiteProgram): readonly Look[] {
  return looks.filter(
    ({ applies, isDeep }) => (applies?.(one) ?? true) && (!isDeep || isTaken(one.name)),
  );
}

function lookAt(one: SuiteProgram, own: readonly Look[]): void {
  let subject: Subject | undefined;
  const compiled = (): Subject => (subject ??= subjectOf(one));
  let before: string | undefined;
  for (const { name, look, writes } of own)
    test(name, { timeout: 60_000 }, async () => {
      if (writes) return look(subjectOf(one));
      before ??= dumped(compiled());
      return look(compiled());
    });
  if (own.every(({ writes }) => writes)) return;
  test("no look has changed it", () => expect(dumped(compiled())).toBe(before));
  afterAll(() => void (subject = undefined));
}

/** The text of the program after every pass. */
function dumped({ program }: Subject): string {
  return (program?.passes ?? []).map((pass) => `${pass}\n${program!.dump(pass)}`).join("\n");
}
