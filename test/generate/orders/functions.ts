// Random functions for the derivative fuzzer: plain functions, recursive functions, and functions
// that request derivatives of derivatives.

import { chance, pick } from "../random.ts";
import { expressionOf, fresh, type Site, type World } from "./expressions.ts";
import type { Expression, Statement } from "./program.ts";

export function functionOf(world: World): void {
  const { random } = world;
  const name = fresh(world, "f");
  const made = pick(random, [plain, recursive, asking, recursiveAsking, ruled])(world, name);
  world.statements.push(made);
  world.functions.push({ name, integers: made.integers.length, floats: made.floats.length });
}

type Function = Extract<Statement, { kind: "function" }>;

const local = (name: string): Expression => ({ kind: "local", name });

/** A function body may read tensors around it, but no other names. */
function inside(world: World, locals: readonly string[], depth: number): Expression {
  const seen: World = {
    ...world,
    tensors: chance(world.random, 0.2) ? world.tensors : [],
    parts: [],
    functions: [],
  };
  const site: Site = { coordinates: [], locals };
  const expression = expressionOf(seen, site, depth);
  world.names = seen.names;
  return expression;
}

function plain(world: World, name: string): Function {
  const floats = ["a", "b"].slice(0, chance(world.random, 0.5) ? 1 : 2);
  return { kind: "function", name, integers: [], floats, body: inside(world, floats, 3) };
}

/** Calls itself with a smaller number until 0. */
function recursive(world: World, name: string): Function {
  const deeper: Expression = {
    kind: "call",
    name,
    integers: [{ kind: "coordinate", name: "n", plus: -1 }],
    floats: [chance(world.random, 0.5) ? local("a") : inside(world, ["a"], 1)],
  };
  const otherwise = pick<Expression>(world.random, [
    deeper,
    { kind: "binary", operation: "*", left: deeper, right: inside(world, ["a"], 1) },
    {
      kind: "unary",
      operation: "sin",
      of: { kind: "binary", operation: "+", left: deeper, right: local("a") },
    },
  ]);
  return downTo(name, inside(world, ["a"], 2), otherwise);
}

function downTo(name: string, then: Expression, otherwise: Expression): Function {
  const condition = {
    kind: "compare",
    operation: "<=",
    left: { kind: "coordinate", name: "n", plus: 0 },
    right: { kind: "number", value: 0 },
  } as const;
  return {
    kind: "function",
    name,
    integers: ["n"],
    floats: ["a"],
    body: { kind: "if", condition, then, otherwise },
  };
}

/** `let y = …; let l = …; let g = @l / @a; let h = @g / @y; h` */
function asked(world: World): Expression {
  const { random } = world;
  const y = inside(world, ["a"], 2);
  const l = inside(world, ["a", "y", "y"], 2);
  const by = (): string => pick(random, ["a", "y"]);
  const result: Expression = pick(random, [
    local("h"),
    {
      kind: "binary",
      operation: "+",
      left: local("h"),
      right: { kind: "binary", operation: "*", left: local("g"), right: local("y") },
    },
  ]);
  return {
    kind: "let",
    name: "y",
    value: y,
    body: {
      kind: "let",
      name: "l",
      value: {
        kind: "binary",
        operation: pick(random, ["*", "+"]),
        left: {
          kind: "binary",
          operation: "**",
          left: local("y"),
          right: { kind: "number", value: 3 },
        },
        right: l,
      },
      body: {
        kind: "let",
        name: "g",
        value: { kind: "slope", of: "l", by: by() },
        body: { kind: "let", name: "h", value: { kind: "slope", of: "g", by: by() }, body: result },
      },
    },
  };
}

function asking(world: World, name: string): Function {
  return { kind: "function", name, integers: [], floats: ["a"], body: asked(world) };
}

function recursiveAsking(world: World, name: string): Function {
  const deeper: Expression = {
    kind: "call",
    name,
    integers: [{ kind: "coordinate", name: "n", plus: -1 }],
    floats: [
      { kind: "binary", operation: "*", left: { kind: "number", value: 0.5 }, right: local("a") },
    ],
  };
  return downTo(name, asked(world), {
    kind: "binary",
    operation: "+",
    left: deeper,
    right: local("a"),
  });
}

/** Functions with a rule, which may use the function again. */
function ruled(world: World, name: string): Function {
  const a = local("a");
  const binary = (operation: "*" | "-" | "+", left: Expression, right: Expression): Expression => ({
    kind: "binary",
    operation,
    left,
    right,
  });
  const exp = (of: Expression): Expression => ({ kind: "unary", operation: "exp", of });
  const [body, rule] = pick<readonly [Expression, string]>(world.random, [
    [exp({ kind: "unary", operation: "tanh", of: a }), `${name}(a) * (1.0 - tanh(a) ** 2) * @a`],
    [{ kind: "unary", operation: "tanh", of: a }, `(1.0 - ${name}(a) ** 2) * @a`],
    [binary("*", a, binary("*", a, a)), "3.0 * a ** 2 * @a"],
    [{ kind: "unary", operation: "sigmoid", of: a }, `{ let y = ${name}(a); y * (1.0 - y) * @a }`],
  ]);
  return { kind: "function", name, integers: [], floats: ["a"], body, rule };
}
