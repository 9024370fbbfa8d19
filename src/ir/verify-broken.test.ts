// Breaks valid programs in every place and in every way that the types of the IR allow. The
// verifier sees each of them.

import { describe, expect, test } from "vitest";
import { lowered, programs } from "../../test/support/ir.ts";
import { constant, ofVariable, variable, type Term } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import type {
  Body,
  Clause,
  Definition,
  Local,
  Loop,
  Program,
  Scalar,
  ScalarFunction,
} from "./program.ts";
import { verify } from "./verify.ts";

/**
 * One way to break a program. `break` puts in something wrong and gives the function that puts back
 * what was there.
 */
interface Fracture {
  readonly what: string;
  readonly break: () => () => void;
}

/**
 * Replaces a field until the repair. The types of the IR are read-only, but its objects are plain
 * data.
 */
function fractureOf<T extends object, K extends keyof T>(
  of: T,
  field: K,
  value: T[K],
  what: string,
): Fracture {
  return {
    what,
    break() {
      const own: { -readonly [F in keyof T]: T[F] } = of;
      const before = own[field];
      own[field] = value;
      return () => void (own[field] = before);
    },
  };
}

const text: Scalar = { kind: "constant", type: "str", value: "no number" };
const half: Scalar = { kind: "constant", type: "f32", value: 0.5 };
const stray: Term = ofVariable(variable("stray"));
const nowhere: Scalar = { kind: "integer", type: "i32", term: stray };

function fracturesOfScalar(scalar: Scalar): readonly Fracture[] {
  switch (scalar.kind) {
    case "constant":
      return [
        fractureOf(
          scalar,
          "value",
          scalar.type === "bool" ? 1 : true,
          "a constant of another type",
        ),
        ...(scalar.type === "i32"
          ? [fractureOf(scalar, "value", 0.5, "a fraction for an integer")]
          : []),
      ];
    case "integer":
      return [fractureOf(scalar, "term", stray, "a variable that nothing binds")];
    case "read":
      return [
        fractureOf(scalar, "indices", [...scalar.indices, nowhere], "an index too many"),
        ...(scalar.indices.length > 0
          ? [
              fractureOf(scalar, "indices", scalar.indices.slice(1), "an index too few"),
              fractureOf(
                scalar,
                "indices",
                [half, ...scalar.indices.slice(1)],
                "a float as an index",
              ),
            ]
          : []),
        fractureOf(scalar, "type", "str", "a read of another type"),
      ];
    case "apply":
      return [
        fractureOf(scalar, "type", "str", "a result of another type"),
        fractureOf(scalar, "within", "str", "computed in another type"),
        fractureOf(scalar, "operands", [...scalar.operands, text], "an operand too many"),
        fractureOf(scalar, "operands", scalar.operands.slice(1), "an operand too few"),
        fractureOf(
          scalar,
          "operands",
          [text, ...scalar.operands.slice(1)],
          "an operand of another type",
        ),
      ];
    case "cast":
      return [
        fractureOf(scalar, "type", "str", "a cast that does not exist"),
        fractureOf(scalar, "operand", text, "a cast of a string"),
      ];
    case "select":
      return [
        fractureOf(scalar, "condition", half, "a condition that is a float"),
        fractureOf(scalar, "then", text, "a branch of another type"),
        fractureOf(scalar, "otherwise", text, "the other branch of another type"),
        fractureOf(scalar, "type", "str", "a choice of another type"),
      ];
    case "local":
      return [
        fractureOf(scalar, "type", "str", "a local of another type"),
        fractureOf(scalar.local, "value", scalar, "a local that uses itself"),
      ];
    case "call":
      return [
        fractureOf(
          scalar,
          "member",
          scalar.invocation.function.results.length,
          "a result that is not there",
        ),
        fractureOf(scalar, "type", "str", "a result of another type"),
        fractureOf(
          scalar.invocation,
          "arguments",
          [...scalar.invocation.arguments, half],
          "an argument too many",
        ),
        ...(scalar.invocation.arguments.length > 0
          ? [
              fractureOf(
                scalar.invocation,
                "arguments",
                [text, ...scalar.invocation.arguments.slice(1)],
                "an argument of another type",
              ),
            ]
          : []),
      ];
    case "data":
      return [fractureOf(scalar, "operands", [], "data of nothing")];
    case "text":
      return [
        fractureOf(scalar, "type", scalar.type === "str" ? "i32" : "str", "a text of another type"),
      ];
    case "parameter":
      return [
        fractureOf(scalar, "type", "str", "a parameter of another type"),
        fractureOf(
          scalar,
          "parameter",
          { ...scalar.parameter, variable: variable("other") },
          "another function's parameter",
        ),
      ];
    default:
      return scalar satisfies never;
  }
}

function fracturesOfLoop(loop: Loop): readonly Fracture[] {
  return [
    fractureOf(loop, "from", half, "a bound that is a float"),
    fractureOf(loop, "to", text, "a bound that is a string"),
    fractureOf(loop, "to", nowhere, "a bound of a variable that nothing binds"),
    fractureOf(
      loop,
      "from",
      { kind: "integer", type: "i32", term: ofVariable(loop.variable) },
      "a bound of the coordinate itself",
    ),
  ];
}

function fracturesOfClause(clause: Clause): readonly Fracture[] {
  const { loops, guards } = clause;
  const extra: Loop = { variable: variable("extra"), from: half, to: half, reversed: false };
  return [
    fractureOf(clause, "loops", [...loops, extra], "a loop too many"),
    fractureOf(clause, "guards", [...guards, half], "a guard that is a float"),
    fractureOf(clause, "otherwise", text, "an `else` of another type"),
    ...(loops.length > 0 ? [fractureOf(clause, "loops", loops.slice(1), "a loop too few")] : []),
    ...(loops.length > 1
      ? [
          fractureOf(
            clause,
            "loops",
            loops.map(() => loops[0]!),
            "a coordinate bound twice",
          ),
        ]
      : []),
    ...loops.flatMap(fracturesOfLoop),
    ...fracturesOfBody(clause, clause.body),
  ];
}

function fracturesOfBody(clause: Clause, body: Body): readonly Fracture[] {
  const ofCell = fractureOf(clause, "body", { kind: "map", value: text }, "a cell of another type");
  if (body.kind === "map") return [ofCell];
  const doubled: Loop[] = [...body.loops, ...body.loops];
  return [
    ofCell,
    fractureOf(body, "value", text, "a term that cannot be reduced"),
    fractureOf(body, "guards", [...body.guards, half], "a guard that is a float"),
    fractureOf(body, "loops", doubled, "a reduced coordinate bound twice"),
    fractureOf(
      body,
      "loops",
      [...body.loops, ...clause.loops, ...doubled],
      "a coordinate of the cell reduced",
    ),
    ...body.loops.flatMap(fracturesOfLoop),
  ];
}

function fracturesOfDefinition(definition: Definition, program: Program): readonly Fracture[] {
  const { axes, clauses, origin, outer, cells } = definition;
  const given = origin === "input" || origin === "literal";
  const named = [...program.outputs.values()].map((output) => output.definition.name);
  const other = named.find((name) => name !== definition.name);
  const usesScalars = axes.some((axis) =>
    [...variablesOf(axis.extent)].some((v) => program.scalars.has(v)),
  );
  return [
    ...(other === undefined
      ? []
      : [fractureOf(definition, "name", other, "a name that another definition has")]),
    fractureOf(definition, "outer", axes.length + 1, "more outer axes than axes"),
    fractureOf(definition, "outer", -1 - outer, "a negative number of outer axes"),
    ...(given || definition.request ? [] : [fractureOf(definition, "clauses", [], "no clause")]),
    ...(given
      ? []
      : [
          fractureOf(
            definition,
            "axes",
            [...axes, { extent: constant(1) }],
            "an axis without loops",
          ),
        ]),
    ...(given ? [] : [fractureOf(definition, "element", "str", "cells of another type")]),
    ...(given ? [] : [fractureOf(definition, "origin", "input", "clauses of an input")]),
    ...(given ? [] : [fractureOf(definition, "cells", [], "cells beside clauses")]),
    ...(cells
      ? [fractureOf(definition, "cells", [...cells, cells[0] ?? 0], "a cell too many")]
      : []),
    ...(cells
      ? [fractureOf(definition, "axes", [{ extent: stray }], "a literal of unknown extent")]
      : []),
    ...(cells && cells.length > 0
      ? [
          fractureOf(
            definition,
            "cells",
            cells.map(() => "text"),
            "cells that are strings",
          ),
        ]
      : []),
    ...(usesScalars
      ? [fractureOf(definition, "needs", new Set(), "a scalar that is used and not needed")]
      : []),
    ...axes.flatMap((axis) =>
      given ? [] : [fractureOf(axis, "extent", stray, "an extent that nothing gives")],
    ),
    ...axes.flatMap((axis) => [
      fractureOf(
        axis,
        "ragged",
        { around: [variable("p"), ...axes.map(() => variable("q"))] },
        "a row with too many positions",
      ),
      fractureOf(
        axis,
        "ragged",
        { around: Array.from({ length: outer }, () => variable("p")), extent: stray },
        "a row that ends nowhere",
      ),
    ]),
    ...clauses.flatMap(fracturesOfClause),
  ];
}

function fracturesOfFunction(called: ScalarFunction): readonly Fracture[] {
  const [first] = called.parameters;
  return [
    fractureOf(called, "results", [], "a function without results"),
    ...(first
      ? [fractureOf(called, "parameters", [...called.parameters, first], "a parameter twice")]
      : []),
    ...called.results.flatMap((result) => scalarsIn(result).flatMap(fracturesOfScalar)),
  ];
}

// ── all scalars of a program ────────────────────────────────────────────────────────────────────

function scalarsIn(scalar: Scalar, seen: Set<Scalar | Local> = new Set()): readonly Scalar[] {
  if (seen.has(scalar)) return [];
  seen.add(scalar);
  const inside = (...parts: readonly Scalar[]): readonly Scalar[] => [
    scalar,
    ...parts.flatMap((part) => scalarsIn(part, seen)),
  ];
  switch (scalar.kind) {
    case "constant":
    case "integer":
    case "parameter":
      return [scalar];
    case "read":
      return inside(...scalar.indices);
    case "apply":
    case "text":
    case "data":
      return inside(...scalar.operands);
    case "cast":
      return inside(scalar.operand);
    case "select":
      return inside(scalar.condition, scalar.then, scalar.otherwise);
    case "local":
      return inside(scalar.local.value);
    case "call":
      return inside(...scalar.invocation.arguments);
    default:
      return scalar satisfies never;
  }
}

function scalarsOfClause({ loops, guards, body, otherwise }: Clause): readonly Scalar[] {
  const bounds = [...loops, ...(body.kind === "reduce" ? body.loops : [])].flatMap(
    ({ from, to }) => [from, to],
  );
  const inner = body.kind === "reduce" ? body.guards : [];
  return [...bounds, ...guards, ...inner, body.value, ...(otherwise ? [otherwise] : [])].flatMap(
    (each) => scalarsIn(each),
  );
}

function fracturesOf(program: Program): readonly Fracture[] {
  const definitions = new Set<Definition>([
    ...program.inputs,
    ...[...program.outputs.values()].map((output) => output.definition),
  ]);
  const functions = new Set<ScalarFunction>();
  const scalars = new Set<Scalar>();
  for (const definition of definitions) {
    for (const scalar of definition.clauses.flatMap(scalarsOfClause)) {
      scalars.add(scalar);
      if (scalar.kind === "read") definitions.add(scalar.definition);
      if (scalar.kind === "call") functions.add(scalar.invocation.function);
    }
  }
  const asserted = program.actions.flatMap((action) =>
    action.kind === "assert"
      ? [...definitions]
          .slice(0, 1)
          .flatMap((other) =>
            other.axes.length > 0
              ? [fractureOf(action, "condition", other, "an assertion of a tensor")]
              : [],
          )
      : [],
  );
  return [
    ...[...definitions].flatMap((definition) => fracturesOfDefinition(definition, program)),
    ...[...scalars].flatMap(fracturesOfScalar),
    ...[...functions].flatMap(fracturesOfFunction),
    ...asserted,
    ...(program.inputs.length > 0
      ? [fractureOf(program, "inputs", [], "an input that is not listed")]
      : []),
  ];
}

const more: Readonly<Record<string, string>> = {
  recursion:
    "fn f(n: i32, x: f32) -> f32 { if n == 0 { x } else { f(n - 1, x * 2.0) } } let k = [3]; " +
    "let y = f(k[0], 1.5);",
  "rows of different sizes":
    "let y[i in 0..4] = { let t[k in 0..i + 1] = k as f32; sum[k](t[k]) };",
  inputs:
    "input x: [f32; n, 3]; input k: i32; let y[i] = sum[j](x[i, j]); " +
    "let z[i in 0..k] = y[0] + i as f32; assert(k > 0);",
  gradients: "let x = [1.0, 2.0, 3.0]; let l = sum[i](x[i] ** 2 where i > 0); let g = @l / @x;",
};

describe("a program that is broken anywhere is seen", () => {
  test.each(Object.entries({ ...programs, ...more }))("%s", (_, source) => {
    const { program } = lowered(source);
    expect(verify(program)).toEqual([]);
    const fractures = fracturesOf(program);
    expect(fractures.length).toBeGreaterThan(5);
    const unseen = fractures.filter((fracture) => {
      const mend = fracture.break();
      const complaints = verify(program);
      mend();
      return complaints.length === 0;
    });
    expect(unseen.map(({ what }) => what)).toEqual([]);
    expect(verify(program)).toEqual([]);
  });
});
