// Nests of 1,000 levels in the built command: every command accepts them. `npm run bench:growth`
// measures how time grows with the length of a program.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));
const most = 1000;

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
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command on a nest with a request, and returns how the command ended. */
function run(command: string, nest: string): { status: number | null; stderr: string } {
  const program = join(folder, "nest.ein");
  writeFileSync(program, `let x = 0.5;\n${nests[nest]!(most)}\nlet g = @y / @x;\n`);
  const words = [ein, command, program, ...commands[command]!];
  return spawnSync(process.execPath, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

describe.each(Object.keys(commands))("ein %s", { timeout: 300_000 }, (command) => {
  test.each(["calls", "conditions"])("1,000 levels of %s", (nest) =>
    expect(run(command, nest)).toMatchObject({ status: 0, stderr: "" }),
  );
});

test.each(["parentheses", "sums", "matches", "functions"])(
  "1,000 levels of %s are derived",
  { timeout: 300_000 },
  (nest) => expect(run("check", nest)).toMatchObject({ status: 0 }),
);
