// The parts of scalars, clauses, functions and printed texts: the direct parts, or all nested ones.

import type {
  Clause,
  Definition,
  FunctionEffect,
  HostPart,
  Invocation,
  Local,
  Loop,
  Scalar,
  ScalarFunction,
} from "./program.ts";

/** The scalar that a local names; other scalars are returned unchanged. */
export function withoutLocals(scalar: Scalar): Scalar {
  return scalar.kind === "local" ? withoutLocals(scalar.local.value) : scalar;
}

/** The scalars directly inside a scalar. */
export function partsOf(scalar: Scalar): readonly Scalar[] {
  switch (scalar.kind) {
    case "constant":
    case "integer":
      return [];
    case "read":
      return scalar.indices;
    case "apply":
      return scalar.operands;
    case "cast":
      return [scalar.operand];
    case "select":
      return [scalar.condition, scalar.then, scalar.otherwise];
    case "local":
      return scalar.local.slope
        ? [scalar.local.value, scalar.local.slope.of]
        : [scalar.local.value];
    case "call":
      return scalar.invocation.arguments;
    case "text":
    case "data":
      return scalar.operands;
    case "parameter":
      return [];
    default:
      return scalar satisfies never;
  }
}

/** The direct parts that are computed whenever the scalar is computed: only `a` of `a && b`. */
export function alwaysIn(scalar: Scalar): readonly Scalar[] {
  if (scalar.kind === "select") return [scalar.condition];
  if (scalar.kind === "call" || scalar.kind === "data") return [];
  const isChoice =
    scalar.kind === "apply" && (scalar.operation === "and" || scalar.operation === "or");
  return isChoice ? scalar.operands.slice(0, 1) : partsOf(scalar);
}

/**
 * A scalar with other direct parts. The values of locals are not changed. If no part changes, the
 * result is the scalar itself, so that a common subexpression stays one object: without that, a
 * chain of 1,000 nested factors would be copied 1,000 times.
 */
export function mapParts(scalar: Scalar, change: (part: Scalar) => Scalar): Scalar {
  switch (scalar.kind) {
    case "constant":
    case "integer":
    case "local":
    case "parameter":
      return scalar;
    case "read": {
      const indices = mapped(scalar.indices, change);
      return indices === scalar.indices ? scalar : { ...scalar, indices };
    }
    case "apply":
    case "text":
    case "data": {
      const operands = mapped(scalar.operands, change);
      return operands === scalar.operands ? scalar : { ...scalar, operands };
    }
    case "cast": {
      const operand = change(scalar.operand);
      return operand === scalar.operand ? scalar : { ...scalar, operand };
    }
    case "select": {
      const condition = change(scalar.condition);
      const then = change(scalar.then);
      const otherwise = change(scalar.otherwise);
      const isUnchanged =
        condition === scalar.condition && then === scalar.then && otherwise === scalar.otherwise;
      return isUnchanged ? scalar : { ...scalar, condition, then, otherwise };
    }
    case "call": {
      const { invocation } = scalar;
      return {
        ...scalar,
        invocation: { ...invocation, arguments: invocation.arguments.map(change) },
      };
    }
    default:
      return scalar satisfies never;
  }
}

/** The list itself if no part changes. */
function mapped(parts: readonly Scalar[], change: (part: Scalar) => Scalar): readonly Scalar[] {
  const changed = parts.map(change);
  return changed.every((part, k) => part === parts[k]) ? parts : changed;
}

/** Whether a scalar depends on coordinates and extents alone: it reads and calls nothing. */
export function isOfCoordinates(scalar: Scalar): boolean {
  return !isAnywhere(scalar, ({ kind }) => kind === "read" || kind === "call");
}

export function callsSomething(scalar: Scalar): boolean {
  return isAnywhere(scalar, (part) => part.kind === "call");
}

/** All reads in some scalars, in order. A tensor that is read twice occurs twice. */
export function readsIn(scalars: readonly Scalar[]): readonly Extract<Scalar, { kind: "read" }>[] {
  const found: Extract<Scalar, { kind: "read" }>[] = [];
  for (const scalar of scalars)
    eachScalar(scalar, (part) => void (part.kind === "read" && found.push(part)));
  return found;
}

/**
 * Visits a scalar and all scalars inside it. The value of a local and the arguments of a call are
 * visited once, however often they are used.
 */
export function eachScalar(scalar: Scalar, visit: (scalar: Scalar) => void): void {
  visitScalars(scalar, visit, { met: undefined });
}

/** Whether any part of a scalar passes a test. The walk ends at the first part that does. */
export function isAnywhere(
  scalar: Scalar,
  isIt: (part: Scalar) => boolean,
  seen: Seen = { met: undefined },
): boolean {
  if (isIt(scalar)) return true;
  if (scalar.kind === "local" && !isNew(seen, scalar.local)) return false;
  if (scalar.kind === "call" && !isNew(seen, scalar.invocation)) return false;
  return partsOf(scalar).some((part) => isAnywhere(part, isIt, seen));
}

/**
 * A test whether any part of a scalar passes `isIt`, for many questions about parts of one scalar.
 * It remembers its answers: the three levels of `sin(sin(sin(x)))` take one walk.
 */
export function somewhere(isIt: (part: Scalar) => boolean): (scalar: Scalar) => boolean {
  const known = new Map<Scalar, boolean>();
  const ask = (scalar: Scalar): boolean => {
    let found = known.get(scalar);
    if (found === undefined) known.set(scalar, (found = isIt(scalar) || partsOf(scalar).some(ask)));
    return found;
  };
  return ask;
}

/**
 * The locals and calls that a walk has visited. Most scalars have none: the first makes the set.
 */
interface Seen {
  met: Set<Local | Invocation> | undefined;
}

/** Whether a walk meets a local or a call for the first time. */
function isNew(seen: Seen, one: Local | Invocation): boolean {
  if (seen.met?.has(one)) return false;
  (seen.met ??= new Set()).add(one);
  return true;
}

function visitScalars(scalar: Scalar, visit: (scalar: Scalar) => void, seen: Seen): void {
  visit(scalar);
  switch (scalar.kind) {
    case "constant":
    case "integer":
      return;
    case "read":
      for (const index of scalar.indices) visitScalars(index, visit, seen);
      return;
    case "apply":
    case "text":
    case "data":
      for (const operand of scalar.operands) visitScalars(operand, visit, seen);
      return;
    case "cast":
      visitScalars(scalar.operand, visit, seen);
      return;
    case "select":
      visitScalars(scalar.condition, visit, seen);
      visitScalars(scalar.then, visit, seen);
      visitScalars(scalar.otherwise, visit, seen);
      return;
    case "local":
      if (!isNew(seen, scalar.local)) return;
      visitScalars(scalar.local.value, visit, seen);
      if (scalar.local.slope) visitScalars(scalar.local.slope.of, visit, seen);
      return;
    case "call":
      if (!isNew(seen, scalar.invocation)) return;
      for (const argument of scalar.invocation.arguments) visitScalars(argument, visit, seen);
      return;
    case "parameter":
      return;
    default:
      scalar satisfies never;
  }
}

/** The calls whose results are used in more than one place. */
export function sharedInvocations(scalars: readonly Scalar[]): ReadonlySet<Invocation> {
  const seen = new Set<Invocation>();
  const shared = new Set<Invocation>();
  const visited: Seen = { met: undefined };
  for (const scalar of scalars)
    visitScalars(
      scalar,
      (part) => {
        if (part.kind !== "call") return;
        if (seen.has(part.invocation)) shared.add(part.invocation);
        seen.add(part.invocation);
      },
      visited,
    );
  return shared;
}

/** The coordinates of a clause, on the left and reduced. */
export function allLoops({ loops, body }: Clause): readonly Loop[] {
  return body.kind === "reduce" ? [...loops, ...body.loops] : loops;
}

/** Every scalar of a clause, with the bounds of its loops and its guards. */
export function scalarsOf(clause: Clause): readonly Scalar[] {
  const loops = (list: readonly Loop[]): readonly Scalar[] =>
    list.flatMap((loop) => [loop.from, loop.to]);
  const body = clause.body;
  return [
    ...loops(clause.loops),
    ...clause.guards,
    ...(body.kind === "map" ? [body.value] : [...loops(body.loops), ...body.guards, body.value]),
    ...(clause.otherwise ? [clause.otherwise] : []),
  ];
}

/** Every scalar of a function: its results, and those of its effects. */
export function scalarsOfFunction({ results, effects = [] }: ScalarFunction): readonly Scalar[] {
  return [...results, ...effects.flatMap(scalarsOfEffect)];
}

export function scalarsOfEffect(effect: FunctionEffect): readonly Scalar[] {
  const conditions = effect.when.map((branch) => branch.condition);
  switch (effect.kind) {
    case "print":
      return [...conditions, effect.text];
    case "assert":
      return [...conditions, effect.condition, ...(effect.message ? [effect.message] : [])];
    case "call":
      return [...conditions, ...effect.invocation.arguments];
    default:
      return effect satisfies never;
  }
}

/** The definitions whose values a piece of printed text needs. */
export function definitionsIn(part: HostPart): readonly Definition[] {
  switch (part.kind) {
    case "text":
      return [];
    case "value":
      return [part.definition];
    case "derivation":
      return [];
    case "each":
      return [part.over, ...part.parts.flatMap(definitionsIn)];
    case "rows":
      return [...part.starts, part.flat];
    case "quoted":
    case "formatted":
      return part.parts.flatMap(definitionsIn);
    case "choice":
      return [
        part.condition,
        ...part.then.flatMap(definitionsIn),
        ...part.otherwise.flatMap(definitionsIn),
      ];
    default:
      return part satisfies never;
  }
}
