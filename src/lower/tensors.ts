// Definitions of whole tensors: array literals, abstractions, calls with a rule, and requests.

import type { Span } from "../base/source.ts";
import type { Typed } from "../check/types/typed.ts";
import { decided, type TensorType } from "../check/types/types.ts";
import { constant, variable } from "../affine/term.ts";
import { enter, loopOf, outerOf } from "./around.ts";
import { conditionsOf, heldTo } from "./conditions.ts";
import { indicesOf, loopsOver, materialiseOver, newDefinition, remember } from "./definitions.ts";
import { lowerAt, define, materialise } from "./forms.ts";
import { bodyAt } from "./scalars.ts";
import { declare, type Answered, type Lowered, type Site } from "./site.ts";
import { needScalars } from "./terms.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { claim } from "../base/claim.ts";
import { literal } from "../ir/simple-scalars.ts";
import { integerScalar } from "../ir/substitute.ts";
import type { Scalar as Value } from "../scalar/types.ts";

/**
 * A call with a rule: definitions of the value and of its tangent, over the same coordinates, and a
 * stand-in for the tangent of each parameter.
 */
export function ruledDefinition(
  site: Site,
  value: Extract<Typed, { kind: "ruled" }>,
  name: string,
): Lowered {
  const { lowering } = site;
  declare(site, value.value.bindings);
  const outer = outerOf(site, value);
  const parameters = value.parameters.map(({ primal, tangent }) => {
    const { definition, outer } = define(site, primal);
    // The parts of one result share the tangents of its parameters.
    const known = lowering.lowered.get(tangent);
    if (known) return { primal: definition, tangent: known.definition };
    const name = claim(lowering.taken, tangent.name);
    const standIn = newDefinition(
      site,
      name,
      primal.type as TensorType,
      outer,
      "helper",
      primal.span,
    );
    remember(lowering, tangent, { definition: standIn, outer });
    return { primal: definition, tangent: standIn };
  });
  const definition = materialiseOver(site, value.value, value.span, name, outer);
  const moved = claim(lowering.taken, `${name}_tangent`);
  const tangent = materialiseOver(site, value.tangent, value.tangent.span, moved, outer);
  const { surrogate, rule: span } = value;
  return { definition: { ...definition, rule: { parameters, tangent, surrogate, span } }, outer };
}

/**
 * A definition of an abstraction, with one clause, or of an array literal, with a clause for each
 * element.
 */
export function literalTensor(
  site: Site,
  value: Extract<Typed, { kind: "abstract" | "array" }>,
  span: Span,
  name: string,
): Lowered {
  const leaves = value.kind === "array" ? [...leavesOf(value, [])] : [];
  const outer = outerOf(site, value);
  const cellsOfLiteral = constantCells(leaves, value);
  if (cellsOfLiteral)
    return {
      definition: newDefinition(site, name, value.type, [], "literal", span, cellsOfLiteral),
      outer: [],
    };
  const definition = newDefinition(site, name, value.type, outer, "helper", span);
  if (value.kind === "abstract") {
    const { loops, inside } = enter(site, outer, definition);
    const guards = conditionsOf(inside, site.conditions);
    const here = new Map(inside.here);
    const own = value.binders.map((binder) =>
      heldTo(guards, loopOf({ ...inside, here }, binder, here)),
    );
    const rest = loopsOver({ ...inside, here }, value.type, own.length).map((loop) =>
      heldTo(guards, loop),
    );
    definition.clauses = [
      {
        loops: [...loops, ...own, ...rest],
        guards,
        body: bodyAt({ ...inside, here }, value.body, indicesOf(rest)),
        span: value.span,
      },
    ];
  } else {
    definition.clauses = leaves.map(({ path, leaf }): Clause => {
      const { loops, inside } = enter(site, outer, definition);
      const guards = conditionsOf(inside, site.conditions);
      const fixed = path.map((k): Loop => {
        const [from, to] = [integerScalar(constant(k)), integerScalar(constant(k + 1))];
        return { variable: variable("at"), from, to, reversed: false, fixed: true };
      });
      const rest = loopsOver(inside, value.type, path.length);
      return {
        loops: [...loops, ...fixed, ...rest],
        guards,
        body: { kind: "map", value: lowerAt(inside, leaf, indicesOf(rest)) },
        span: leaf.span,
      };
    });
  }
  return { definition, outer };
}

/** A Jacobian with some of the denominator's coordinates first. */
function turnedJacobian(
  site: Site,
  value: Extract<Typed, { kind: "request" }>,
  name: string,
): Lowered {
  const { whole, count } = value.turned!;
  const { definition: jacobian, outer } = requestDefinition(
    site,
    whole,
    claim(site.lowering.taken, name),
  );
  const known = knownAnswer(site, value, [jacobian]);
  if (known) return known;
  const turned = newDefinition(site, name, value.type, outer, "helper", value.span);
  const { loops, inside } = enter(site, outer, turned);
  const own = loopsOver(site, value.type, 0);
  const rows = count + (whole.numerator.type as TensorType).axes.length;
  const order = [...own.slice(count, rows), ...own.slice(0, count), ...own.slice(rows)];
  const indices = indicesOf([...loops, ...order]);
  const { element: type } = jacobian;
  const read: Scalar = { kind: "read", type, definition: jacobian, indices, span: value.span };
  const guards = conditionsOf(inside, site.conditions);
  turned.clauses = [
    { loops: [...loops, ...own], guards, body: { kind: "map", value: read }, span: value.span },
  ];
  return rememberAnswer(site, value, [jacobian], { definition: turned, outer });
}

/** The definition of a request or of its numerator, if it was made from the same parts. */
function knownAnswer(site: Site, value: Typed, from: Answered["from"]): Lowered | undefined {
  const known = site.lowering.requests.get(value);
  const isMadeFromSame =
    known?.from.length === from.length && known.from.every((each, k) => each === from[k]);
  return isMadeFromSame ? known : undefined;
}

function rememberAnswer(
  site: Site,
  value: Typed,
  from: Answered["from"],
  lowered: Lowered,
): Lowered {
  site.lowering.requests.set(value, { ...lowered, from });
  return lowered;
}

function numeratorDefinition(site: Site, numerator: Typed, name: string): Lowered {
  if (numerator.kind === "reference") return define(site, numerator.binding);
  if (numerator.kind === "request")
    return requestDefinition(site, numerator, claim(site.lowering.taken, name));
  const from = site.conditions.flatMap(({ value, holds }) => [value, holds]);
  const known = knownAnswer(site, numerator, from);
  if (known) return known;
  const lowered = materialise(
    site,
    numerator,
    numerator.span,
    claim(site.lowering.taken, "numerator"),
  );
  return rememberAnswer(site, numerator, from, lowered);
}

/** A definition that autodiff will fill with the answer to a request. */
export function requestDefinition(
  site: Site,
  value: Extract<Typed, { kind: "request" }>,
  name: string,
): Lowered {
  if (value.turned) return turnedJacobian(site, value, name);
  const wrt = define(site, value.denominator);
  const of = numeratorDefinition(site, value.numerator, name);
  const from = [of.definition, wrt.definition];
  const known = knownAnswer(site, value, from);
  if (known) return known;
  const { outer } = of;
  const unanswered = newDefinition(site, name, value.type, outer, "helper", value.span);
  const step = value.step === undefined ? {} : { step: outer.length + value.step };
  const shared = wrt.outer.map((v) => outer.indexOf(v));
  const isAround = shared.length > 0 && !shared.includes(-1);
  const isJacobian = value.jacobian || outer.length > wrt.outer.length;
  // Inside a recurrence, clauses that stand behind the request may have made the tensors longer
  // than they were when the request was checked: the extents are taken from the definitions.
  const others = of.definition.axes.filter((_, axis) => axis !== step.step);
  const own = wrt.definition.axes.slice(isAround ? wrt.outer.length : 0);
  const axes = value.step === undefined ? unanswered.axes : [...others, ...own];
  for (const { extent } of axes) needScalars({ ...site, needs: unanswered.needs }, extent);
  const definition: Definition = {
    ...unanswered,
    axes,
    request: {
      of: of.definition,
      wrt: wrt.definition,
      ...step,
      ...(isJacobian ? { jacobian: true } : {}),
      ...(isAround && (isJacobian || value.step !== undefined) ? { shared } : {}),
    },
  };
  return rememberAnswer(site, value, from, { definition, outer });
}

interface Leaf {
  readonly path: readonly number[];
  readonly leaf: Typed;
}

/** The elements of nested array literals with their positions. */
function* leavesOf(
  value: Extract<Typed, { kind: "array" }>,
  path: readonly number[],
): Generator<Leaf> {
  for (const [k, item] of value.elements.entries()) {
    if (item.kind === "array") yield* leavesOf(item, [...path, k]);
    else yield { path: [...path, k], leaf: item };
  }
}

/** The values of a literal, if all its elements are constants. */
function constantCells(leaves: readonly Leaf[], value: Typed): readonly Value[] | undefined {
  if (value.kind !== "array") return undefined;
  const type = decided(value.type.element);
  const found: Value[] = [];
  for (const { leaf } of leaves) {
    if (leaf.kind !== "constant") return undefined;
    found.push((literal(leaf.value, type) as Extract<Scalar, { kind: "constant" }>).value);
  }
  return found;
}
