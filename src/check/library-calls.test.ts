// A mistake inside the library is reported at the call in the program. The line of the library is
// only a label.

import { describe, expect, test } from "vitest";
import { compile } from "../driver/compile.ts";
import { positionOf } from "../base/source.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { repaired } from "../../test/support/check.ts";

/** `code line:column title | file of each label`. */
function shown({ code, title, span, labels }: Diagnostic): string {
  const { line, column } = positionOf(span!.source, span!.start);
  const files = labels.map((label) => label.span.source.name);
  return [`${code} ${span!.source.name} ${line}:${column} ${title}`, ...new Set(files)].join(" | ");
}

function said(text: string, options: { readonly trap?: "nan" } = {}): readonly string[] {
  const { diagnostics, program } = compile({ name: "p", text });
  const fault = program?.run(options).fault;
  return [...diagnostics, ...(fault ? [fault] : [])].map(shown);
}

describe("the call is underlined", () => {
  const leaves = "`topk` fails in this call: `order[..left, last - r, ..right]` leaves `order`";
  test.each([
    ["use std::array::topk;\nprint(topk([1.0, 2.0], 5));", `E0305 p 2:7 ${leaves} | std/array.ein`],
    [
      "use std::array as arr;\nfn f(x) { arr::topk(x, 5) }\nprint(f([1.0, 2.0]).0);",
      `E0305 p 2:11 ${leaves} | std/array.ein`,
    ],
    [
      // The first call is right.
      "use std::array::*;\nprint(topk([1.0, 2.0], 2).0);\nprint(topk([1.0, 2.0, 3.0], 4).0);",
      `E0305 p 3:7 ${leaves} | std/array.ein`,
    ],
    [
      "use std::ml::*;\nprint(cross_entropy([[1.0, 2.0]], [7]));",
      "E0901 p 2:7 `cross_entropy` fails in this call: " +
        "index 7 is out of bounds in `logits[batch, labels[batch]]` | std/ml.ein",
    ],
  ])("%s", (text, message) => {
    expect(said(text)).toEqual([message]);
  });

  test("of a value that is not finite", () => {
    const text =
      "use std::linalg::solve;\nlet y = solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]);\nprint(y);";
    expect(said(text)).toEqual([]);
    expect(said(text, { trap: "nan" })).toEqual([
      "E0907 p 2:9 `solve` fails in this call: `x[1]` is NaN | std/linalg.ein",
    ]);
  });

  const singular = "[[1.0, 2.0], [2.0, 4.0]]";
  test.each([
    [`print(solve(${singular}, [1.0, 2.0]));`, "the matrix is singular; give `solve`"],
    [`print(inverse(${singular}));`, "the matrix is singular; give `inverse`"],
    [`print(slogdet(${singular}));`, "the matrix is singular; give `slogdet`"],
    ["print(cholesky([[1.0, 2.0], [2.0, 1.0]]));", "the matrix is not positive definite; give"],
    // An overflow is not a singular matrix.
    ["print(solve([[1e-38]], [1e38]));", "`solve` cannot be computed for these arguments"],
  ])("%s says why", (text, help) => {
    const { program } = compile({ name: "p", text: `use std::linalg::*;\n${text}` });
    expect(program?.run({ trap: "nan" }).fault?.help).toContain(help);
  });

  test("and a mistake in what the program passes is its own", () => {
    expect(said("use std::optim::*;\nprint(sgd(|w| w.foo, [1.0], 0.1, 3));")).toEqual([
      "E0410 p 2:17 [f32; 1] has no member `foo`",
    ]);
  });
});

describe("an axis that the call leaves open", () => {
  repaired([
    [
      "use std::ml::softmax;\nlet x = [[1.0, 2.0]];\nprint(softmax(x));",
      "use std::ml::softmax;\nlet x = [[1.0, 2.0]];\n" +
        "print({ let y[i, j] = softmax[j](x[i, j]); y });",
    ],
    [
      "use std::linalg::norm;\nlet x = [[1.0, 2.0]];\nprint(norm[k](x));",
      "use std::linalg::norm;\nlet x = [[1.0, 2.0]];\nprint({ let y[i] = norm[k](x[i, k]); y });",
    ],
    [
      "use std::ml::softmax;\nprint(softmax[k]([1.0, 2.0]));",
      "use std::ml::softmax;\nprint(softmax[k]([1.0, 2.0][k]));",
    ],
  ]);
});
