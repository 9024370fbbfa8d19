// Loops in functions that make arrays: they take no stack, compute nothing twice, and have
// derivatives through the arrays that they return.

import { describe, expect, it } from "vitest";
import { printed } from "../../../test/printed.ts";

const sort = `use std::array::concat;
  fn sort(a) {
    match a {
      [] => [],
      [p, ..rest] =>
        concat(sort([x | x in rest, x < p]), concat([p], sort([x | x in rest, x >= p])))
    }
  }`;

describe("a loop in a function", () => {
  it("takes no stack, however long it is", () => {
    const text = `fn odd(n: i32, k: i32) -> [i32] {
        if k == 0 { [i | i in 0..n, i % 2 == 1] } else { odd(n, k - 1) }
      }
      let k = [i | i in 0..3, i == 1][0];
      let found = odd(200_000, k);
      print(len(found), found[99_999]);`;
    expect(printed(text)).toEqual(["100000 199999"]);
  });

  it("calls what it reads from around it once: a thousand cells, not that many calls each", () => {
    const text = `fn grown(n: i32) -> [i32] {
        if n == 0 { [] } else {
          let before = grown(n - 1);
          [if i < len(before) { before[i] } else { n } | i in 0..len(before) + 1]
        }
      }
      let n = [i | i in 0..301, i == 300][0];
      print(sum[i](grown(n)[i]));`;
    expect(printed(text)).toEqual(["45150"]);
  });

  it("is not entered for what nobody asks for", () => {
    const text = `fn first(a: [i32], k: i32) -> i32 {
        let squares = [x / (k - k) | x in a];
        if k > 0 { a[0] } else { squares[0] }
      }
      fn down(a: [i32], k: i32) -> i32 {
        if k > 1 { down([x | x in a, x > 0], k - 1) } else { first(a, k) }
      }
      let k = [i | i in 0..5, i == 3][0];
      print(down([7, 8], k));`;
    expect(printed(text)).toEqual(["7"]);
  });
});

it("moves what is given back with what it was made of", () => {
  const text = `${sort}
    let x: [f64; 4] = [3.0, 1.0, 2.5, 2.0];
    let w: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
    let sorted = sort(x);
    let loss = sum[i](w[i] * sorted[i] * sorted[i]);
    let g = @loss / @x;
    print(sorted, g);`;
  expect(printed(text)).toEqual(["[1.0, 2.0, 2.5, 3.0] [6000.0, 2.0, 500.0, 40.0]"]);
});
