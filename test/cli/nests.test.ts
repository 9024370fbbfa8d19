// Nests of 1,000 levels in the built command: every command accepts them, and the time grows in
// proportion to the levels, or little more.
//
// The measure is the processor time of all threads of the process, which the process writes to a
// file when it ends. So other processes on the machine have little effect.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));
const [few, many] = [250, 1000];

/** With four times the levels, at most this many times the time. */
const most = (many / few) * 1.6;

const inside = (levels: number, open: string, inner: string, close: string): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

const nests: Record<string, (levels: number) => string> = {
  calls: (levels) => `let y = ${inside(levels, "sin(", "x", ")")};`,
  conditions: (levels) => `let y = ${inside(levels, "if x > 0.0 { x } else { ", "0.5", " }")};`,
  parentheses: (levels) => `let y = ${inside(levels, "(", "x * x", ")")};`,
  sums: (levels) => `let y = ${inside(levels, "x - (", "x", ")")};`,
  matches: (levels) => `let y = ${inside(levels, "match 3 { 1 => x, _ => ", "x * x", " }")};`,
  functions: (levels) => {
    const links = Array.from(
      { length: levels },
      (_, k) => `fn f${k + 1}(a: f32) -> f32 { f${k}(a * 0.9) + a }`,
    );
    return ["fn f0(a: f32) -> f32 { a * 0.5 }", ...links, `let y = f${levels}(x);`].join("\n");
  },
};

const asked = ["--of", "y", "--wrt", "x"];
const commands: Record<string, readonly string[]> = {
  check: [],
  run: [],
  grad: asked,
  explain: asked,
  audit: [],
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ein-nests-"));
  writeFileSync(
    join(folder, "hook.cjs"),
    `if (require("node:worker_threads").isMainThread) process.on("exit", () => {
      const { user, system } = process.cpuUsage();
      const path = ${JSON.stringify(join(folder, "cpu"))};
      require("node:fs").writeFileSync(path, String(user + system));
    });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command on a nest with a request. Returns how it ended, and the microseconds it took. */
function run(command: string, nest: string, levels: number) {
  const program = join(folder, "nest.ein");
  writeFileSync(program, `let x = 0.5;\n${nests[nest]!(levels)}\nlet g = @y / @x;\n`);
  const words = [command, program, ...commands[command]!];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--require", join(folder, "hook.cjs"), ein, ...words],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  return { status, stderr, time: Number(readFileSync(join(folder, "cpu"), "utf8")) };
}

describe.each(Object.keys(commands))("ein %s", { timeout: 120_000 }, (command) => {
  test.each(["calls", "conditions"])("time grows with the levels of %s", (nest) => {
    const [less, more] = [few, many].map((levels) => run(command, nest, levels));
    expect(less).toMatchObject({ status: 0, stderr: "" });
    expect(more).toMatchObject({ status: 0, stderr: "" });
    expect(more!.time / less!.time).toBeLessThan(most);
  });
});

test.each(["parentheses", "sums", "matches", "functions"])(
  "1,000 levels of %s are derived",
  { timeout: 120_000 },
  (nest) => expect(run("check", nest, many)).toMatchObject({ status: 0 }),
);
