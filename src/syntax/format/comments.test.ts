// Comments keep their places when a program is formatted.

import { describe, expect, test } from "vitest";
import { formatted } from "../../../test/support/syntax.ts";

describe("comments", () => {
  test("in lists, chains, blocks and arms", () => {
    const text = `// header

/// Doc of f.
fn f(x, // the x
     y) { // body opens
  // own
  x + y // value
  // end of f
} // after f
let z = g( // open
  a, // first
  // before b
  b
  // dangling
);
let s = a // left
  + b // right
  // own line before c
  + c;
let pipeline = data // raw
  |> clean // cleaned
  // then
  |> train;
match v { // arms
  // first arm
  1 => 2, // one
  _ => // default
    3,
  // last
};
let h[t in 1..T, // time
      i] = g(h[t-1, i]) // step
   where t > 0, // guard
         i < n // other
   else 0; // done
struct P { // fields
  x: f32, // the x

  // the y
  y: f32 }
let p = [ // squares
  i * i // each
  // from
  | i in 0..n, // up
  i > 2
  // no more
];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      // header

      /// Doc of f.
      fn f(
        x, // the x
        y,
      ) { // body opens
        // own
        x + y // value
        // end of f
      } // after f
      let z = g( // open
        a, // first
        // before b
        b,
        // dangling
      );
      let s =
        a // left
          + b // right
          // own line before c
          + c;
      let pipeline = data // raw
        |> clean // cleaned
        // then
        |> train;
      match v { // arms
        // first arm
        1 => 2, // one
        _ => 3, // default
        // last
      };
      let h[
        t in 1..T, // time
        i,
      ] = g(h[t - 1, i]) // step
        where t > 0, // guard
          i < n // other
        else 0; // done
      struct P { // fields
        x: f32, // the x
        // the y
        y: f32,
      }
      let p = [ // squares
        i * i // each
        // from
        | i in 0..n, // up
          i > 2
        // no more
      ];
      "
    `);
  });

  test("in places that have no line of their own", () => {
    const text = `let x = // after equals
  5;
let y =
  // why y
  f(a); // trailing y
let odd = a // one
  . // two
  b;
let two = // one
  ( // two
  3 // three
  ) // four
  ; // five
if a { // then
  1
} // between
else { // otherwise
  2
}
let w[i] = x[i]
  // before where
  where i > 0;
fn nothing( // here
) { // or here
}
fn only() {
  // this
}
mod m { // inside
  // nothing
}
let q = sum[i, // the i
 j // the j
 ]( // body
  a[i] where // guard
   i > j );
let last = 1 // no semicolon
// the end`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let x = 5; // after equals
      let y =
        // why y
        f(a); // trailing y
      let odd = a.b; // one
      // two
      let two = 3; // one
      // two
      // three
      // four
      // five
      if a { // then
        1
      } else { // between
        // otherwise
        2
      };
      let w[i] = x[i]
        // before where
        where i > 0;
      fn nothing( // here
      ) { // or here
      }
      fn only() {
        // this
      }
      mod m { // inside
        // nothing
      }
      let q = sum[
        i, // the i
        j, // the j
      ]( // body
        a[i] where i > j // guard
      );
      let last = 1; // no semicolon
      // the end
      "
    `);
  });
});
