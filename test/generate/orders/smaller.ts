// Makes a failing program of the derivative fuzzer smaller while it still fails: removes
// statements, replaces expressions by parts of themselves, and simplifies numbers.

import type { Program, Statement } from "./program.ts";

/** The number of tries is bounded, because each try compiles and runs the program. */
const mostTries = 600;

export function smallest(program: Program, fails: (program: Program) => boolean): Program {
  let found = program;
  for (let tries = 0, further = true; further && tries < mostTries;) {
    further = false;
    for (const candidate of smaller(found)) {
      if (++tries > mostTries) break;
      if (!fails(candidate)) continue;
      [found, further] = [candidate, true];
      break;
    }
  }
  return found;
}

function* smaller(program: Program): Generator<Program> {
  for (let k = program.length - 1; k >= 0; k--) yield program.filter((_, at) => at !== k);
  for (const [k, statement] of program.entries())
    for (const other of simpler(statement)) yield program.with(k, other as Statement);
}

/** All descriptions in which one node is replaced by a shorter one. */
function* simpler(node: unknown): Generator {
  if (typeof node !== "object" || node === null) return;
  if (isNode(node) && isExpression(node)) {
    const parts = Object.values(node).flatMap((each: unknown) =>
      Array.isArray(each) ? (each as unknown[]) : [each],
    );
    yield* parts.filter((each) => isNode(each) && isExpression(each));
    for (const value of [0, 1])
      if (node.kind !== "number" && node.kind !== "slope") yield { kind: "number", value };
  }
  if (isNode(node) && "guard" in node && node.guard !== undefined)
    yield { ...node, guard: undefined };
  if (isNode(node) && "otherwise" in node && "slots" in node && node.otherwise !== undefined)
    yield { ...node, otherwise: undefined };
  if (isNode(node) && node.kind === "input") {
    const cells = node.cells as readonly number[];
    if (!node.isLiteral) yield { ...node, isLiteral: true };
    for (const [k, cell] of cells.entries())
      for (const other of [1, 0.5, Math.round(cell * 2) / 2])
        if (String(other).length < String(cell).length)
          yield { ...node, cells: cells.with(k, other) };
    return;
  }
  if (isNode(node) && node.kind === "request" && node.isIndexed)
    yield { ...node, isIndexed: false };
  if (isNode(node) && "clauses" in node) {
    const clauses = node.clauses as readonly unknown[];
    if (clauses.length > 1)
      for (const k of clauses.keys())
        yield { ...node, clauses: clauses.filter((_, at) => at !== k) };
  }
  for (const [key, value] of Object.entries(node)) {
    if (key === "shape" || key === "ofShape" || key === "byShape") continue;
    for (const other of simpler(value))
      yield Array.isArray(node) ? node.with(Number(key), other) : { ...node, [key]: other };
  }
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const expressions: ReadonlySet<unknown> = new Set([
  "number",
  "position",
  "read",
  "local",
  "unary",
  "binary",
  "clamp",
  "if",
  "let",
  "slope",
  "call",
  "reduce",
]);

/** An index that is a number has the form of an expression, and may be replaced like one. */
function isExpression({ kind, index }: Node): boolean {
  return expressions.has(kind) && index === undefined;
}
