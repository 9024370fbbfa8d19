// One mistake, one message: a fixed sample of damaged programs. `npm run test:long` judges all
// damages.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { atDepth } from "../depth.ts";
import {
  damagesOf,
  judge,
  judgeDamages,
  percentage,
  showOffence,
  rightPrograms,
  worstOf,
  type Damage,
} from "./damage.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("one mistake, one message", () => {
  const every = atDepth(640, 64);
  test("at least 95 % of the damaged programs are answered well", { timeout: 400_000 }, () => {
    const report = judgeDamages(rightPrograms(root), { every, seed: 1 });
    expect(report.damages).toBeGreaterThan(64_000 / every);
    const worst = worstOf(report, 10).map(showOffence).join("\n\n");
    expect(report.offences.filter(({ reason }) => reason === "threw").map(showOffence)).toEqual([]);
    expect(percentage(report), `the worst answers:\n\n${worst}\n\n`).toBeGreaterThanOrEqual(95);
  });
});

test("what would be made of a type that cannot be read is not said to be unbuilt", () => {
  const text = `enum { End, More(i32, B) }
    enum B { Stop, Next(f32, A) }
    fn make_a(k: i32) -> A { if k == 0 { A::End } else { A::More(k, make_b(k - 1)) } }
    fn make_b(k: i32) -> B { if k == 0 { B::Stop } else { B::Next(k as f32 / 2.0, make_a(k - 1)) } }
    print(make_a(4));`;
  const { diagnostics } = compile({ name: "test.ein", text });
  expect(diagnostics.map(({ code }) => code)).toEqual(["E0110", "E0404"]);
});

test("a declaration that cannot be read is spoken of once, whatever arrays hold of it", () => {
  const text = `enum P<A, B> { N(qqz, [P<A, B>]), Q(B), Z }
    let p = P::N(1, [P::Q(2.5), P::N(10, [])]);
    print(p, [P::Z | i in 0..2], P::N("s", [P::Z | i in 0..2]));`;
  expect(compile({ name: "test.ein", text }).diagnostics.map(({ code }) => code)).toEqual([
    "E0404",
  ]);
});

test("a call for each cell of a tensor that gives no scalar is refused in words", () => {
  const text = `enum V { A, B(i32) }
    fn turned(v: V, k: i32) -> V { if k == 0 { V::A } else { v } }
    let v = turned(V::B(1), [3]);
    print(v);`;
  const { diagnostics } = compile({ name: "test.ein", text });
  expect(diagnostics.map(({ code, title }) => `${code} ${title}`)).toEqual([
    "E0401 `turned` is called for each cell of a tensor here, and gives V",
  ]);
});

describe("the judge", () => {
  const program = { name: "p", text: "let x = [1, 2];\nlet y[i] = x[i] + 1;\nprint(y);" };
  const damages = damagesOf(program);
  const named = (what: string) => damages.find((damage) => damage.what === what)!;

  test("damages every token, and renames every name", () => {
    // 9 + 13 + 5 tokens, among them 1 + 4 + 2 names.
    expect(damages.length).toBe(27 + 7);
    expect(named("2:12 rename `x`").text.split("\n")[1]).toBe("let y[i] = qqz[i] + 1;");
    expect(named("2:12 delete `x`").text.split("\n")[1]).toBe("let y[i] = [i] + 1;");
  });

  test(
    "lets the first error stand in the damaged statement alone, " +
      "be it the name of a definition that is damaged",
    () => {
      const damaged = ({ text, statement }: Damage) => text.slice(statement.start, statement.end);
      expect(damaged(named("2:12 rename `x`"))).toBe("let y[i] = qqz[i] + 1;");
      expect(damaged(named("2:5 rename `y`"))).toBe("let qqz[i] = x[i] + 1;");
      expect(damaged(named("2:20 delete `;`"))).toBe("let y[i] = x[i] + 1");
      expect(judge(named("2:5 rename `y`"))).toMatchObject({ reason: "elsewhere" });
    },
  );

  test("takes the innermost statement", () => {
    const inner = damagesOf({ name: "f", text: "fn f(a) {\n  let b = a;\n  b\n}" });
    const { text, statement } = inner.find(({ what }) => what === "2:11 rename `a`")!;
    expect(text.slice(statement.start, statement.end)).toBe("let b = qqz;");
  });

  test("damages what a string interpolates", () => {
    const inside = damagesOf({ name: "s", text: 'let a = 1;\nprint("a is {a}");' });
    expect(inside.map(({ text }) => text)).toContain('let a = 1;\nprint("a is {qqz}");');
  });

  test("objects to an error elsewhere and to the third error", () => {
    const said = (text: string) =>
      judge({ program: "p", what: "", text, statement: { start: 0, end: 10 } });
    expect(said("let x = 1;")).toBe("accepted");
    expect(said("let x = a;")).toBe("fine");
    expect(said("let x = 1;\nlet y = a;")).toMatchObject({ reason: "elsewhere" });
    expect(said("let x = a;\nlet y = b;")).toBe("fine");
    expect(said("let x = a;\nlet y = b;\nlet z = c;")).toMatchObject({ reason: "too many" });
  });
});
