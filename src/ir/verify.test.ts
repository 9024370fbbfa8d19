// The verifier accepts well-formed programs, and refuses a program that breaks one of its rules.

import { describe, expect, it } from "vitest";
import { span } from "../base/source.ts";
import { constant, ofVariable, variable, type Term, type Variable } from "../affine/term.ts";
import type { Body, Clause, Definition, Loop, Program, Scalar } from "./program.ts";
import type { ElementType } from "../scalar/types.ts";
import { lowered, programs } from "../../test/support/ir.ts";
import { verify } from "./verify.ts";

// ── builders: everything is well-formed unless a test says otherwise ────────────────────────────

const here = span({ name: "test.ein", text: "" }, 0, 0);

const whole = (term: Term): Scalar => ({ kind: "integer", type: "i32", term });
const coordinate = (v: Variable): Scalar => whole(ofVariable(v));
const float = (value: number): Scalar => ({ kind: "constant", type: "f32", value });
const truth: Scalar = { kind: "constant", type: "bool", value: true };

function loop(v: Variable, to: number | Term): Loop {
  return {
    variable: v,
    from: whole(constant(0)),
    to: whole(typeof to === "number" ? constant(to) : to),
    reversed: false,
  };
}

function map(value: Scalar): Body {
  return { kind: "map", value };
}

function clause(loops: readonly Loop[], body: Body, parts: Partial<Clause> = {}): Clause {
  return { loops, guards: [], body, span: here, ...parts };
}

function definition(
  name: string,
  extents: readonly (number | Term)[],
  clauses: readonly Clause[],
  parts: Partial<Definition> = {},
): Definition {
  const axes = extents.map((extent) => ({
    extent: typeof extent === "number" ? constant(extent) : extent,
  }));
  return {
    name,
    element: "f32",
    axes,
    origin: "declared",
    outer: 0,
    clauses,
    needs: new Set(),
    span: here,
    ...parts,
  };
}

const input = (
  name: string,
  extents: readonly (number | Term)[],
  element: ElementType = "f32",
): Definition => definition(name, extents, [], { origin: "input", element });

function read(of: Definition, indices: readonly Scalar[], type: ElementType = of.element): Scalar {
  return { kind: "read", type, definition: of, indices, span: here };
}

function add(
  left: Scalar,
  right: Scalar,
  type: ElementType = left.type,
  within: ElementType = left.type,
): Scalar {
  return { kind: "apply", type, within, operation: "add", operands: [left, right], span: here };
}

function program(outputs: readonly Definition[], parts: Partial<Program> = {}): Program {
  return {
    inputs: [],
    dimensions: new Map(),
    scalars: new Map(),
    actions: [],
    agreements: [],
    held: [],
    texts: new Map(),
    names: new Set(),
    outputs: new Map(outputs.map((output, k) => [`out${k}`, { definition: output }])),
    ...parts,
  };
}

/** `let y[i in 0..3] = value` */
function overThree(
  value: (i: Scalar) => Scalar,
  parts: Partial<Clause> = {},
  rest: Partial<Definition> = {},
): Definition {
  const i = variable("i");
  return definition("y", [3], [clause([loop(i, 3)], map(value(coordinate(i))), parts)], rest);
}

const x = input("x", [3]);
const withX = { inputs: [x] };

describe("a well-formed program has no complaints", () => {
  it("by hand", () => {
    expect(verify(program([overThree((i) => add(read(x, [i]), float(1)))], withX))).toEqual([]);
  });

  it.each(Object.entries(programs))("%s", (_, text) => {
    expect(verify(lowered(text).program)).toEqual([]);
  });
});

describe("each rule", () => {
  const i = variable("i");
  const j = variable("j");
  const stray = variable("stray");
  const n = variable("n");
  const circular: { name: string; value: Scalar } = { name: "z", value: float(0) };
  circular.value = add({ kind: "local", type: "f32", local: circular }, float(1));
  const reduce = (parts: Partial<Extract<Body, { kind: "reduce" }>>): Body => ({
    kind: "reduce",
    reduction: "sum",
    loops: [loop(j, 3)],
    guards: [],
    value: float(1),
    span: here,
    ...parts,
  });
  const reduced = (
    parts: Partial<Extract<Body, { kind: "reduce" }>>,
    element: ElementType = "f32",
  ): Definition => definition("y", [], [clause([], reduce(parts))], { element });
  const scalarN = input("n", [], "i32");
  const usingN = (needs: ReadonlySet<Definition>): Definition =>
    definition("y", [ofVariable(n)], [clause([loop(i, ofVariable(n))], map(float(0)))], {
      needs: new Set(needs),
    });

  const malformed: [string, Program, string][] = [
    [
      "two definitions of one name",
      program([overThree(() => float(1)), overThree(() => float(2))]),
      "names: another definition has this name",
    ],
    ["no clauses", program([definition("y", [3], [])]), "clauses: it has none"],
    [
      "clauses of a literal",
      program([
        definition("y", [], [clause([], map(float(1)))], { origin: "literal", cells: [1] }),
      ]),
      'clauses: its origin is "literal", so it has none',
    ],
    [
      "too few cells",
      program([definition("y", [2, 2], [], { origin: "literal", cells: [1, 2, 3] })]),
      "literals: it has 3 cells for 4 positions",
    ],
    [
      "a cell of another type",
      program([definition("y", [2], [], { origin: "literal", cells: [1, true] })]),
      "literals: cell 1 is no f32",
    ],
    [
      "no cells",
      program([definition("y", [2], [], { origin: "literal" })]),
      "literals: it has no cells",
    ],
    [
      "a literal of open extent",
      program([definition("y", [ofVariable(n)], [], { origin: "literal", cells: [] })], {
        dimensions: new Map([["n", n]]),
      }),
      "literals: the extent of axis 0 is no number",
    ],
    [
      "too few loops",
      program([definition("y", [3, 3], [clause([loop(i, 3)], map(float(1)))])]),
      "loops: a clause has 1 for 2 axes",
    ],
    [
      "more outer axes than axes",
      program([overThree(() => float(1), {}, { outer: 2 })]),
      "loops: 2 of 1 axes are outer ones",
    ],
    [
      "argmax over nothing",
      program([reduced({ reduction: "argmax", loops: [] }, "i32")]),
      "loops: `argmax` gives the position along its first coordinate, here is none",
    ],
    [
      "a coordinate bound twice",
      program([definition("y", [3, 3], [clause([loop(i, 3), loop(i, 3)], map(float(1)))])]),
      "binding: `i` is bound here and in `y`",
    ],
    [
      "a coordinate of nobody",
      program([overThree(() => ({ kind: "cast", type: "f32", operand: coordinate(stray) }))]),
      "binding: a term mentions `stray`, which nothing around it binds",
    ],
    [
      "a bound that uses a later loop",
      program([
        definition("y", [3, 3], [clause([loop(i, ofVariable(j)), loop(j, 3)], map(float(1)))]),
      ]),
      "binding: a term mentions `j`, which nothing around it binds",
    ],
    [
      "an extent of nobody",
      program([definition("y", [ofVariable(stray)], [clause([loop(i, 3)], map(float(1)))])]),
      "binding: the extent of axis 0 mentions `stray`, which nothing around it binds",
    ],
    [
      "a coordinate that is an extent",
      program([definition("y", [3], [clause([loop(n, 3)], map(float(1)))])], {
        dimensions: new Map([["n", n]]),
      }),
      "binding: `n` is bound here and is known outside",
    ],
    [
      "too few indices",
      program([overThree(() => read(x, []))], withX),
      "reads: `x` has rank 1 and is read with 0 indices",
    ],
    [
      "a float index",
      program([overThree(() => read(x, [float(1)]))], withX),
      "reads: an index of `x` is f32",
    ],
    [
      "a read of another type",
      program([overThree((at) => read(x, [at], "f64"))], withX),
      "types: `x` has f32 and is read as f64",
    ],
    [
      "mixed operands",
      program([overThree((at) => add(float(1), at))]),
      "types: `add` does not take f32, i32",
    ],
    [
      "a wrong result",
      program([overThree(() => add(float(1), float(2), "f64"))]),
      "types: `add` gives f32, not f64",
    ],
    [
      "a wrong type to compute in",
      program([overThree(() => add(float(1), float(2), "f32", "f64"))]),
      "types: `add` computes in f32, not f64",
    ],
    [
      "a constant of another type",
      program([overThree(() => ({ kind: "constant", type: "f32", value: 1n }))]),
      "types: the constant 1 is no f32",
    ],
    [
      "an integer out of range",
      program([
        overThree(() => ({
          kind: "cast",
          type: "f32",
          operand: { kind: "constant", type: "i8", value: 200 },
        })),
      ]),
      "types: the constant 200 is no i8",
    ],
    [
      "a cast that does not exist",
      program([
        overThree(
          () => ({ kind: "cast", type: "bool", operand: float(1) }),
          {},
          { element: "bool" },
        ),
      ]),
      "types: there is no cast from f32 to bool",
    ],
    [
      "a condition that is no bool",
      program([
        overThree(() => ({
          kind: "select",
          type: "f32",
          condition: float(1),
          then: float(1),
          otherwise: float(2),
        })),
      ]),
      "types: a condition is f32",
    ],
    [
      "branches that disagree",
      program([
        overThree((at) => ({
          kind: "select",
          type: "f32",
          condition: truth,
          then: float(1),
          otherwise: at,
        })),
      ]),
      "types: a choice of f32 is between f32 and i32",
    ],
    [
      "a guard that is no bool",
      program([overThree(() => float(1), { guards: [float(1)] })]),
      "types: a guard is f32",
    ],
    [
      "a cell of another type",
      program([overThree((at) => at)]),
      "types: a cell is i32, the definition has f32",
    ],
    [
      "an else of another type",
      program([overThree(() => float(1), { guards: [truth], otherwise: truth })]),
      "types: the value of cells that no clause owns is bool, the definition has f32",
    ],
    [
      "a float bound",
      program([definition("y", [3], [clause([{ ...loop(i, 3), to: float(3) }], map(float(1)))])]),
      "types: a bound of `i` is f32",
    ],
    [
      "a reduction of what it does not take",
      program([reduced({ reduction: "any" }, "bool")]),
      "types: `any` does not reduce f32",
    ],
    [
      "a reduction to another type",
      program([reduced({ reduction: "argmax" })]),
      "types: `argmax` gives i32 for a cell of f32",
    ],
    [
      "a local of another type",
      program([
        overThree(() => ({ kind: "local", type: "f32", local: { name: "z", value: truth } })),
      ]),
      "types: `z` is bool, not f32",
    ],
    [
      "a local that uses itself",
      program([overThree(() => ({ kind: "local", type: "f32", local: circular }))]),
      "locals: `z` uses itself",
    ],
    [
      "a forgotten need",
      program([usingN(new Set())], { inputs: [scalarN], scalars: new Map([[n, scalarN]]) }),
      "needs: the extent of axis 0 uses the value of `n`, which is not among them",
    ],
    [
      "a need that is no integer",
      program([usingN(new Set([x]))], { inputs: [x], scalars: new Map([[n, x]]) }),
      "needs: `x` is used as a number and is no integer scalar",
    ],
  ];

  it.each(malformed)("refuses %s", (_, wrong, complaint) => {
    expect(verify(wrong)).toContainEqual(`\`y\` breaks the rule of ${complaint}`);
  });

  it("refuses inputs that are not what the host is told", () => {
    const listed = definition("y", [], [clause([], map(float(1)))]);
    expect(verify(program([], { inputs: [listed] }))).toContain(
      '`y` breaks the rule of host: it is listed as an input with the origin "declared"',
    );
    expect(verify(program([overThree((at) => read(x, [at]))]))).toContain(
      "`x` breaks the rule of host: it is an input that is not listed",
    );
    const asserted = program([], {
      actions: [{ kind: "assert", condition: listed, message: [], when: [], span: here }],
    });
    expect(verify(asserted)).toContain(
      "`y` breaks the rule of host: it is asserted and is no bool scalar",
    );
  });

  it("accepts a need that is there", () => {
    expect(
      verify(
        program([usingN(new Set([scalarN]))], {
          inputs: [scalarN],
          scalars: new Map([[n, scalarN]]),
        }),
      ),
    ).toEqual([]);
  });
});
