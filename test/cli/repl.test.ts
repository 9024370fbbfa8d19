// `ein repl` as a process: in a pipe, and at a terminal.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ctrlC, ctrlD, enter, line, play, tab, up, type Step } from "./play-terminal.ts";

const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ein-repl-"));
const path = (name: string): string => join(folder, name);

// Each test starts processes of its own, some of them several times.
vi.setConfig({ testTimeout: 60_000 });

beforeAll(() => {
  if (!existsSync(ein)) throw new Error("dist/ein.js is missing: run `npm run build` first");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function piped(input: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ein, "repl", ...words], {
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("down a pipe", () => {
  test("there are no prompts and no colours", () => {
    const session = "let x[i in 0..3] = i\nx\nfn f(a) {\n  a + 1\n}\nf(2)\n";
    expect(piped(session)).toEqual({ status: 0, stdout: "[0, 1, 2]\n3\n", stderr: "" });
  });

  test("an entry that fails is reported, the others go on, and the exit code is 1", () => {
    const { status, stdout, stderr } = piped("let a = 1\nlet a = b\na + 1\n");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "2\n" });
    expect(stderr).toContain("error[E0201]: `b` is not defined\n --> <entry 2>:1:9");
    expect(stderr).not.toContain("\u001b");
  });

  test("an entry that is never finished says what it lacks", () => {
    expect(piped("let a = (1 +\n")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("error[E0110]"),
    });
  });

  test("flags of a run", () => {
    expect(piped("1.0 / 3.0\n", "--f64").stdout).toBe("0.3333333333333333\n");
    expect(piped("let z = 0.0\n1.0 / z\n", "--trap", "nan")).toMatchObject({
      status: 1,
      stdout: "",
    });
    expect(piped("input n: i32\nn\n", "--set", "n=3").stdout).toBe("3\n");
    expect(piped("", "--trap", "inf").status).toBe(2);
    expect(piped("let a[i in 0..1000000] = i\n", "--max-memory", "1MB")).toMatchObject({
      status: 1,
    });
  });

  test("a file to begin with", () => {
    writeFileSync(path("begin.ein"), 'let a = 4;\nprint("begun");\n');
    expect(piped("a\n:quit\na\n", path("begin.ein"))).toEqual({
      status: 0,
      stdout: "begun\n4\n",
      stderr: "",
    });
    expect(piped("", path("missing.ein"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("E0881"),
    });
  });

  test("inputs from files and from the line", () => {
    writeFileSync(path("x.json"), "[1, 2, 3]");
    const session =
      `input x: [f32; n]\nlet s = sum[i](x[i])\n:in x=${path("x.json")}\ns\n:set x=[10, 20]\n` +
      "s\n";
    expect(piped(session)).toMatchObject({ status: 0, stdout: "6.0\n30.0\n" });
    const early = `:in x=${path("x.json")}\ninput x: [f32; *]\nsum[i](x[i])\n`;
    expect(piped(early)).toMatchObject({ status: 0, stdout: "6.0\n" });
    const apart = `input x: [f32; n]\ninput y: [f32; n]\n:set x=[1, 2]\n:set y=[1, 2, 3]\n`;
    expect(piped(apart)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("`n` is 2, from axis 0 of `x`"),
    });
    expect(piped("input x: f32\n:set x=abc\n").stderr).toContain("`:set` takes a number");
    expect(piped("input x: f32\n:in x=none.npy\n").stderr).toContain("there is no such file");
    expect(piped("input x: f32\n:in x\n").stderr).toContain("write `:in x=data.npy`");
  });

  test("commands", () => {
    const { status, stdout } = piped(
      ":help\nlet y[row in 0..2] = 1.5\n:type y\n:names\n:ir y\n:time y\n:explain E0304\n" +
        ":clear\n:names\n",
    );
    expect(status).toBe(0);
    for (const part of [
      ":grad y x …",
      "[f32; row: 2]\n",
      "y: [f32; row: 2]\n",
      "let y[row in 0..2]",
      " ms\n",
      "E0304: ",
    ])
      expect(stdout).toContain(part);
    expect(piped(":hepl\n").stderr).toContain("did you mean `:help`?");
    expect(piped(":load\n:save\n:grad y\n:type\n").stderr.match(/error\[E0880\]/g)).toHaveLength(4);
    expect(piped(`:save ${path("no/such/folder.ein")}\n`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("E0882"),
    });
  });

  test("what is saved runs, and can be loaded", () => {
    const file = path("saved.ein");
    piped(`fn f(a) { a }\nlet x = f(1)\nfn f(a) { a + 1 }\nprint(x + f(1))\n:save ${file}\n`);
    const run = spawnSync(process.execPath, [ein, "run", file], { encoding: "utf8" });
    expect(run).toMatchObject({ status: 0, stdout: "3\n" });
    expect(piped(`:load ${file}\nf(10)\n`).stdout).toBe("3\n11\n");
  });
});

describe("at a terminal", () => {
  const env = { XDG_STATE_HOME: folder, NO_COLOR: "1" };
  const at = (...steps: readonly (Step | readonly Step[])[]) =>
    play({ env }, [{ wait: "ein> " }, ...steps.flat(), { type: ctrlD }]);
  const fib = "fn fib(n: i32) -> i32 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }";

  test("an entry may take several lines, tensors are laid out, and Ctrl-D leaves", async () => {
    const { screen, exit, missing } = await at(
      line("let x[row in 0..2, col in 0..3] = (", "...> "),
      line("row + col)"),
      line("x"),
    );
    expect({ exit, missing }).toEqual({ exit: 0, missing: null });
    expect(screen).toContain("[row: 2, col: 3] i32\n  0  1  2\n  1  2  3\n");
    expect(screen).toMatch(/^Einlang \d/);
  });

  test("Ctrl-C drops the line, and the lines before it", async () => {
    const { screen, exit } = await at(
      { type: "1 + nonsense" },
      { type: ctrlC },
      { wait: "ein> " },
      line("let a = [1,", "...> "),
      { type: `2${ctrlC}` },
      { wait: "ein> " },
      line("6 * 7"),
    );
    expect(exit).toBe(0);
    expect(screen).toContain("42\n");
    expect(screen).not.toContain("error");
  });

  test("Ctrl-C stops a function that would run for ages, and every binding stays", async () => {
    const { screen, seconds, missing } = await at(
      line("let kept = sum[i in 0..1000](i)"),
      line(fib),
      { type: `fib(60)${enter}` },
      { pause: 1 },
      { type: ctrlC },
      { wait: "ein> " },
      line("kept + fib(10)"),
    );
    expect(missing).toBeNull();
    expect(screen).toContain("499555\n");
    expect(seconds[3]).toBeLessThan(2);
  });

  test("Ctrl-C stops a long tensor computation, and its name is not bound", async () => {
    const { screen, seconds, missing } = await at(
      line("let kept = 5"),
      { type: `let s = sum[i in 0..100000, j in 0..100000](i * j)${enter}` },
      { pause: 1 },
      { type: ctrlC },
      { wait: "ein> " },
      line("s"),
      line("kept"),
    );
    expect(missing).toBeNull();
    expect(screen).toContain("`s` is not defined");
    expect(screen).toContain("kept\n5\n");
    expect(seconds[2]).toBeLessThan(2);
  });

  test("prints appear while the rest is still computed", async () => {
    const { missing } = await at(
      { type: `print("begun"); let s = sum[i in 0..100000, j in 0..100000](i * j);${enter}` },
      { wait: "\nbegun" },
      { type: ctrlC },
      { wait: "ein> " },
    );
    expect(missing).toBeNull();
  });

  test("history outlives the session, an entry of several lines as one", async () => {
    await at(line("let first = (", "...> "), line("  10)"), line("first * 2"));
    const { screen, missing } = await at(
      { type: up },
      { wait: "first * 2" },
      { type: up },
      { wait: "let first = ( 10)" },
      { type: enter },
      { wait: "ein> " },
      line("first"),
    );
    expect(missing).toBeNull();
    expect(screen).toContain("first\n10\n");
    expect(readFileSync(path("ein/history"), "utf8")).toContain("let first = ( 10)\nfirst * 2\n");
  });

  test("a history that cannot be written is done without", async () => {
    writeFileSync(path("blocked"), "");
    const { screen, exit } = await play({ env: { ...env, XDG_STATE_HOME: path("blocked") } }, [
      { wait: "ein> " },
      ...line("1 + 1"),
      { type: ctrlD },
    ]);
    expect(exit).toBe(0);
    expect(screen).toContain("2\n");
  });

  test("Tab completes names, modules and commands", async () => {
    const pressed: readonly Step[] = [{ pause: 0.2 }, { type: tab }, { pause: 0.2 }];
    const { screen, missing } = await at(
      line("let temperature[city in 0..2] = 20.5"),
      { type: ":ty" },
      ...pressed,
      { type: " temp" },
      ...pressed,
      { type: enter },
      { wait: "[f32; city: 2]" },
      { wait: "ein> " },
      { type: "use std::m" },
      ...pressed,
      { type: tab },
      { wait: "math" },
      { wait: "ein> " },
      { type: ctrlC },
      { wait: "ein> " },
    );
    expect(missing).toBeNull();
    expect(screen).toContain(":type temperature");
  });

  test(":load and :save", async () => {
    writeFileSync(path("load.ein"), 'let base = 40;\nprint("loaded");\n');
    const { screen, missing } = await at(
      line(`:load ${path("load.ein")}`),
      line("base + 2"),
      line(`:save ${path("kept.ein")}`),
      { type: `:quit${enter}` },
    );
    expect(missing).toBeNull();
    expect(screen).toContain("loaded\n");
    expect(screen).toContain("42\n");
    expect(readFileSync(path("kept.ein"), "utf8")).toBe(
      'let base = 40;\nprint("loaded");\nbase + 2;\n',
    );
  });

  test("a narrow terminal and letters of all alphabets", async () => {
    const long = 'let message = "grüße, 世界, привет, from a terminal that is much too narrow"';
    const { screen, missing } = await play({ env, columns: 24 }, [
      { wait: "ein> " },
      ...line(long),
      ...line("message"),
      ...line("let x[i in 0..40] = i * 1000"),
      { type: `x${enter}` },
      { wait: "i32" },
      { wait: "ein> " },
      { type: ctrlD },
    ]);
    expect(missing).toBeNull();
    expect(screen).toContain("\ngrüße, 世界, привет, from a terminal that is much too narrow\n");
  });

  test("lines that are pasted together are entered one after the other", async () => {
    const { screen, missing } = await at(
      { type: "let a = 1\rlet b = a + 1\ra + b\r" },
      { wait: "\n3\r\n" },
      { wait: "ein> " },
    );
    expect(missing).toBeNull();
    expect(screen).toContain("\n3\n");
  });
});

describe("ein run at a terminal", () => {
  test("Ctrl-C stops it at once, as a signal does, and leaves no file behind", async () => {
    const out = path("never.npy");
    const source = "print(0); let s = sum[i in 0..100000, j in 0..100000](i * j);";
    const { exit, seconds } = await play({ words: ["-e", source, "--save", `s=${out}`] }, [
      { wait: "0" },
      { pause: 0.3 },
      { type: ctrlC },
      { wait: "^C" },
    ]);
    // A shell calls this exit code 130.
    expect(exit).toBe(-2);
    expect(seconds[1]).toBeLessThan(2);
    expect(existsSync(out)).toBe(false);
  });
});
