// Measures programs that run on the oracle: recursion, comprehensions, recurrences and trees of
// calls. Each has a limit.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./load-ts.mjs";

/**
 * Each program prints one line. `limit` is in seconds of running, or of compiling for the last
 * program.
 */
const programs = [
  {
    name: "fib(27) by plain recursion",
    limit: 0.5,
    text:
      "fn fib(n: i32) -> i32 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }\n" +
      "print(fib(27));",
    prints: "196418",
  },
  {
    name: "a tail call, 1,000,000 times",
    limit: 0.5,
    text:
      "fn add(n: i32, sum: i64) -> i64 { if n == 0 { sum } else { add(n - 1, sum + n as i64) } " +
      "}\nprint(add(1_000_000, 0i64));",
    prints: "500000500000",
  },
  {
    name: "a comprehension over a million elements",
    limit: 0.5,
    text: "let xs = [i as f32 * 0.5 | i in 0..1_000_000];\nprint(xs[999_999]);",
    prints: "499999.5",
  },
  {
    name: "a filtered comprehension over a million elements",
    limit: 0.5,
    text: "let xs = [2 * i | i in 0..1_000_000, i % 3 == 0];\nprint(len(xs), xs[333_333]);",
    prints: "333334 1999998",
  },
  {
    name: "a scalar recurrence of a million steps",
    limit: 0.3,
    text:
      "let x[0] = 1.0;\nlet x[t in 1..1_000_000] = 0.5 * x[t - 1] + 1.0 / (1.0 + x[t - 1]);\n" +
      "print(x[999_999]);",
    prints: "1.0",
  },
  {
    name: "longest common subsequence of 2,000 x 2,000",
    limit: 1,
    text: [
      "const N = 2000;",
      "let a[i in 0..N] = randint(1, i, 0, 4);",
      "let b[i in 0..N] = randint(2, i, 0, 4);",
      "let L[i in 0..N + 1, j in 0..N + 1] = 0;",
      "let L[i in 1..N + 1, j in 1..N + 1] =",
      "  if a[i - 1] == b[j - 1] { L[i - 1, j - 1] + 1 } else { max(L[i - 1, j], L[i, j - 1]) };",
      "print(L[N, N]);",
    ].join("\n"),
    prints: "1289",
  },
  {
    name: "a tree with 10,000 inserts",
    limit: 1,
    text: [
      "enum Tree { Leaf, Node(Tree, i32, Tree) }",
      "fn insert(t: Tree, x: i32) -> Tree {",
      "  match t {",
      "    Tree::Leaf => Tree::Node(Tree::Leaf, x, Tree::Leaf),",
      "    Tree::Node(l, v, r) => if x < v { Tree::Node(insert(l, x), v, r) } else " +
        "{ Tree::Node(l, v, insert(r, x)) },",
      "  }",
      "}",
      "fn size(t: Tree) -> i32 { match t { Tree::Leaf => 0, " +
        "Tree::Node(l, _, r) => size(l) + 1 + size(r) } }",
      "fn grow(t: Tree, k: i32) -> Tree { if k == " +
        "0 { t } else { grow(insert(t, randint(7, k, 0, 1_000_000)), k - 1) } }",
      "print(size(grow(Tree::Leaf, 10_000)));",
    ].join("\n"),
    prints: "10000",
  },
  {
    name: "a list of 100,000 elements, built and folded",
    limit: 1,
    text: [
      "enum List { Nil, Cons(i32, List) }",
      "fn build(k: i32, l: List) -> List { if k == " +
        "0 { l } else { build(k - 1, List::Cons(k, l)) } }",
      "fn fold(l: List, sum: i64) -> i64 { match l { List::Nil => sum, " +
        "List::Cons(h, t) => fold(t, sum + h as i64) } }",
      "print(fold(build(100_000, List::Nil), 0i64));",
    ].join("\n"),
    prints: "5000050000",
  },
  {
    name: "compiling a tree of calls with 25 levels",
    limit: 0.3,
    compiling: true,
    text: tree(25),
    prints: "2.0",
  },
];

/** Each level calls the level below twice, with different arguments. */
function tree(levels) {
  const lines = ["fn f0(x: f32) -> f32 { x * 0.5 + 1.0 }"];
  for (let k = 1; k <= levels; k++)
    lines.push(`fn f${k}(x: f32) -> f32 { f${k - 1}(x + 0.1) + 0.5 * f${k - 1}(x * 0.9) }`);
  return `${lines.join("\n")}\nlet x = 2.0;\nlet y = f${levels}(x);\nlet d = @y / @x;\nprint(x);`;
}

const folder = mkdtempSync(join(tmpdir(), "ein-bench-"));
let fine = true;
for (const program of programs) {
  const seconds = measure(program);
  if (seconds >= program.limit) fine = false;
  console.log(`${program.name.padEnd(50)} ${seconds.toFixed(3)} s  (limit ${program.limit})`);
}
rmSync(folder, { recursive: true });
process.exitCode = fine ? 0 : 1;

/** The best of three runs. */
function measure({ text, prints, compiling }) {
  const path = join(folder, "program.ein");
  writeFileSync(path, `let done = true;\n${text}\n`);
  const once = () => {
    // A run computes only what is printed or asked for. `done` is asked for, so that `print` alone
    // decides.
    const command = [`${root}dist/ein.js`, "run", path, "--json", "--time", "--get", "done"];
    const { stdout } = spawnSync(process.execPath, command, { encoding: "utf8" });
    const report = JSON.parse(stdout || "{}");
    if (report.printed?.[0] !== prints) {
      console.error(`the program did not print ${prints}:\n${stdout}`.slice(0, 2000));
      process.exit(1);
    }
    return (compiling ? report.time.compile_ms : report.time.run_ms) / 1000;
  };
  return Math.min(once(), once(), once());
}
