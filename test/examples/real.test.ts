// The real programs of examples/, each in a process of its own, as users run them: small sizes, the
// report, saved training, progress.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { format } from "../../src/syntax/format/format.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "ein-examples-"));
const patience = 240_000;

beforeAll(() => {
  if (!existsSync(join(root, "dist/index.js")))
    throw new Error("dist is missing: run `npm run build` first");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function node(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Runs a script that uses the modules of the examples. */
const script = (text: string) => node(["--input-type=module", "-e", text]);

describe("the real programs", () => {
  const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const files = folders.flatMap(({ name }) =>
    readdirSync(join(root, "examples", name))
      .filter((file) => file.endsWith(".ein"))
      .map((file) => `examples/${name}/${file}`),
  );

  test.each(files)("%s is in canonical layout and says what it shows", (name) => {
    const text = readFileSync(join(root, name), "utf8");
    const { module, diagnostics } = parse({ name, text });
    expect(diagnostics).toEqual([]);
    expect(format(module)).toBe(text);
    expect(text).toMatch(/^\/\/ [A-Z]/);
  });

  test(
    "meet their bars at small size, and say nothing else when piped",
    () => {
      const { status, stdout, stderr } = node(["scripts/examples.mjs"]);
      const [head, ...rows] = stdout.trimEnd().split("\n");
      expect(stderr).toBe("");
      for (const strange of ["\u001b", "\r", "MISSED"]) expect(stdout).not.toContain(strange);
      expect(status).toBe(0);
      expect(head!.split(/ {2,}/)).toEqual(["program", "bar", "value", "seconds"]);
      expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual([
        "mnist, a hidden layer",
        "mnist, convolutions",
        "tables, breast-cancer",
        "tables, iris",
        "tables, wine",
        "heat",
        "text",
      ]);
      for (const row of rows) expect(row).toMatch(/ {2,}\S.* {2,}\S.* {2,}\d+\.\d$/);
    },
    patience,
  );

  test("a word that is not known is refused", () => {
    expect(node(["scripts/examples.mjs", "--fulll"])).toMatchObject({ status: 2, stdout: "" });
    expect(node(["scripts/examples.mjs", "cifar"]).stderr).toContain('"text"');
  });
});

describe("the report", () => {
  const holding = (value: string) => `
    import { hold } from "./examples/training/bars.mjs";
    const bar = { text: "above 1", holds: (value) => value > 1 };
    const measure = async () => ({ value: ${value}, shown: "${value}" });
    const program = { name: "p", bar: { small: bar, full: bar }, measure };
    const lines = [];
    const write = (line) => lines.push(line);
    const missed = await hold([program, program], { full: true, write });
    console.log(JSON.stringify([missed, lines.length, lines[1].includes("MISSED")]));
  `;

  test.each([
    ["2", [0, 3, false]],
    ["1", [2, 3, true]],
    ["NaN", [2, 3, true]],
  ])("a value of %s", (value, expected) => {
    expect(JSON.parse(script(holding(value)).stdout)).toEqual(expected);
  });
});

describe("training", () => {
  /** Trains for some steps, with a state that is loaded from a file and saved there. */
  const training = (path: string, steps: number) => `
    import { readFileSync } from "node:fs";
    import { compile } from "einlang";
    import { batchOf, digits } from "./examples/mnist/digits.mjs";
    import { networks } from "./examples/mnist/train.mjs";
    import { book, start, windows } from "./examples/text/train.mjs";
    import { resumed, takeSteps } from "./examples/training/trainer.mjs";
    const data = digits("t10k", 500);
    for (const [name, network] of Object.entries(networks)) {
      const program = await compile(readFileSync("examples/mnist/" + network.file, "utf8"));
      const path = ${JSON.stringify(path)} + "-" + name + ".safetensors";
      const chosen = (step) => Array.from({ length: 20 }, (_, k) => (20 * step + k) % 500);
      const inputs = (step) => ({
        ...batchOf(data, chosen(step), network.picture),
        rate: 0.1,
      });
      takeSteps(resumed(program, network.start, path), { steps: ${steps}, inputs, path });
    }
    const { learn, symbols } = book();
    const sizes =
      { layers: 2, heads: 2, depth: 8, hidden: 32, places: 16, symbols: symbols.length };
    const program = await compile(readFileSync("examples/text/transformer.ein", "utf8"));
    const path = ${JSON.stringify(path)} + "-text.safetensors";
    const inputs = (step) => ({
      ...windows(learn, [100 * step, 5000 + 100 * step], sizes.places),
      rate: 0.01,
    });
    takeSteps(resumed(program, () => start(sizes), path), { steps: ${steps}, inputs, path });
  `;

  test(
    "that is saved and resumed ends with the bits of training that was not",
    () => {
      for (const steps of [1, 5, 16])
        expect(script(training(join(scratch, "parts"), steps))).toMatchObject({
          status: 0,
          stderr: "",
        });
      expect(script(training(join(scratch, "whole"), 16))).toMatchObject({ status: 0, stderr: "" });
      for (const name of ["mlp", "cnn", "text"]) {
        const [parts, whole] = ["parts", "whole"].map((way) =>
          readFileSync(join(scratch, `${way}-${name}.safetensors`)),
        );
        expect(whole!.length).toBeGreaterThan(10_000);
        expect(parts!.equals(whole!)).toBe(true);
      }
    },
    patience,
  );

  test("shows steps per second, loss and time left at a terminal, and nothing elsewhere", () => {
    const { stdout } = script(`
      import { progress } from "./examples/training/progress.mjs";
      const shown = (isTTY) => {
        let time = 0;
        const written = [];
        const stream = { isTTY, columns: 80, write: (text) => written.push(text) };
        const line = progress(1000, { stream, now: () => time });
        for (const step of [1, 50, 400]) {
          time = step * 25;
          line.tell(step, 1 / step);
        }
        line.done();
        return written;
      };
      console.log(JSON.stringify([shown(true), shown(false), shown(undefined)]));
    `);
    const over = "\r\u001b[K";
    expect(JSON.parse(stdout)).toEqual([
      [
        `${over}step 1 of 1000 · 40 steps/s · loss 1.0000 · 25 s left`,
        `${over}step 50 of 1000 · 40 steps/s · loss 0.0200 · 24 s left`,
        `${over}step 400 of 1000 · 40 steps/s · loss 0.0025 · 15 s left`,
        over,
      ],
      [],
      [],
    ]);
  });
});
