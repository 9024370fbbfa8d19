// Recurrences whose steps request derivatives, and derivatives of those.
//
//   let w[0] = …; let y[t in 0..3] = F(w[t]); let l[t in 0..3] = G(w[t], y[t]);
//   let g[t in 0..3] = @l[t] / @w[t]; let m[t in 0..3] = H(g[t], y[t]);
//   let h[t in 0..3] = @m[t] / @y[t]; let w[t in 1..3] = w[t - 1] - 0.1 * h[t - 1];

import { chance, pick } from "../random.ts";
import {
  at,
  expressionOf,
  fresh,
  range,
  type Site,
  type Tensor,
  type World,
} from "./expressions.ts";
import type { Clause, Expression } from "./program.ts";

export function stepsOf(world: World): readonly Tensor[] {
  const { random } = world;
  const extent = pick(random, [2, 3]);
  const [w, y, l, g, m, h] = ["w", "y", "l", "g", "m", "h"].map((stem) => fresh(world, stem)) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const shape = [extent];
  const slots = [range("t", extent)];
  const site: Site = { coordinates: [{ name: "t", extent }], locals: [] };
  const now = (name: string): Expression => ({ kind: "read", name, at: [at("t")] });
  const before = (name: string): Expression => ({ kind: "read", name, at: [at("t", -1)] });
  /** Reads names of this step. Local names stand for them while the expression is made. */
  const of = (names: readonly string[], depth: number): Expression =>
    asReads(
      expressionOf(world, { ...site, locals: names }, depth),
      new Map(names.map((name) => [name, now(name)])),
    );
  const define = (name: string, clauses: readonly Clause[]): void => {
    world.statements.push({ kind: "define", name, shape, clauses });
  };
  const ask = (name: string, numerator: string, by: string): void => {
    world.statements.push({
      kind: "request",
      name,
      of: numerator,
      by,
      ofShape: shape,
      byShape: shape,
      isIndexed: true,
      inSteps: true,
    });
  };
  const start = expressionOf(world, { coordinates: [], locals: [] }, 1);
  const step: Expression = binary(
    "-",
    before(w),
    binary("*", { kind: "number", value: 0.1 }, before(h)),
  );
  const slot = {
    name: "t",
    from: { kind: "number", value: 1 },
    to: { kind: "number", value: extent },
  } as const;
  define(w, [
    { slots: [0], body: start },
    { slots: [slot], body: step },
  ]);
  define(y, [{ slots, body: binary("+", now(w), of([w], 2)) }]);
  define(l, [{ slots, body: binary("*", binary("*", now(y), now(y)), of([w, y, y], 2)) }]);
  ask(g, l, pick(random, [w, y]));
  define(m, [{ slots, body: binary("*", now(g), of([w, y, g], 1)) }]);
  ask(h, m, pick(random, [w, y]));
  const made = [w, y, l, g, m, h].map((name) => ({ name, shape }));
  const seen = chance(random, 0.5) ? made : [made[0]!, made[5]!];
  world.tensors.push(...seen);
  return [made[0]!, made[1]!];
}

function binary(operation: "+" | "-" | "*", left: Expression, right: Expression): Expression {
  return { kind: "binary", operation, left, right };
}

/** The expression with its local names replaced by reads. */
function asReads<T>(node: T, by: ReadonlyMap<string, Expression>): T {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each: unknown) => asReads(each, by)) as T;
  const { kind, name } = node as { kind?: unknown; name?: unknown };
  const read = kind === "local" ? by.get(name as string) : undefined;
  if (read) return read as T;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, asReads(value as unknown, by)]),
  ) as T;
}
