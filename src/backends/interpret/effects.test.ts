// What recursive functions print: in order, once, whatever else is asked for.

import { expect, it } from "vitest";
import { printed } from "../../../test/printed.ts";

it("performs the effects of a call before what comes after it, and only once", () => {
  const text =
    "fn f(n: i32) -> i32 { let r = if n == 0 { 0 } else { f(n - 1) }; print(n, r); r + n }\nlet y = f(2);\nprint(y);\nprint(y + f(0));";
  expect(printed(text)).toEqual(["0 0", "1 0", "2 1", "3", "0 0", "3"]);
});

it("keeps what was printed before a failed assertion", () => {
  const text = 'fn f(n: i32) { print(n); assert(n > 1, "{n} is too small"); f(n - 1) }\nf(3);';
  expect(printed(text)).toEqual(["3", "2", "1", "assertion failed: 1 is too small"]);
});

it("jumps where the call of the function itself comes last", () => {
  const text =
    "fn f(n: i32, k: i32) { if n == 0 { print(k); } else if n % 2 == 0 { f(n - 1, k + 1) } else { f(n - 1, k) } }\nf(300_000, 0);";
  expect(printed(text)).toEqual(["150000"]);
});
