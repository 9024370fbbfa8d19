// Which integers are known to wrap around, and the edits that prevent it.

import { describe, expect, it } from "vitest";
import { compile } from "../../driver/compile.ts";
import { repaired } from "../../../test/support/check.ts";

function linted(text: string): readonly string[] {
  const { diagnostics } = compile({ name: "wraps.ein", text });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  return diagnostics.map(({ code, title }) => `${code} ${title.replace(/ wraps.*/, "")}`);
}

describe("arithmetic on numbers that are known", () => {
  it.each([
    ["print(2147483647 + 1);", "2147483647 + 1"],
    ["print(-2147483647 - 2);", "-2147483647 - 2"],
    ["const n = 50000; let y[i in 0..3] = n * n + i;", "n * n"],
    ["let x = [1.0, 2.0]; print(len(x) * 2000000000);", "len(x) * 2000000000"],
    ["let y = if 3 > 2 { 65536 * 65536 } else { 0 };", "65536 * 65536"],
    ["input k: i32; let y = if k > 2 { 65536 * 65536 } else { 0 };", "65536 * 65536"],
    ["let y = prod[i in 1..20](i);", "prod[i in 1..20](i)"],
    ["let y = sum[i in 0..1000000000](i);", "sum[i in 0..1000000000](i)"],
    ["let y[i in 0..3] = sum[k in 0..100000](k);", "sum[k in 0..100000](k)"],
    ["let y = sum[i in 0..50000, j in 0..2](i + j);", "sum[i in 0..50000, j in 0..2](i + j)"],
    ["let y = sum[i in 0..100000](i where i % 2 == 0);", "sum[i in 0..100000](i where i % 2 == 0)"],
    ["let y = 4294967296i64 as i32;", "4294967296i64 as i32"],
    ["let a = -2147483648; let y = a / -1;", "a / -1"],
    ["let f[0] = 1; let f[n in 1..21] = f[n - 1] * n;", "f[n - 1] * n"],
    ["let k = 3; let f[0] = 1; let f[n in 1..90] = k * f[n - 1];", "k * f[n - 1]"],
    ["let f[0, j in 0..2] = 9; let f[t in 1..60, j] = f[t - 1, j] * 2;", "f[t - 1, j] * 2"],
  ])("is told: %s", (text, expected) => {
    expect(linted(text)).toEqual([`W0405 \`${expected}\``]);
  });

  it.each([
    "print(2147483646 + 1, -2147483647 - 1, 2 ** 30);",
    "let y = sum[i in 0..65536](i);",
    "let y = sum[i in 0..100000](if i < 10 { i } else { -i / 100 });",
    "let y = if 3 < 2 { 65536 * 65536 } else { 0 };",
    "let y = 3 < 2 && 65536 * 65536 > 0;",
    "let y = 1e30 as i32;",
    "input k: i32; let y = k * 2000000000 * 4;",
    "input n: i32; let y = sum[i in 0..n](i * 2000000000);",
    "let y[i in 0..30] = i * 2000000000;",
    "let y = randint(1, 2, 0, 2000000000) * 2000000000;",
    "let zero = 0; let y = 7 / zero + 2;",
    "allow(W0405) let y = 65536 * 65536;",
    "let f[0] = 1; let f[n in 1..13] = f[n - 1] * n;",
    "let f[0] = 1; let f[n in 1..10000] = f[n - 1] * 2;",
    "input k: i32; let f[0] = k; let f[n in 1..90] = f[n - 1] * 2;",
    "let f[0] = 1; allow(W0405) let f[n in 1..21] = f[n - 1] * n;",
    "let f[0] = 1i64; let f[n in 1..21] = f[n - 1] * n as i64;",
    "allow(W0405) fn mix(s: i32) -> i32 { s * 1103515245 } let y = mix(42);",
  ])("is no matter: %s", (text) => {
    expect(linted(text).filter((said) => said.startsWith("W0405"))).toEqual([]);
  });

  it.each([
    ["print(1 / 2);", ["W0406 `1 / 2` is 0"]],
    ["let a = 3; let b = 4; let r = a / b;", ["W0406 `a / b` is 0"]],
    ["let x = [1.0, 2.0]; let y = x[1 / 2];", []],
    ["let y = [i | i in 0..1 / 2];", []],
    ["let y = sum[k in 0..3](k / 4);", []],
    ["print(7 / 2, 0 / 5, 4 / 2);", []],
    ["input n: i32; print(1 / n);", []],
  ])("a quotient that is 0: %s", (text, expected) => {
    expect(linted(text)).toEqual(expected);
  });

  it("is looked at for a bounded time", () => {
    const text = Array.from(
      { length: 50 },
      (_, k) => `let y${k} = sum[i in 0..1000000](i % 7 * ${k});`,
    ).join("\n");
    const start = performance.now();
    expect(linted(text)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe("the repair", () => {
  repaired([
    ["print(2147483647 + 1);", "print(2147483647i64 + 1);"],
    ["print(2147483647i32 + 1i32);", "print(2147483647i64 + 1i64);"],
    ["let n = 100000; print(n * n);", "let n = 100000; print(n as i64 * n as i64);"],
    ["let n = 100000; n * (n + 1)", "let n = 100000; n as i64 * (n + 1) as i64"],
    [
      "let n = 100000; print(1, (n + 1) * n);",
      "let n = 100000; print(1, (n + 1) as i64 * n as i64);",
    ],
    ['let n = 100000; print("{n * 100000}");', 'let n = 100000; print("{n as i64 * 100000}");'],
    ["print(2 ** 32);", "print(2i64 ** 32);"],
    ["let n = 32; print(n ** 8);", "let n = 32; print((n as i64) ** 8);"],
    ["let n = 32; print(2 ** n);", "let n = 32; print(2i64 ** (n as i64));"],
    ["let n = -2147483648; print(-n);", "let n = -2147483648; print(-(n as i64));"],
    ["let n = -2147483648; print(abs(n));", "let n = -2147483648; print(abs(n as i64));"],
    ["print(300 as i8);", "print(300 as i32);"],
    ["print((127i8 + 1i8));", "print((127i32 + 1i32));"],
    ["print((300 as i8));", "print((300 as i32));"],
    ["print(sum[i in 0..100000](i));", "print(sum[i in 0..100000](i as i64));"],
    ["print(sum[i in 0..100000](i + 1));", "print(sum[i in 0..100000]((i + 1) as i64));"],
    [
      "print(sum[i in 0..100000](i + 1 where i % 2 == 0));",
      "print(sum[i in 0..100000]((i + 1) as i64 where i % 2 == 0));",
    ],
  ]);

  it.each([
    ["let y = 2147483647 + 1;", "compute in i64: `2147483647i64 + 1`"],
    ["fn f(n) { print(n * n) } f(100000);", "compute in i64: `n as i64 * n as i64`"],
    ["print(2147483647 + 1 > 0);", "compute in i64: `2147483647i64 + 1`"],
    [
      "print(9223372036854775807i64 + 1);",
      "no integer type holds it: compute in `f64`, or with smaller numbers",
    ],
  ])("is left to the reader where something may ask for the type: %s", (text, help) => {
    const [only] = compile({ name: "wraps.ein", text }).diagnostics;
    expect(only).toMatchObject({ code: "W0405", help: expect.stringContaining(help) });
    expect(only!.fixes).toBeUndefined();
  });
});
