import { describe, expect, test } from "vitest";
import { complete } from "./complete.ts";
import { emptySession, enter, type Session } from "./session.ts";
import { emptyVocabulary, extended, vocabularyOf, type Vocabulary } from "./vocabulary.ts";

function vocabularyAfter(...texts: readonly string[]): Vocabulary {
  let session: Session = emptySession;
  let words = emptyVocabulary;
  for (const text of texts) {
    const result = enter(session, { name: "<entry>", text }, {});
    if (!result.ok) throw new Error(result.diagnostics[0]?.title);
    session = result.session;
    words = extended(words, vocabularyOf(result.scope));
  }
  return words;
}

const words = vocabularyAfter(
  "let weight[feature in 0..3] = 1.0",
  "let weird = 2",
  "input image: [f32; batch, channel]",
  "fn welcome(x) { x }",
  "struct Point { x: f32, y: f32 }",
  "let corner = Point { x: 1.0, y: 2.0 }",
  "enum Shape { Dot, Circle(f32) }",
  "mod own { pub fn inner(x) { x } fn hidden(x) { x } }",
);

function after(line: string, earlier?: string): readonly string[] {
  const found = complete(words, line, earlier);
  return "words" in found ? found.words : [`path ${found.path}`];
}

describe("completion", () => {
  test("names of other languages give the name here", () => {
    expect(after("let y = ln")).toEqual(["log"]);
    expect(after("np.arctan")).toEqual(["std::math::atan"]);
    expect(after("np.sin")).toEqual(["sin"]);
    expect(after("np.cosh")).toEqual(["std::math::cosh"]);
    expect(complete(words, "1.0 + np.pi")).toEqual({ words: ["std::math::pi"], replaced: "np.pi" });
    expect(after("np.median")).toEqual([]);
  });

  test("names, functions, keywords and built-in functions", () => {
    expect(after("we")).toEqual(["weight", "weird", "welcome"]);
    expect(after("1 + wel")).toEqual(["welcome"]);
    expect(after("logs")).toEqual(["logsumexp"]);
    expect(after("mat")).toEqual(["match"]);
    expect(after("let x: bf")).toEqual(["bf16"]);
    expect(after("")).toEqual([]);
  });

  test("coordinates: of the session's tensors, and those that the entry itself has named", () => {
    expect(after("sum[feat")).toEqual(["feature"]);
    expect(after("let y[b] = image[bat")).toEqual(["batch"]);
    expect(after("let z[position, other] = weight[posi")).toEqual(["position"]);
    expect(after("  posi", "let z[position] =")).toEqual(["position"]);
    expect(after("sum[")).toEqual(["batch", "channel", "feature"]);
    expect(after("let y[b] = image[b, ")).toEqual(["batch", "channel", "feature"]);
  });

  test("modules and what they hold", () => {
    expect(after("use s")).toEqual(["std::"]);
    expect(after("use std::")).toEqual(["array", "linalg", "math", "ml", "optim"]);
    expect(after("use std::ml::soft")).toContain("softmax");
    expect(after("use std::ml::{softmax, re")).toContain("relu");
    expect(after("own::")).toEqual(["inner"]);
    expect(after("Shape::C")).toEqual(["Circle"]);
  });

  test("members", () => {
    expect(after('print("abc".up')).toEqual(["upper"]);
    expect(after("corner.")).toEqual(["x", "y"]);
    expect(after("weight.sh")).toEqual(["shape"]);
  });

  test("commands and what stands behind them", () => {
    expect(after(":s")).toEqual([":save", ":set"]);
    expect(after(":type wei")).toEqual(["weight", "weird"]);
    expect(after(":grad weig")).toEqual(["weight"]);
    expect(after(":in im")).toEqual(["image="]);
    expect(after(":in image=da")).toEqual(["path da"]);
    expect(after(":load exa")).toEqual(["path exa"]);
    expect(after(":explain e030")).toContain("E0304");
    expect(after(":quit x")).toEqual([]);
  });

  test("nothing inside comments and strings, but for what is interpolated", () => {
    expect(after("1 // wei")).toEqual([]);
    expect(after('print("wei')).toEqual([]);
    expect(after('print("a {wei')).toEqual(["weight", "weird"]);
    expect(after('print("a", wei')).toEqual(["weight", "weird"]);
  });
});
