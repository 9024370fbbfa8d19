// Recursive functions print in order and only once, whatever else is asked for.

import { expect, it } from "vitest";
import { printed } from "../../../test/printed.ts";

it("performs the effects of a call before what comes after it, and only once", () => {
  const text =
    "fn f(n: i32) -> i32 { let r = if n == 0 { 0 } else { f(n - 1) }; print(n, r); r + n }\n" +
    "let y = f(2);\nprint(y);\nprint(y + f(0));";
  expect(printed(text)).toEqual(["0 0", "1 0", "2 1", "3", "0 0", "3"]);
});

it("keeps what was printed before a failed assertion", () => {
  const text = 'fn f(n: i32) { print(n); assert(n > 1, "{n} is too small"); f(n - 1) }\nf(3);';
  expect(printed(text)).toEqual(["3", "2", "1", "assertion failed: 1 is too small"]);
});

it("jumps where the call of the function itself comes last", () => {
  const text =
    "fn f(n: i32, k: i32) { if n == 0 { print(k); " +
    "} else if n % 2 == 0 { f(n - 1, k + 1) } else { f(n - 1, k) } }\nf(300_000, 0);";
  expect(printed(text)).toEqual(["150000"]);
});

it("goes on with the value of a call that was made for what it prints", () => {
  const text =
    "fn f(n: i32) -> (i32, i32) { if n == 0 { print(0); " +
    "(0, 1) } else { let (a, b) = f(n - 1); print(a, b); (b, a + b) } }\nlet (p, q) = f(3);\n" +
    "print(p, q);";
  expect(printed(text)).toEqual(["0", "0 1", "1 1", "1 2", "2 3"]);
});

it("makes a call for what it prints where its value is given only sometimes", () => {
  const text =
    "fn f(n: i32) -> i32 { let r = if n == 0 { 0 } else { f(n - 1) }; " +
    "if n > 1 { 5 } else { print(n); r } }\nprint(f(3));";
  expect(printed(text)).toEqual(["0", "1", "5"]);
});

it("jumps to a function that calls it in turn, with the value of the last one", () => {
  const text =
    "fn f(n: i32) -> i32 { if n % 100_000 == 0 { print(n); " +
    "} if n == 0 { 7 } else { g(n - 1) } }\n" +
    "fn g(n: i32) -> i32 { if n == 0 { 8 } else { f(n - 1) } }\n" +
    "print(f(200_001), f(100_000));";
  expect(printed(text)).toEqual(["100000", "0", "8 7"]);
});

it("goes thousands of calls deep, each value computed once", () => {
  const text =
    "fn f(n: i32) -> i32 { if n == 0 { 0 } else { let r = f(n - 1); " +
    "if n % 2000 == 0 { print(n, r); } r + 1 } }\nprint(f(4_000));";
  expect(printed(text)).toEqual(["2000 1999", "4000 3999", "4000"]);
});
