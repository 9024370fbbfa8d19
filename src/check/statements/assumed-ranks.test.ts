// Ranks for inputs that leave theirs open, guessed from the rest of the program.

import { expect, it } from "vitest";
import { parse } from "../../syntax/parse/parser.ts";
import { assumedRanks } from "./assumed-ranks.ts";

type Row = readonly [
  program: string,
  ranks: Record<string, number>,
  given?: Record<string, number>,
];

const rows: readonly Row[] = [
  ["input x: [f32; ..batch, n];", { x: 2 }],
  ["input x: [f32; ..left, n, ..right];", { x: 3 }],
  ["input x: [f32; *];", { x: 1 }],
  ["input x: [f32; *]; let y[i, j] = x[i, j];", { x: 2 }],
  ["input x: [f32; *]; let y[..b] = sum[i, j](x[..b, i, j]);", { x: 3 }],
  [
    "input x: [f32; ..b, n]; input y: [f32; p, q, r]; let z[..b] = y[..b] * sum[i](x[..b, i]);",
    { x: 4 },
  ],
  [
    "input x: [f32; ..b, n]; let w[i in 0..2] = 1.0; let z[..b] = w[..b] * sum[i](x[..b, i]);",
    { x: 2 },
  ],
  ["input x: [f32; ..b, n]; let w = [[1.0]]; let z[..b] = w[..b] * sum[i](x[..b, i]);", { x: 3 }],
  ["input x: [f32; ..b, n]; input y: [f32; ..b];", { x: 4, y: 3 }, { x: 4 }],
  ["input s: f32; input x: [f32; ..b]; let z[..b] = x[..b] + s;", { x: 1 }],
  ["input x: [f32; n, m];", {}],
  ["input x: [f32; ..b, n]; let y[i, j, k] = x[i, j, k];", { x: 3 }],
  ["input x: [f32; ..b, n]; input y: [f32; ..b]; let z[i, j, k] = x[i, j, k];", { x: 3, y: 2 }],
];

it("a pack of which nothing is said has the length that is asked for", () => {
  const { module } = parse({
    name: "p.ein",
    text:
      "input x: [f32; ..a, n, ..b]; input y: [f32; *]; input z: [f32; *]; " +
      "let w[i, j] = z[i, j];",
  });
  const ranks = (length: number) => Object.fromEntries(assumedRanks(module, new Map(), length));
  expect(ranks(0)).toEqual({ x: 1, y: 0, z: 2 });
  expect(ranks(3)).toEqual({ x: 7, y: 3, z: 3 });
});

it.each(rows.map((row) => ({ row, program: row[0] })))(
  "$program",
  ({ row: [text, ranks, given = {}] }) => {
    const { module } = parse({ name: "p.ein", text });
    expect(Object.fromEntries(assumedRanks(module, new Map(Object.entries(given))))).toEqual(ranks);
  },
);
