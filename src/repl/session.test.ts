import { describe, expect, test } from "vitest";
import { fromNested, type TensorValue } from "../scalar/values/value.ts";
import { changed, changesBetween } from "./changes.ts";
import { gradOf, irOf, nameLines, typeAnswer } from "./queries.ts";
import {
  compileSession,
  emptySession,
  enter,
  give,
  inputsOf,
  type EnterOptions,
  type Session,
} from "./session.ts";

/** Runs entries one after the other. Gives what they print and the codes of their errors. */
function play(texts: readonly string[], from: Session = emptySession, options: EnterOptions = {}) {
  let session = from;
  const said: string[] = [];
  texts.forEach((text, k) => {
    const result = enter(
      session,
      { name: `<entry ${k + 1}>`, text },
      { ...options, onPrint: ({ text }) => said.push(text) },
    );
    if (result.ok) {
      session = result.session;
      said.push(...result.warnings.map(({ code }) => code));
    } else said.push(...result.diagnostics.map(({ code }) => code));
  });
  return { session, said };
}

const shown = (...texts: readonly string[]): readonly string[] => play(texts).said;

function vector(cells: readonly number[]): TensorValue {
  const value = fromNested("f32", cells);
  if ("error" in value) throw new Error(value.error);
  return value;
}

function text(answer: ReturnType<typeof typeAnswer>): string {
  return "text" in answer ? answer.text : answer.refused.map(({ code }) => code).join(" ");
}

const at = (source: string) => ({ name: "<query>", text: source });

describe("entries", () => {
  test("a later star hides what an earlier one brought, and nothing that was declared", () => {
    const modules =
      "mod a { pub fn f() { 1 } pub fn g() { 10 } } mod b { pub fn f() { 2 } pub let v = 9; }";
    expect(
      shown(modules, "use a::*;", "f()", "use b::*;", "f()", "g()", "use a::*;", "f()"),
    ).toEqual(["1", "2", "10", "1"]);
    expect(shown(modules, "let v = 3;", "fn f() { 7 }", "use b::*;", "f()", "v")).toEqual([
      "7",
      "3",
    ]);
    expect(shown(modules, "use a::*; use b::*;", "f()")).toEqual(["E0203"]);
  });

  test("a bare expression shows its value, whatever kind of value it is", () => {
    expect(shown("1 + 1", '"a {2}"', "(1, true)", "let x = [1.0, 2.0]", "x")).toEqual([
      "2",
      "a 2",
      "(1, true)",
      "[1.0, 2.0]",
    ]);
    expect(
      shown("enum E { A, B(f32) }", "E::B(2.0)", "struct P { x: f32 }", "P { x: 1.0 }"),
    ).toEqual(["E::B(2.0)", "P { x: 1.0 }"]);
  });

  test("what is printed is printed once", () => {
    expect(
      shown('print("a")', "let x = 1", "x", "fn f(y) { print(y); y }", "let z = f(3)", "z"),
    ).toEqual(["a", "1", "3", "3"]);
  });

  test("a warning is said once", () => {
    const said = shown("let x = 2.0", "let y = 3.0", "let g = @y / @x", "g", "g + 1.0");
    expect(said.filter((each) => each.startsWith("W"))).toHaveLength(1);
  });

  test("a later name hides an earlier one, and what used the earlier one keeps it", () => {
    expect(
      shown("let x = 1", "let y = x + 1", "let x = 10", "y", "x", "let x = x + 1", "x"),
    ).toEqual(["2", "10", "11"]);
    expect(shown("fn f(a) { a + 1 }", "let y = f(1)", "fn f(a) { a * 100 }", "y", "f(1)")).toEqual([
      "2",
      "100",
    ]);
    expect(
      shown("let v[i in 0..3] = i", "let w[i] = v[i]", "let v[i in 0..2] = 7", "w", "v"),
    ).toEqual(["[0, 1, 2]", "[7, 7]"]);
    expect(shown("let v = 3", "let v[i in 0..2] = i", "v", "let v = 1", "v")).toEqual([
      "[0, 1]",
      "1",
    ]);
    expect(shown("enum E { A }", "enum E { A, B }", "E::B")).toEqual(["E::B"]);
    expect(
      shown("use std::ml::softmax", "use std::ml::softmax", "fn softmax(x) { x }", "softmax(2)"),
    ).toEqual(["2"]);
  });

  test("one entry may bind a name twice", () => {
    expect(
      shown(
        "let x = 1; let x = x + 1;",
        "x",
        "let q[i in 0..3] = i; let q = sum[i](q[i]);",
        "x + q",
      ),
    ).toEqual(["2", "5"]);
  });

  test("a function sees what was there when it was declared", () => {
    expect(shown("let k = 2", "fn f(a) { a * k }", "let k = 100", "f(3)")).toEqual(["6"]);
  });

  test("clauses of one tensor may come one by one", () => {
    expect(shown("let h[0] = 1.0", "let h[t in 1..4] = h[t - 1] * 2.0", "h")).toEqual([
      "[1.0, 2.0, 4.0, 8.0]",
    ]);
    expect(shown("let c[i in 0..2] = i", "let c[i in 2..4] = 9", "c")).toEqual(["[0, 1, 9, 9]"]);
    expect(
      shown("let h[t in 0..3, i in 0..2] = 1", "let h[t in 1..3, i] = h[t - 1, i] * 2", "h"),
    ).toEqual(["[[1, 1], [2, 2], [4, 4]]"]);
    expect(
      shown(
        "let c[0, j in 0..3] = 1",
        "let c[i in 0..3, 0] = 1",
        "let c[i in 1..3, j in 1..3] = c[i - 1, j] + c[i, j - 1]",
        "c",
      ),
    ).toEqual(["[[1, 1, 1], [1, 2, 3], [1, 3, 6]]"]);
    // A clause that is complete by itself begins a new tensor.
    expect(shown("let c[i in 0..4] = i", "let c[i in 0..2] = 9", "c")).toEqual(["[9, 9]"]);
    expect(shown("let h[t in 1..4] = h[t - 1]")).toEqual(["E0602"]);
  });

  test("an entry with errors leaves the session as it was", () => {
    const before = play(["let x = 1", "let v[i in 0..2] = i"]).session;
    for (const wrong of [
      "let x = (",
      "let x = nothing",
      "let x = v[5]",
      "assert(x == 2)",
      "let x = 1 / (x - x)",
    ]) {
      const { session, said } = play([wrong], before);
      expect(said).toEqual([expect.stringMatching(/^E/)]);
      expect(session).toBe(before);
    }
    expect(play(["x", "v"], before).said).toEqual(["1", "[0, 1]"]);
  });

  test("errors may suggest any name of the session", () => {
    const { session } = play(["let length = 1", "let width = 2"]);
    const result = enter(session, at("lenght"), {});
    expect(result.ok ? "" : result.diagnostics[0]?.help).toContain("`length`");
  });

  test("mutual recursion is one entry", () => {
    const both =
      "fn even(n: i32) -> bool { if n == 0 { true } else { odd(n - 1) } }\n" +
      "fn odd(n: i32) -> bool { if n == 0 { false } else { even(n - 1) } }";
    expect(shown(both, "even(10)")).toEqual(["true"]);
  });

  test("derivatives go through entries", () => {
    expect(shown("let x = 3.0", "let y = x * x", "let z = y * x", "@z / @x")).toEqual(["27.0"]);
    expect(shown("let x = 3.0", "let y = x * x", "print(@y)")).toEqual(["@y = 2 * x * @x"]);
    expect(
      shown(
        "fn f(x) { x * x }",
        "@fn f(x) { 10.0 * @x }",
        "let a = 2.0",
        "let b = f(a)",
        "@b / @a",
      ),
    ).toEqual(["10.0"]);
  });

  test("modules and library names", () => {
    expect(
      shown(
        "mod m { pub fn f(x) { x + 1 } }",
        "m::f(1)",
        "use m::f",
        "f(2)",
        "mod m { pub fn f(x) { x * 9 } }",
        "m::f(1)",
      ),
    ).toEqual(["2", "3", "9"]);
    const texts: Record<string, string> = { m: "pub let a = 1;" };
    const options: EnterOptions = {
      readModule: (name) => ({ source: { name: `${name}.ein`, text: texts[name] ?? "" } }),
    };
    const first = play(["mod m;", "m::a"], emptySession, options);
    texts["m"] = "pub let a = 2;";
    const second = play(["m::a", "mod m;", "m::a"], first.session, options);
    expect([...first.said, ...second.said]).toEqual(["1", "1", "2"]);
  });
});

describe("values", () => {
  test("are computed once, recurrences with helpers in them included", () => {
    const { session } = play([
      "let s = sum[i in 0..100](i)",
      "let W[i in 0..2, j in 0..2] = (i + j) as f32",
      "let h[0, i in 0..2] = 1.0; let h[t in 1..5, i] = tanh(sum[j](W[i, j] * h[t - 1, j]) + 0.5)",
      "let pair = (sum[i in 0..10](i), 2)",
    ]);
    const later = play(
      ["s", "h", "let k[i] = h[4, i] * 2.0", "@(sum[i](h[4, i])) / @W", "pair"],
      session,
    ).session;
    for (const [key, value] of session.kept) expect(later.kept.get(key)).toBe(value);
    expect(play(["h[4, 0] - k[0] / 2.0"], later).said).toEqual(["0.0"]);
  });

  test("a copy that follows the changes is the same session", () => {
    const first = play(["let a = [1.0, 2.0]", "input n: i32"]).session;
    const second = play(["let b = a + 1.0", "print(b)"], first).session;
    const copy = changed(structuredClone(first), structuredClone(changesBetween(first, second)));
    expect(copy.entries).toHaveLength(4);
    expect(play(["b", "a"], copy).said).toEqual(["[2.0, 3.0]", "[1.0, 2.0]"]);
    expect(changed(second, changesBetween(second, emptySession))).toEqual(emptySession);
  });

  test("64-bit floats and traps", () => {
    expect(play(["1.0 / 3.0"], emptySession, { f64: true }).said).toEqual(["0.3333333333333333"]);
    expect(play(["let z = 0.0", "1.0 / z"], emptySession, { trap: "nan" }).said).toEqual(["E0907"]);
  });
});

describe("inputs", () => {
  const declared = ["input x: [f32; n]", "let y[i] = x[i] * 2.0", "let total = sum[i](y[i])"];

  function withValue(session: Session, name: string, value: TensorValue): Session {
    const compiled = compileSession(session, {});
    if ("refused" in compiled) throw new Error("refused");
    const input = inputsOf(session, compiled).find((each) => each.name === name)!;
    const after = give(session, compiled, input, value, {});
    if ("refused" in after) throw new Error(after.refused[0]?.title);
    return after;
  }

  test("a program may be entered before its values are there", () => {
    const { session, said } = play(declared);
    expect(said).toEqual([]);
    expect(play(["total"], session).said).toEqual(["E0801"]);
    expect(play(["1 + 1"], session).said).toEqual(["2"]);
    expect(play(["total", "y"], withValue(session, "x", vector([1, 2]))).said).toEqual([
      "6.0",
      "[2.0, 4.0]",
    ]);
  });

  test("another value makes what depends on it new, and leaves the rest", () => {
    const first = play(
      ["let a = 5", "total"],
      withValue(play(declared).session, "x", vector([1, 2])),
    ).session;
    const again = withValue(first, "x", vector([10, 20, 30]));
    expect(play(["total", "a"], again).said).toEqual(["120.0", "5"]);
  });

  test("a rank may come with the value", () => {
    const { session, said } = play(["input x: [f32; *]", "sum[i](x[i])"]);
    expect(said).toEqual(["E0801"]);
    expect(play(["sum[i](x[i])"], withValue(session, "x", vector([1, 2]))).said).toEqual(["3.0"]);
  });

  test("values that wait are taken at the declaration", () => {
    const supply = ({ name }: { readonly name: string }) =>
      name === "x" ? vector([4]) : undefined;
    expect(
      play(["input x: [f32; n]", "x", "input q: [f32; *]"], emptySession, { supply }).said,
    ).toEqual(["[4.0]"]);
  });

  test("an input may be declared anew", () => {
    const given = withValue(play(declared).session, "x", vector([1, 2]));
    expect(play(["total", "input x: f32", "x", "total"], given).said).toEqual([
      "6.0",
      "E0801",
      "6.0",
    ]);
  });
});

describe("questions", () => {
  const { session } = play([
    "let X = [[1.0, 2.0], [3.0, 4.0]]",
    "let W[j in 0..2] = 0.5",
    "let p[row] = sum[j](X[row, j] * W[j])",
    "let loss = sum[row](p[row] ** 2)",
    "fn scale(a, by: f32 = 2.0) { a * by }",
    "input q: [f32; batch, 3]",
  ]);

  test("the type of an expression, a statement, a function", () => {
    expect(text(typeAnswer(session, at("p"), {}))).toBe("[f32; row: 2]");
    expect(text(typeAnswer(session, at("q"), {}))).toBe("[f32; batch, 3]");
    expect(text(typeAnswer(session, at("loss"), {}))).toBe("f32");
    expect(text(typeAnswer(session, at("(1, X)"), {}))).toBe("(i32, [f32; 2, 2])");
    expect(text(typeAnswer(session, at("let z[i] = p[i]"), {}))).toBe("z: [f32; i: 2]");
    expect(text(typeAnswer(session, at("scale"), {}))).toBe("fn scale(a, by: f32 = 2.0)");
    expect(text(typeAnswer(session, at("nothing"), {}))).toBe("E0201");
    expect(text(typeAnswer(session, at(""), {}))).toBe("E0880");
  });

  test("the derived program, as source", () => {
    const source = text(gradOf(session, "loss", ["W"], {}));
    expect(source).toContain("let d_W[j] = sum[row](");
    expect(text(gradOf(session, "los", ["W"], {}))).toBe("E0884");
    expect(play([source, "d_W"]).said).toEqual(play(["@loss / @W"], session).said);
  });

  test("the indexed program, of everything or of one expression", () => {
    expect(text(irOf(session, at(""), {}))).toContain("let loss =");
    expect(text(irOf(session, at("p[0]"), {}))).not.toContain("loss");
    expect(text(irOf(emptySession, at(""), {}))).toBe("E0884");
  });

  test("the names in sight", () => {
    const compiled = compileSession(session, {});
    expect("refused" in compiled ? [] : nameLines(compiled)).toEqual(
      expect.arrayContaining([
        "p: [f32; row: 2]",
        "input q: [f32; batch, 3]",
        "fn scale(a, by: f32 = 2.0)",
      ]),
    );
  });
});
