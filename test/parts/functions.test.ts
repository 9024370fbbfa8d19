// A module that is divided into two modules behaves as before.

import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { divided, withProbes } from "../../scripts/parts/functions.mjs";

const code = `import { sep } from "node:path";
let calls = 0;
const table = { far, near };
export function near(n) {
  return [...listed(n), table.far(n)];
}
export function far(n) {
  return helper({ near }) + sep.length * n;
}
export function* steps(n) {
  yield* [far(n), near(n).length];
}
function helper(of) {
  return Object.keys(of).length + constant;
}
function listed(n) {
  return [n];
}
export function counted() {
  return ++calls;
}
export async function later() {
  return constant;
}
const constant = 40;
`;

async function loaded(
  isMoved: (name: string) => boolean,
): Promise<{ names: readonly string[]; all: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), "einlang-functions-"));
  const [kept, moved] = ["kept.mjs", "moved.mjs"].map((name) => join(folder, name));
  const texts = divided(code, isMoved, { kept: "./kept.mjs", moved: "./moved.mjs" });
  writeFileSync(kept!, texts.kept);
  if (texts.moved !== undefined) writeFileSync(moved!, texts.moved);
  const module = await import(/* @vite-ignore */ pathToFileURL(kept!).href);
  return {
    names: texts.names,
    all: [
      module.near(2),
      module.far(3),
      [...module.steps(1)],
      module.counted(),
      module.counted(),
      await module.later(),
    ],
  };
}

test("whichever functions go", async () => {
  const whole = await loaded(() => false);
  expect(whole).toEqual({ names: [], all: [[2, 43], 44, [42, 2], 1, 2, 40] });
  for (const gone of [
    ["far"],
    ["listed"],
    ["helper", "far"],
    ["near", "steps"],
    ["far", "near", "steps", "helper", "listed"],
  ])
    expect((await loaded((name) => gone.includes(name))).all, gone.join(", ")).toEqual(whole.all);
});

test(
  "but for those that wait or know a variable that changes; " +
    "those that nobody asks for have no name outside",
  async () => {
    expect((await loaded(() => true)).names).toEqual(["near", "far", "steps"]);
  },
);

test("a probe stands first in every function", () => {
  const told: string[] = [];
  withProbes(code, (name) => (told.push(name), ""));
  expect(told).toEqual(["near", "far", "steps", "helper", "listed", "counted", "later"]);
});
