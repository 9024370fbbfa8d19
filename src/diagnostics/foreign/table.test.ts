// A program that uses a foreign form gets the form of Einlang as the answer. That form compiles,
// and applying the fix leaves no error.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import type { Diagnostic, Fix } from "../diagnostic.ts";
import type { Row } from "./row.ts";
import { functions, members, modules, notations, statements, values } from "./table.ts";

/** Definitions for the words of the rows. */
const prelude = `const n = 3;
const m = 2;
let x = [1.0, 2.0, 3.0];
let y = [3.0, 1.0, 2.0];
let w = [0.5, 1.5, 2.5];
let A = [[1.0, 2.0], [3.0, 4.0]];
let B = [[1.0, 0.5], [2.0, 2.0]];
let c = [true, false, true];
let d = [true, true, false];
let k = [1, 0, 1];
let p = (1, 2.0);
let t = "text";
let a = 1.0;
let b = 2.0;
let s = 0.5;
let loss = sum[i](x[i] * x[i] * w[i]);
fn f(v) { v * v }
`;

/** Nine channels of three rows and columns. */
const cube = "let n = 3; let x = [[[1.0 | _ in 0..3] | _ in 0..3] | _ in 0..9];";

/** Rows whose words need other definitions than the prelude gives. */
const ownPreludes: Readonly<Record<string, string>> = {
  "ifelse(c, a, b)": "let c = true;",
  "~c": "let c = true;",
  "c & c": "let c = true;",
  "c and c": "let c = true;",
  "c or c": "let c = true;",
  "not c": "let c = true;",
  "c ? a : b": "let c = true;",
  "a if c else b": "let c = true;",
  "np.logical_and(c, d)": "let c = true; let d = false;",
  "np.logical_or(c, d)": "let c = true; let d = false;",
  "np.logical_not(c)": "let c = true;",
  "x.map(f)": "let f = |v| v * v;",
  "map(f, x)": "let f = |v| v * v;",
  "filter(f, x)": "let f = |v| v > 1.0;",
  "x.filter(f)": "let f = |v| v > 1.0;",
  "torch.mv(A, w)": "let w = [1.0, 2.0];",
  "F.nll_loss(A, k)": "let k = [1, 0];",
  "cross_entropy_loss(A, k)": "let k = [1, 0];",
  "torch.gather(A, 1, k)": "let k = [1, 0];",
  "gather_nd(A, k)": "let k = [[1, 0], [0, 1]];",
  "gather_elements(A, k)": "let k = [[1, 0], [0, 1]];",
  "np.reshape(x, (n, m, q))": "const q = 1; let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "reshape(x, n, m, q)": "const q = 1; let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "x.view(n, m, q)": "const q = 1; let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "np.reshape(x, (n, m))": "let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "reshape(x, n, m)": "let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "x.view(n, m)": "let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "np.reshape(A, (n, m))": "let A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];",
  "reshape(A, n, m)": "let A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];",
  "A.view(n, m)": "let A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];",
  "average_pool3d(x, n)": cube,
  "avg_pool3d(x, n)": cube,
  "max_pool3d(x, n)": cube,
  "depth_to_space(x, n)": cube,
  "F.pixel_shuffle(x, n)": cube,
  "space_to_depth(x, n)": cube,
  "bellman_step(A, x, s)": "let x = [1.0, 2.0];",
  "mldivide(A, x)": "let x = [1.0, 2.0];",
  "gemm(A, B, x)": "let x = [1.0, 2.0];",
  "lax.cond(c, f, f, s)": "let c = true;",
  "slice(x, n, m)": "let n = 1; let m = 2;",
  "x.at(n)": "let n = 1;",
  "x.get(n)": "let n = 1;",
  "torch.narrow(x, 0, n, m)": "let n = 1; let m = 2;",
  "matrix(x, n, m)": "let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];",
  "A \\ w": "let w = [1.0, 2.0];",
  "bsxfun(f, x, y)": "let f = |u, v| u * v;",
};

const errorsIn = (text: string): readonly Diagnostic[] =>
  compile({ name: "foreign.ein", text }).diagnostics.filter(({ level }) => level === "error");

/** Whether a notation is a statement of its own. */
const isStatement = (there: string): boolean =>
  /^\w+(?:\[0\])? (?:[-+*/%]?=) |\+\+$|--$/.test(there);

function applied(text: string, { edits }: Fix): string {
  return [...edits]
    .sort((one, other) => other.span.start - one.span.start)
    .reduce(
      (now, { span, text: own }) => now.slice(0, span.start) + own + now.slice(span.end),
      text,
    );
}

/**
 * Checks that a message answers a row with its right side, and that the fix repairs the program.
 */
function holds([there, here, note]: Row, form: string, mayBeInexact = false): void {
  const text = `${prelude}${ownPreludes[there] ?? ""}\n${form}`;
  const errors = errorsIn(text);
  const way = here === "" ? note! : here;
  const said = errors.map(({ help }) => help ?? "none");
  const fixes = errors.flatMap((each) => each.fixes ?? []);
  // If the row changes only a sign, the repaired program shows the whole right side.
  const isShown = fixes.some((fix) => applied(text, fix).endsWith(`\nprint(${way});`));
  const isSaid = said.some((help) => help.includes(way));
  expect(isSaid || isShown, `${form}\n  says ${said.join(" | ")}\n  not ${way}`).toBe(true);
  if (here !== "" && !here.endsWith(";") && !mayBeInexact)
    expect(fixes.length, `${form} has no edit`).toBeGreaterThan(0);
  for (const fix of fixes) {
    const repaired = applied(text, fix);
    const left = errorsIn(repaired).map(({ code, title }) => `${code} ${title}`);
    expect(left, repaired.slice(prelude.length)).toEqual([]);
  }
}

function compiles([there, here]: Row): void {
  const text =
    `${prelude}${ownPreludes[there] ?? ""}\n` +
    (/;$|^print\(/.test(here) ? `${here};` : `print(${here});`);
  expect(
    errorsIn(text).map(({ code, title }) => `${code} ${title}`),
    here,
  ).toEqual([]);
}

const waysOf = (rows: readonly Row[]): readonly Row[] => rows.filter(([, here]) => here !== "");

describe("foreign forms", () => {
  test("there are many", () => {
    const all = [...functions, ...values, ...members, ...notations, ...statements, ...modules];
    expect(all.length).toBeGreaterThan(300);
    expect(new Set(all.map(([there]) => there)).size).toBe(all.length);
    for (const [there, here, note = ""] of all) expect(`${here}${note}`, there).not.toBe("");
  });

  test.each(functions.map((row) => [row[0], row] as const))("%s", (there, row) => {
    if (row[1].startsWith("print(")) return holds(row, `${there};`);
    // The parser meets a keyword before the arguments are known.
    holds(row, `print(${there});`, there.startsWith("mod("));
    const bare = there.replace(/^(?:\w+\.)+/, "");
    // `where` is a keyword, and some names mean something else without a library before them.
    if (!alsoHere.has(bare.replace(/\(.*/, ""))) holds(row, `print(${bare});`);
  });

  test.each(values.map((row) => [row[0], row] as const))("%s", (there, row) =>
    holds(row, `print(${there});`),
  );

  test.each(members.map((row) => [row[0], row] as const))("%s", (there, row) =>
    holds(row, `print(${there});`),
  );

  test.each(notations.map((row) => [row[0], row] as const))("%s", (there, row) =>
    holds(row, isStatement(there) ? `${there};` : `print(${there});`, true),
  );

  test.each(statements.map((row) => [row[0], row] as const))("%s", (there, row) =>
    holds(row, there),
  );

  test.each(modules.map((row) => [row[0], row] as const))("%s", (there, row) => {
    holds(row, `use ${there}::g;`);
    if (!there.includes("::")) holds(row, `print(${there}::f(x));`);
  });

  test.each(
    waysOf([...functions, ...values, ...members, ...notations]).map(
      (row) => [row[1], row] as const,
    ),
  )("%s compiles", (_, row) => compiles(row));
});

/** Functions of Einlang with the same name and another meaning or another form. */
const alsoHere: ReadonlySet<string> = new Set([
  "log2",
  "linspace",
  "repeat",
  "stack",
  "where",
  "norm",
  "split",
  "mod",
  "normal",
  "uniform",
  "randint",
  "log",
  "pad",
]);
