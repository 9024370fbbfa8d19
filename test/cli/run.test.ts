// The command line from words to exit code, in one process. A recorder replaces the terminal.

import { mkdirSync, readFileSync, statSync, symlinkSync, lstatSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { session } from "./session.ts";

const { ein, json, file, path: at } = session();

const matmul = `let A = [[1.0, 2.0], [3.0, 4.0]];
let B = [[5.0, 6.0], [7.0, 8.0]];
let C[i, j] = sum[k](A[i, k] * B[k, j]);
`;
const total = "input x: [f32; n]; let s = sum[i](x[i]);";

describe("ein run", () => {
  test("shows prints, then the last expression", async () => {
    expect(await ein(["run", "-e", 'print("a", 1); let x = 2; x + 1'])).toEqual({
      code: 0,
      out: "a 1\n3\n",
      err: "",
    });
    expect((await ein(["run", "-e", "print(1);"])).out).toBe("1\n");
  });

  test("`ein -e` and `ein --json -e` alone run the program", async () => {
    expect((await ein(["-e", "print(7);"])).out).toBe("7\n");
    expect(JSON.parse((await ein(["--json", "-e", "print(7);"])).out)).toMatchObject({
      printed: ["7"],
    });
  });

  test("reads a file, with a byte order mark and CRLF line ends", async () => {
    expect((await ein(["run", file("a.ein", matmul), "--get", "C"])).out).toBe(
      "C = [[19.0, 22.0], [43.0, 50.0]]\n",
    );
    const marked = file("b.ein", `\uFEFF${matmul.replaceAll("\n", "\r\n")}`);
    expect((await ein(["run", marked, "--get", "C"])).out).toBe(
      "C = [[19.0, 22.0], [43.0, 50.0]]\n",
    );
  });

  test("--get shows names in the order asked; a terminal gets them aligned", async () => {
    const source = "let a = 1; let b = 2.0; let v[i in 0..3] = i;";
    expect((await ein(["-e", source, "--get", "b,a"])).out).toBe("b = 2.0\na = 1\n");
    const shown = await ein(["-e", source, "--get", "v"], {
      terminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(shown.out).toContain("v = [i: 3] i32\n");
  });

  test("--json: every value by name, and what was printed", async () => {
    const { code, object } = await json("-e", `${matmul} print("done"); C[0, 0] * 0.1`);
    expect(code).toBe(0);
    expect(object.values!["C"]).toEqual({ dtype: "f32", shape: [2, 2], data: [19, 22, 43, 50] });
    expect(object.values!["_"]).toEqual({ dtype: "f32", shape: [], data: [1.9] });
    expect(object.printed).toEqual(["done"]);
    expect(Object.keys(object)).toEqual(["values", "printed"]);
  });

  test("--json keeps the sign of zero and writes non-finite numbers as strings", async () => {
    const { out } = await ein([
      "-e",
      "let v = [-0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 0.1];",
      "--json",
    ]);
    expect(out).toContain('"data":[-0.0,"Infinity","-Infinity","NaN",0.1]');
  });

  test("--json on a wrong program: one object, exit code 1", async () => {
    const { code, object } = await json("-e", "let a = (1 + 2;");
    expect(code).toBe(1);
    expect(object.errors).toMatchObject([{ code: "E0112", line: 1 }]);
    expect(object.printed).toEqual([]);
    expect(object.warnings).toEqual([]);
  });

  test("--json on a wrong command line: one object, exit code 2", async () => {
    expect(await json("run")).toMatchObject({
      code: 2,
      object: { errors: [{ code: "E0880" }], printed: [] },
    });
    expect(await json("run", "-e", "1", "--nope")).toMatchObject({ code: 2 });
    expect(await json("run", at("missing.ein"))).toMatchObject({
      code: 2,
      object: { errors: [{ code: "E0881" }] },
    });
  });

  test("--json on a failing run keeps what was printed before", async () => {
    const { code, object } = await json(
      "-e",
      "let v = [1, 2]; let at = [5]; print(1); print(v[at[0]]);",
    );
    expect(code).toBe(1);
    expect(object).toMatchObject({ errors: [{ code: "E0901" }], printed: ["1"] });
  });

  test("--profile tells what each line has cost, in both forms", async () => {
    const program = "let v[i in 0..10] = i as f32 * 0.5;\nlet s = sum[i](v[i]);";
    const { object } = await json("-e", program, "--profile");
    const lines = (
      object as { readonly profile?: readonly { readonly line: number; readonly flops: number }[] }
    ).profile;
    expect(lines?.find(({ line }) => line === 2)).toMatchObject({ flops: 10 });
    const { err } = await ein(["-e", program, "--profile", "--get", "s"]);
    expect(err).toMatch(/ms +bytes +GFLOP\/s +line/);
    expect(err).toContain("let s = sum[i](v[i]);");
  });

  test("--time reports in both forms", async () => {
    expect((await json("-e", "let a = 1;", "--time")).object.time).toMatchObject({
      compile_ms: 0,
      run_ms: 0,
    });
    expect((await ein(["-e", "let a = 1;", "--time"])).err).toMatch(
      /^compiled in .* ms, ran in .* ms, .* bytes in use\n$/,
    );
  });

  test("inputs come from --set and --in", async () => {
    const source =
      "input T: i32; input r: f32; input on: bool; let y = if on { T as f32 * r } else { 0.0 };";
    expect(
      (
        await ein([
          "-e",
          source,
          "--set",
          "T=100",
          "--set",
          "r=2.5e-1",
          "--set",
          "on=true",
          "--get",
          "y",
        ])
      ).out,
    ).toBe("y = 25.0\n");
    const path = file("x.json", "[1, 2.5, 3]");
    expect((await ein(["-e", total, "--in", `x=${path}`, "--get", "s"])).out).toBe("s = 6.5\n");
  });

  test("--save writes what --in reads", async () => {
    const path = at("c.npy");
    expect(await ein(["-e", "let v[i in 0..4] = i as f32 * 0.5;", "--save", `v=${path}`])).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    expect((await ein(["-e", total, "--in", `x=${path}`, "--get", "s"])).out).toBe("s = 3.0\n");
  });

  test("what is wrong with an input is said", async () => {
    const wrong = async (...words: string[]) =>
      (await json("-e", total, ...words)).object.errors![0]!;
    expect(await json("-e", total)).toMatchObject({
      code: 1,
      object: { errors: [{ code: "E0801" }] },
    });
    expect(await json("-e", total, "--in", `y=${file("y.json", "[1]")}`)).toMatchObject({
      code: 1,
      object: { errors: [{ code: "E0885" }] },
    });
    expect(await json("-e", total, "--in", `x=${at("none.npy")}`)).toMatchObject({
      code: 2,
      object: { errors: [{ code: "E0881" }] },
    });
    expect((await wrong("--in", "x=data.mat")).code).toBe("E0883");
    for (const name of ["bad.npz:key", "bad.safetensors:key", "bad.csv"]) {
      const path = file(name.replace(":key", ""), "1,2\nnonsense");
      const { code, message } = await wrong(
        "--in",
        `x=${path}${name.endsWith(":key") ? ":key" : ""}`,
      );
      expect(code).toBe(name === "bad.csv" ? "E0887" : "E0881");
      expect(message).toContain(path);
    }
    expect((await wrong("--in", `x=${file("bad.json", "[1,")}`)).message).toContain("not JSON");
    expect((await wrong("--in", `x=${file("bad.npy", "nonsense")}`)).code).toBe("E0881");
    expect((await wrong("--in", `x=${file("rank.json", "[[1]]")}`)).code).toBe("E0887");
    expect((await wrong("--in", `x=${file("text.json", '["a"]')}`)).code).toBe("E0887");
    expect((await wrong("--in", "x")).code).toBe("E0880");
    expect((await wrong("--set", "x=abc")).code).toBe("E0880");
  });

  test("what cannot be read is followed by what can", async () => {
    const first = async (source: string, ...words: string[]) =>
      (await json("-e", source, ...words)).object.errors![0]!;
    expect(await first(total, "--set", "x=1,2,3")).toMatchObject({
      code: "E0880",
      help: "a list stands in brackets: `--set 'x=[1, 2, 3]'`",
    });
    expect(await json("-e", total, "--get", "s", "--set", "x=[1, 2, 3]")).toMatchObject({
      code: 0,
    });
    expect(await first("input s: str; print(s);", "--in", "s=t.txt")).toMatchObject({
      code: "E0883",
      help:
        "write the text in double quotes into a .json file, `--in s=t.json`, " +
        "or give a short one, `--set 's=…'`",
    });
    expect((await ein(["-e", "input s: str; s", "--in", `s=${file("s.json", '"ab"')}`])).out).toBe(
      "ab\n",
    );
    expect((await ein(["-e", "input s: [str; 2]; s", "--set", 's=["a", "b"]'])).out).toBe(
      '["a", "b"]\n',
    );
    expect(await first(total, "--in", `x=${file("e.csv", "")}`)).toMatchObject({ code: "E0887" });
  });

  test("a value that is no number is none, whatever every object has", async () => {
    for (const word of ["constructor", "__proto__", "toString"]) {
      expect(await json("-e", "input x: f32; print(x);", "--set", `x=${word}`)).toMatchObject({
        code: 2,
        object: { errors: [{ code: "E0880" }] },
      });
      const source = `input ${word}: f32; let y = ${word};`;
      const path = at(`${word}.npz`);
      expect(
        await json("-e", source, "--set", `${word}=2.5`, "--save", `y=${path}:${word}`),
      ).toMatchObject({
        code: 0,
      });
      const { object } = await json("-e", source, "--in", `${word}=${path}`);
      expect(object.values!["y"]).toEqual({ dtype: "f32", shape: [], data: [2.5] });
    }
  });

  test("a number that is too large for its type is refused, from wherever", async () => {
    for (const given of [
      ["--set", "x=[1e39]"],
      ["--set", "x=[1e999]"],
      ["--in", `x=${file("large.csv", "1e39")}`],
      ["--in", `x=${file("large.json", "[1e999]")}`],
    ])
      expect((await json("-e", total, ...given)).object.errors).toMatchObject([{ code: "E0887" }]);
    expect((await ein(["-e", total, "--set", "x=[1e39]", "--f64", "--get", "s"])).out).toBe(
      "s = 1e39\n",
    );
    expect(await json("-e", "input x: f32; print(x);", "--set", "x=1e999")).toMatchObject({
      code: 1,
      object: { errors: [{ code: "E0887" }] },
    });
  });

  test("a key that leads out of its folder is refused before the run", async () => {
    const { code, object } = await json(
      "-e",
      "let y = 1;",
      "--save",
      `y=${at("a.npz")}:../../evil`,
    );
    expect(code).toBe(2);
    expect(object.errors).toMatchObject([
      { code: "E0880", help: `write \`--save y=${at("a.npz")}:evil\`` },
    ]);
  });

  test("extents that disagree name both files", async () => {
    const [a, b] = [file("three.json", "[1, 2, 3]"), file("two.json", "[1, 2]")];
    const source = "input a: [f32; n]; input b: [f32; n]; let s = sum[i](a[i] * b[i]);";
    const { code, object } = await json("-e", source, "--in", `a=${a}`, "--in", `b=${b}`);
    expect(code).toBe(1);
    const place = `axis 0 of \`${b}\` has the extent 2, but \`n\` is 3, from axis 0 of \`${a}\``;
    expect(object.errors).toMatchObject([{ code: "E0887", message: place }]);
  });

  test("a name that is not there is an error of the program, with a suggestion", async () => {
    const { code, object } = await json("-e", "let total = 1;", "--get", "totl");
    expect(code).toBe(1);
    expect(object.errors).toMatchObject([{ code: "E0884", help: "did you mean `total`?" }]);
    const input = await json("-e", "input weights: f32; let y = weights;", "--set", "weight=1");
    expect(input.object.errors).toMatchObject([{ code: "E0885", help: "did you mean `weights`?" }]);
  });

  test("values go into archives and tables and come back", async () => {
    const source = "let a = [[1.0, 0.1], [2.0, 1e-8]]; let b = [3, 4];";
    const [npz, safetensors, csv] = [at("s.npz"), at("s.safetensors"), at("s.csv")];
    const places = [`a=${npz}`, `b=${npz}:bb`, `a=${safetensors}`, `b=${safetensors}`, `a=${csv}`];
    expect(await json("-e", source, ...places.flatMap((place) => ["--save", place]))).toMatchObject(
      { code: 0 },
    );
    for (const place of [`${npz}:a`, npz, safetensors, csv]) {
      const { object } = await json("-e", "input a: [f32; n, m]; let y = a;", "--in", `a=${place}`);
      expect(object.values!["y"]).toEqual({ dtype: "f32", shape: [2, 2], data: [1, 0.1, 2, 1e-8] });
    }
    const { object } = await json("-e", "input b: [i32; n]; let y = b;", "--in", `b=${npz}:bb`);
    expect(object.values!["y"]).toEqual({ dtype: "i32", shape: [2], data: [3, 4] });
  });

  test("a flag without an engine says so; a wrong one is told apart", async () => {
    const first = async (...words: string[]) => {
      const { code, object } = await json("-e", "let a = 1;", ...words);
      return `${code} ${object.errors?.[0]?.code}`;
    };
    expect(await first("--threads", "0")).toBe("2 E0880");
    expect(await first("--threads", "65")).toBe("2 E0880");
    expect(await first("--backend", "native")).toBe("1 E0190");
    expect(await first("--backend", "interpret")).toBe("0 undefined");
    expect(await first("--backend", "wsm")).toBe("2 E0880");
    expect(await first("--threads", "many")).toBe("2 E0880");
    expect(await first("--trap", "inf")).toBe("2 E0880");
    expect(await first("--trap", "overflow")).toBe("0 undefined");
    expect(await first("--max-memory", "lots")).toBe("2 E0880");
    expect(await first("--save", "a=out.mat")).toBe("2 E0883");
    expect(await first("--save", "a=out.json")).toBe("2 E0883");
    expect(await first("--save", "a=out.npz", "--save", "a=out.npz:a")).toBe("2 E0880");
    expect(await first("--dump", "nothing")).toBe("2 E0880");
    expect(
      await first(
        "--threads",
        "2",
        "--deterministic",
        "--backend",
        "interpret",
        "--max-memory",
        "1GB",
        "--trap",
        "nan",
        "--f64",
      ),
    ).toBe("0 undefined");
  });

  test("--f64 keeps all digits of floats, however they are given", async () => {
    const source =
      "input z: f32; input w: [f32; n]; input k: f32; let c = z - 1.2; let d = w[0] - 1.2; " +
      "let e = k - 16777216;";
    const given = ["--set", "z=1.2", "--set", "w=[1.2]", "--set", "k=16777217"];
    const { out } = await ein(["-e", source, "--f64", ...given, "--json"]);
    expect(
      Object.values(JSON.parse(out).values).map((value) => (value as { data: number[] }).data),
    ).toEqual([[0], [0], [1]]);
  });

  test("--dump writes to standard error", async () => {
    const source = "let at = [1, 0]; let a[i] = at[at[i]]; print(a[1]);";
    const { code, out, err } = await ein(["-e", source, "--dump", "checks"]);
    expect(code).toBe(0);
    expect(out).toBe("1\n");
    expect(err).toBe("at[at[i]]: the index of axis 0 in 0..2\n");
  });

  test("messages have frames, and colours only for those who watch or insist", async () => {
    const plain = await ein(["-e", "let a = (1;"]);
    expect(plain).toMatchObject({ code: 1, out: "" });
    expect(plain.err).toContain("error[E0112]");
    expect(plain.err).toContain("<command line>:1:");
    expect(plain.err).not.toContain("\u001b");
    expect((await ein(["-e", "let a = (1;"], { terminal: true })).err).toContain("\u001b");
    expect(
      (await ein(["-e", "let a = (1;"], { terminal: true, env: { NO_COLOR: "1" } })).err,
    ).not.toContain("\u001b");
    expect((await ein(["-e", "let a = (1;"], { env: { FORCE_COLOR: "1" } })).err).toContain(
      "\u001b",
    );
  });
});

describe("the command line itself", () => {
  test("a program that cannot be read: exit code 2 and the reason", async () => {
    mkdirSync(at("dir.ein"));
    const invalid = file("bytes.ein", new Uint8Array([0x6c, 0x65, 0x74, 0xff]));
    const reason = async (path: string) => {
      const { code, err } = await ein(["run", path]);
      return `${code} ${/: ([^:]*)\n$/.exec(err)?.[1]}`;
    };
    expect(await reason(at("missing.ein"))).toBe("2 there is no such file");
    expect(await reason(at("dir.ein"))).toBe("2 it is a directory");
    expect(await reason(invalid)).toBe("2 it is not UTF-8 text (byte 3)");
  });

  test("commands that are not built yet say so; unknown ones get a suggestion", async () => {
    expect(await ein(["-e", "print(1);", "--backend", "native"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("error[E0190]"),
    });
    expect(await ein(["rnu", "a.ein"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean `run`?"),
    });
    expect(await ein(["a.ein"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("`ein run a.ein`"),
    });
    expect(await ein(["run", "-e", "1", "--jsn"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("`--json`"),
    });
    expect(await ein(["run", "a.ein", "b.ein"])).toMatchObject({
      code: 2,
      err: "error[E0880]: a command takes one file at a time\n",
    });
    expect(await ein(["run", "-e", "1", "a.ein"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("given twice"),
    });
  });

  test("the first things that people try are answered", async () => {
    const help = async (...words: readonly string[]) => (await ein(words)).err;
    expect((await ein(["help"])).out).toBe((await ein(["--help"])).out);
    expect((await ein(["help", "run"])).out).toBe((await ein(["run", "--help"])).out);
    expect(await help("version")).toContain("write `ein --version`");
    expect(await help("-e")).toContain("`-e` needs a program behind it");
    expect(await help("run", "--in")).toContain("write `--in x=FILE`");
    expect(await help("explain-code")).toContain("write `ein explain-code E0304`");
    expect((await ein(["explain-code", "304"])).out).toContain("E0304");
    expect(await help("run", "examples/matmul")).toContain("did you mean `examples/matmul.ein`?");
    expect(await help("run", "examples/matmil.ein")).toContain(
      "did you mean `examples/matmul.ein`?",
    );
    expect(await help("run", "examples/matmul.ein")).toContain(
      "give them: `--in A=file.npy --in B=file.npy`",
    );
    expect((await ein(["-e", "input x: [f32; n]; print(x);", "--set", "x=[1, 2]"])).out).toBe(
      "[1.0, 2.0]\n",
    );
    expect(await help("-e", "input x: [f32; n];", "--set", "x=[1, 2")).toContain(
      "write it as JSON",
    );
  });

  test("help and version", async () => {
    expect(await ein(["--help"])).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("explain-code"),
    });
    expect(await ein(["run", "--help"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("--max-memory"),
    });
    expect((await ein(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await ein([])).code).toBe(2);
  });
});

describe("ein check", () => {
  test("says nothing about a good program, and exits with 1 for a wrong one", async () => {
    expect(await ein(["check", "-e", matmul])).toEqual({ code: 0, out: "", err: "" });
    expect(await ein(["check", "-e", "let a = (1;"])).toMatchObject({ code: 1, out: "" });
    expect(await json("check", "-e", matmul)).toEqual({
      code: 0,
      object: { errors: [], warnings: [] },
    });
    expect((await json("check", "-e", "let a = (1;")).object.errors).toMatchObject([
      { code: "E0112" },
    ]);
    expect((await json("check", "-e", matmul, "--grad")).object).toMatchObject({
      errors: [],
      gradients: [],
    });
  });

  test("does not run the program", async () => {
    expect((await ein(["check", "-e", "print(1);"])).out).toBe("");
  });
});

describe("ein fmt", () => {
  test("rewrites a file in place, keeps its mode, and follows a link", async () => {
    const path = file("f.ein", "let   a=1 ;\n");
    const link = at("link.ein");
    symlinkSync(path, link);
    expect(await ein(["fmt", "--check", path])).toMatchObject({ code: 1 });
    expect(readFileSync(path, "utf8")).toBe("let   a=1 ;\n");
    const { mode } = statSync(path);
    expect(await ein(["fmt", link])).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(path, "utf8")).toBe("let a = 1;\n");
    expect(statSync(path).mode).toBe(mode);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await ein(["fmt", "--check", path])).toEqual({ code: 0, out: "", err: "" });
  });

  test("-e prints the result", async () => {
    expect((await ein(["fmt", "-e", "let   a=1 ;"])).out).toBe("let a = 1;\n");
  });

  test("leaves a file with a syntax error as it is", async () => {
    const path = file("broken.ein", "let   a=(1 ;\n");
    expect(await ein(["fmt", path])).toMatchObject({
      code: 1,
      err: expect.stringContaining("error[E0112]"),
    });
    expect(readFileSync(path, "utf8")).toBe("let   a=(1 ;\n");
  });
});

describe("ein explain-code", () => {
  test("prints the page, in colour for a terminal", async () => {
    const { code, out } = await ein(["explain-code", "e0304"]);
    expect(code).toBe(0);
    expect(out).toContain("E0304");
    expect(out).not.toMatch(/^```|^#/m);
    expect((await ein(["explain-code", "E0304"], { terminal: true })).out).toContain("\u001b[");
  });

  test("an unknown code gets a suggestion", async () => {
    expect(await ein(["explain-code", "E9304"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("did you mean `E0304`?"),
    });
  });
});
