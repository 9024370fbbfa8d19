// Derivatives inside functions by a number around them that also moves what the functions are
// called with, or other tensors that they read. How all of that moves with the number is passed
// along:
//
//   f(v) = … @y / @w …      is      f(v, v̇) = … ∂y/∂v·v̇ + ∂y/∂w …,      called with v̇ = @v / @w
//
// Tensors that are made of the number have their own derivatives by it, which are asked for as any
// others are. Where w is a tensor, v̇ has a number for each of its cells (carried-cells.ts).

import type { Variable } from "../../../affine/term.ts";
import { variablesOf } from "../../../affine/visit.ts";
import { eachScalar, mapParts, partsOf, scalarsOf, callsSomething } from "../../../ir/parts.ts";
import type {
  Clause,
  Definition,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../../ir/program.ts";
import { callsOf, functionsFrom, readsOfFunction } from "../../../ir/references.ts";
import { isFloat } from "../../../scalar/types.ts";
import { movedByCells } from "./carried-cells.ts";
import { newDefinition } from "../../sweep/cells.ts";
import { moves, newParameter } from "../frames.ts";
import { dualOf } from "../functions.ts";
import { dependents } from "../../sweep/graph.ts";
import { movingCell, type Others } from "./moving-tensors.ts";
import { withoutDataReads } from "../through-data.ts";
import { copied } from "../../../ir/substitute.ts";

const tangentsOfTensors = new WeakSet<Definition>();

/** Whether a derivative was asked for to be passed along. */
export function isCarried(definition: Definition): boolean {
  return tangentsOfTensors.has(definition);
}

/** How scalars of one function, or of one clause, move with the numbers that are carried. */
export interface Inside {
  /** Whether a denominator is one of the numbers. */
  readonly isBy: (denominator: Definition) => boolean;
  /** By one of the numbers; nothing where it stays. */
  readonly tangent: (of: Scalar, by: Definition) => Scalar | undefined;
  /** A call with the tangents that its function is given. */
  readonly call: (invocation: Invocation) => Invocation;
}

export interface Carried {
  readonly isGiven: (of: ScalarFunction) => boolean;
  readonly inside: (of: ScalarFunction) => Inside;
  /** Whether a scalar is made of tangents that were passed along: it would need the next ones. */
  readonly isOfTangents: (scalar: Scalar) => boolean;
  /**
   * Calls in definitions are given what the functions take now: the clauses are rewritten in place.
   */
  readonly give: () => void;
}

/** `asked` are the numbers, with the functions that ask for derivatives by them. */
export function carriedBy(
  asked: ReadonlyMap<Definition, ReadonlySet<ScalarFunction>>,
  all: readonly Definition[],
  claim: (name: string) => string,
): Carried {
  const functions = new Set(
    all.flatMap((each) => [...callsOf(each)].flatMap((called) => [...functionsFrom(called)])),
  );
  const given = new Map<ScalarFunction, Map<Definition, ReadonlyMap<Parameter, Parameter>>>();
  const passed = new Set<Parameter["variable"]>();
  for (const [number, asking] of asked)
    for (const called of functions) {
      if (![...functionsFrom(called)].some((each) => asking.has(each))) continue;
      const own = given.get(called) ?? new Map<Definition, ReadonlyMap<Parameter, Parameter>>();
      const before = called.parameters.filter(
        ({ type, variable }) => moves(type) && !passed.has(variable),
      );
      const typeOf = ({ type }: Parameter): Parameter["type"] =>
        number.axes.length > 0 ? "data" : type;
      const tangents = new Map(
        before.map((each) => [each, newParameter(`d_${each.name}`, typeOf(each))]),
      );
      for (const { variable } of tangents.values()) passed.add(variable);
      called.parameters = [...called.parameters, ...tangents.values()];
      given.set(called, own.set(number, tangents));
    }
  const along = new Set<Definition>();
  const movers = new Map(
    [...asked.keys()].map((number) => [number, movingWith(number, all, claim, along)]),
  );
  const insideOf = (of: ScalarFunction | undefined, span: Definition["span"]): Inside => {
    const moved = new Map(
      [...movers].map(([number, others]) => {
        const own = (of && given.get(of)?.get(number)) ?? new Map<Parameter, Parameter>();
        if (number.axes.length > 0) {
          const scopeOf = (scalar: Scalar): readonly Parameter[] =>
            of?.parameters ?? coordinatesIn(scalar);
          const byCells = (scalar: Scalar): Scalar | undefined =>
            movedByCells(
              scalar,
              number,
              others,
              { parameters: scopeOf(scalar), totals: own },
              span,
            );
          return [number, byCells] as const;
        }
        const tangents = new Map([...own].map(([each, tangent]) => [each.variable, tangent]));
        const dual = dualOf(tangents, movingCell(number, [], others), span);
        return [number, (scalar: Scalar): Scalar | undefined => dual(scalar).tangent] as const;
      }),
    );
    return {
      isBy: (denominator) => moved.has(denominator),
      tangent: (scalar, by) => moved.get(by)!(scalar),
      call: (invocation) => {
        const more = [...(given.get(invocation.function) ?? [])].flatMap(([number, tangents]) =>
          [...tangents].map(([parameter, tangent]) => {
            const argument =
              invocation.arguments[invocation.function.parameters.indexOf(parameter)]!;
            return moved.get(number)!(withoutDataReads(argument)) ?? still(tangent);
          }),
        );
        return more.length === 0
          ? invocation
          : { ...invocation, arguments: [...invocation.arguments, ...more] };
      },
    };
  };
  return {
    isGiven: (of) => given.has(of),
    inside: (of) => insideOf(of, of.span),
    isOfTangents: (scalar) => {
      const parts = new Set([scalar]);
      for (const part of parts) {
        // What is held still moves with nothing.
        if (part.kind === "apply" && part.operation === "stop") continue;
        if (part.kind === "parameter" && passed.has(part.parameter.variable)) return true;
        if (part.kind === "read" && along.has(part.definition)) return true;
        if (
          part.kind === "call" &&
          [...readsOfFunction(part.invocation.function)].some((read) => along.has(read))
        )
          return true;
        for (const each of partsOf(part)) parts.add(each);
      }
      return false;
    },
    give: () => {
      for (const definition of all)
        if ([...callsOf(definition)].some((called) => given.has(called)))
          definition.clauses = definition.clauses.map((clause) =>
            withTangents(clause, insideOf(undefined, definition.span)),
          );
    },
  };
}

/** The coordinates that a scalar of a clause speaks of, as parameters of what is made of it. */
function coordinatesIn(scalar: Scalar): readonly Parameter[] {
  const found = new Set<Variable>();
  eachScalar(scalar, (part) => {
    if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
  });
  return [...found].map((v) => ({ name: v.name, type: "i32", variable: v }));
}

function still({ type }: Parameter): Scalar {
  return { kind: "constant", type, value: type === "data" ? [] : 0 };
}

/**
 * The derivatives by what moves of every tensor that is made of it, which are asked for when they
 * are read.
 */
function movingWith(
  number: Definition,
  all: readonly Definition[],
  claim: (name: string) => string,
  along: Set<Definition>,
): Others {
  const moving = dependents(all, new Set([number]));
  const made = new Map<Definition, Definition>();
  return (definition) => {
    if (definition === number || !moving.has(definition) || !isFloat(definition.element))
      return undefined;
    let found = made.get(definition);
    if (!found) {
      const { name, element, axes, span } = definition;
      found = newDefinition(
        claim(`${name}_by_${number.name}`),
        element,
        [...axes, ...number.axes],
        [],
        span,
      );
      found.request = {
        of: definition,
        wrt: number,
        ...(axes.length > 0 ? { jacobian: true } : {}),
      };
      made.set(definition, found);
      along.add(found);
      tangentsOfTensors.add(found);
    }
    return found;
  };
}

function withTangents(clause: Clause, inside: Inside): Clause {
  const locals = new Map<Local, Local>();
  const calls = new Map<Invocation, Invocation>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, locals) };
    const whole = mapParts(scalar, change);
    if (scalar.kind !== "call" || whole.kind !== "call") return whole;
    let invocation = calls.get(scalar.invocation);
    if (!invocation) calls.set(scalar.invocation, (invocation = inside.call(whole.invocation)));
    return { ...whole, invocation };
  };
  if (!scalarsOf(clause).some(callsSomething)) return clause;
  const { body, otherwise } = clause;
  return {
    ...clause,
    guards: clause.guards.map(change),
    body: {
      ...body,
      value: change(body.value),
      ...(body.kind === "reduce" ? { guards: body.guards.map(change) } : {}),
    },
    ...(otherwise ? { otherwise: change(otherwise) } : {}),
  };
}
