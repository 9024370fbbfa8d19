// The built command in a process of its own: pipes, signals, standard input.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { withoutColour } from "../support/colour.ts";
import { ctrlC, play } from "./play-terminal.ts";

const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));

beforeAll(() => {
  if (!existsSync(ein)) throw new Error("dist/ein.js is missing: run `npm run build` first");
});

function run(words: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(ein, words, { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("the ein process", () => {
  test("is executable, and reads a program from standard input", () => {
    expect(run(["-"], "print(1 + 1);")).toEqual({ status: 0, stdout: "2\n", stderr: "" });
    expect(run(["run", "-", "--json"], "let a = 1;")).toMatchObject({ status: 0 });
    expect(run(["fmt", "-"], "let   a=1 ;")).toMatchObject({ status: 0, stdout: "let a = 1;\n" });
  });

  test("exits with 1 for a wrong program and 2 for a wrong command line", () => {
    expect(run(["-e", "let a = (1;"])).toMatchObject({ status: 1, stdout: "" });
    expect(run(["run"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("finds the pages on errors from the build", () => {
    expect(run(["explain-code", "E0111"]).stdout).toContain("E0111");
  });

  test("takes a larger stack for a program that nests deeply", { timeout: 60_000 }, () => {
    const functions = Array.from(
      { length: 1000 },
      (_, k) => `fn f${k + 1}(a: f32) -> f32 { f${k}(a) + 1.0 }`,
    );
    const chain = ["fn f0(a: f32) -> f32 { a }", ...functions, "print(f1000(1.0));"].join("\n");
    expect(run(["-"], chain)).toEqual({ status: 0, stdout: "1001.0\n", stderr: "" });
    const brackets = (levels: number) => `print(${"(".repeat(levels)}1.5${")".repeat(levels)});`;
    expect(run(["-e", brackets(1000)])).toEqual({ status: 0, stdout: "1.5\n", stderr: "" });
    const beyond = run(["-"], brackets(100_000));
    expect(beyond).toMatchObject({ status: 1, stdout: "" });
    expect(beyond.stderr.match(/error\[E\d+\]/g)).toEqual(["error[E0115]"]);
    expect(beyond.stderr).toContain("<stdin>:1:2054");
  });

  test("a reader that goes away ends it in silence", () => {
    const prints = "print(v);\n".repeat(200);
    const script = `node "${ein}" - | head -c 10; echo; echo "\${PIPESTATUS[0]}"`;
    const source = `let v[i in 0..5000] = i;\n${prints}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], {
      input: source,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual(["[0, 1, 2, ", "0"]);
  });

  test("a full disk is said to be full", () => {
    const full = spawnSync("bash", ["-c", `node "${ein}" -e 'print(1);' > /dev/full`], {
      encoding: "utf8",
    });
    expect(full).toMatchObject({
      status: 2,
      stderr: "error[E0882]: cannot write to standard output: the disk is full\n",
    });
  });

  test("an interrupt stops a long run at once", async () => {
    const source = "print(0); let s = sum[i in 0..100000, j in 0..100000](i * j); print(s);";
    const child = spawn(process.execPath, [ein, "-e", source], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on("exit", (_, signal) => resolve(signal)),
    );
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const from = performance.now();
    child.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
    expect(performance.now() - from).toBeLessThan(2000);
  });
});

describe("a long run", () => {
  const source =
    "let h[0] = 1.0; let h[t in 1..1000000000] = sin(h[t - 1]) + 0.1; print(h[999999999]);";

  test("says at a terminal how far it is", async () => {
    const { screen, exit, missing } = await play({ words: ["-e", source] }, [
      { wait: " left" },
      { type: ctrlC },
    ]);
    expect({ exit, missing }).toEqual({ exit: -2, missing: null });
    expect(screen).toMatch(/h · step [\d,]+ of 1,000,000,000 · [\d,]+ steps\/s · .* left/);
  }, 60_000);

  test("says nothing of it elsewhere", () => {
    const { stdout, stderr } = spawnSync(ein, ["-e", source], { encoding: "utf8", timeout: 4000 });
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  }, 60_000);
});

describe.each([
  {
    script: "tour",
    words: [],
    parts: [
      "let d_score = @surprise / @score;",
      "d_score = [query: 6, key: 6] f32",
      "t = 13",
      "█",
      "⠒",
    ],
    text: "d_score = [query: 6, key: 6] f32",
  },
  {
    script: "demo",
    words: ["--small"],
    parts: [
      "let W1_next = W1 - rate * (@loss / @W1);",
      "let d_W1[hidden, pixel] = sum[batch](",
      "a 7 ",
      "? It is a",
      "█",
      "⠒",
    ],
    text: "are read right, after",
  },
])("npm run $script", ({ script, words, parts, text }) => {
  const path = fileURLToPath(new URL(`../../scripts/${script}.mjs`, import.meta.url));
  const shown = (env: Record<string, string>) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...env },
    });
    return { status, stdout, stderr };
  };

  test("shows program, results and pictures within 100 columns, plain when piped", () => {
    const { status, stdout, stderr } = shown({});
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Math.max(...stdout.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(
      100,
    );
    for (const strange of ["\u001b", "\r"]) expect(stdout).not.toContain(strange);
    for (const part of parts) expect(stdout).toContain(part);
  }, 60_000);

  test("has the same text in colour", () => {
    const { stdout } = shown({ FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001b[35mlet\u001b[0m");
    expect(withoutColour(stdout)).toContain(text);
  }, 60_000);
});
