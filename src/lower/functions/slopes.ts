// Derivatives inside functions: of scalars, by scalars and arrays that each call has its own of, or
// that lie around the function.

import { isSlope } from "../../check/calls/instances/instance-needs.ts";
import type { Request, Typed, ValueBinding } from "../../check/types/typed.ts";
import { decided, scalar as scalarType } from "../../check/types/types.ts";
import type { Span } from "../../base/source.ts";
import { zero } from "../../affine/term.ts";
import { takenAlong } from "./folds.ts";
import { outerIndices } from "../around.ts";
import { appendCells, noCells, addressAmong, addressOfCell } from "./cells.ts";
import { define, lower } from "../forms.ts";
import { declare, enclosing, type Lowered, type Site } from "../site.ts";
import { isMade } from "./made.ts";
import { outerVariables } from "../../check/ranges/outer-variables.ts";
import type { Definition, Local, Scalar } from "../../ir/program.ts";
import { literal } from "../../ir/simple-scalars.ts";
import { integerScalar } from "../../ir/substitute.ts";

/**
 * A cell of the answer to a request inside a function. Until autodiff has found the answer, it is a
 * local with a stand-in value. Undefined for requests that are answered outside.
 */
export function slopeAt(
  site: Site,
  request: Request,
  indices: readonly Scalar[],
): Scalar | undefined {
  if (!isSlope(request, enclosing(site))) return undefined;
  return request.type.axes.length > 0 ? slopeBy(site, request, indices) : slopeOf(site, request);
}

/** All cells of the answer, as one value. */
export function keptSlopes(site: Site, request: Request): Scalar {
  const { type, span } = request;
  return appendCells(site, type, span, noCells, (inside, indices) =>
    slopeBy(inside, request, indices),
  );
}

/** How a number moves with one cell of an array: the total at the address of the cell. */
function slopeBy(site: Site, request: Request, indices: readonly Scalar[]): Scalar {
  const { type, span } = request;
  const around = definitionAround(site, request);
  const place = around
    ? addressAmong(
        around.definition.axes.map(({ extent }) => integerScalar(extent)),
        [...outerIndices(site, around.outer), ...indices],
        span,
      )
    : addressOfCell(site, type, indices, span);
  const operands = [slopeOf(site, request), place];
  const layout = { kind: "tuple", members: [] } as const;
  return {
    kind: "data",
    type: decided(type.element),
    function: "total",
    operands,
    member: 0,
    layout,
  };
}

/**
 * How a number moves with another one, or with all cells of an array. The answer is found once,
 * where both are computed, and is taken along into loops.
 */
function slopeOf(site: Site, request: Request): Scalar {
  const { numerator, type, span } = request;
  const isArray = type.axes.length > 0;
  const element = isArray ? "data" : decided(type.element);
  const answerName = nameOfAnswer(request);
  const where = outermost(site, request);
  if (where !== site) declare(where, [answerName]);
  const taken = takenAlong(site, answerName, element, (around) => slopeOf(around, request));
  if (taken) return taken;
  let local = site.locals.get(answerName);
  if (!local) {
    const around = definitionAround(site, request);
    const named = referenceToDenominator(request);
    const by =
      around && isArray
        ? firstCell(around.definition, span)
        : isArray
          ? lower(site, { kind: "kept", of: named, type: scalarType("data"), span })
          : lower(site, named);
    const slope = { of: lower(site, numerator), by, around: around?.definition, span };
    const value: Scalar = isArray ? noCells : literal(0, element);
    site.locals.set(answerName, (local = { name: answerName.name, value, slope } satisfies Local));
  }
  return { kind: "local", type: element, local };
}

function referenceToDenominator({ denominator, span }: Request): Typed {
  return { kind: "reference", binding: denominator, type: denominator.type, span };
}

/** The denominator, if it is computed before the function is called. */
function definitionAround(site: Site, request: Request): Lowered | undefined {
  const { denominator } = request;
  const isOwn =
    isMade(site, referenceToDenominator(request)) ||
    (denominator.kind === "value" && denominator.parameter !== undefined);
  return isOwn ? undefined : define(site, denominator);
}

function firstCell(definition: Definition, span: Span): Scalar {
  const indices = definition.axes.map(() => integerScalar(zero));
  return { kind: "read", type: definition.element, definition, indices, span };
}

/**
 * The outermost loop, or the function around all loops, in which numerator and denominator are
 * still the same.
 */
function outermost(site: Site, request: Request): Site {
  const { within } = site;
  if (!within || within.own.has(request.denominator)) return site;
  const { around } = within;
  const inside = new Set([...site.here.keys()].filter((v) => !around.here.has(v)));
  return outerVariables([request], inside, site.lowering.checker.opaqueValue).length > 0
    ? site
    : outermost(around, request);
}

const namesOfAnswers = new WeakMap<Request, ValueBinding>();

/** The name of the answer to a request inside a function. */
function nameOfAnswer(request: Request): ValueBinding {
  const known = namesOfAnswers.get(request);
  if (known) return known;
  const { denominator, type, span } = request;
  const answerName: ValueBinding = {
    kind: "value",
    role: "part",
    name: `d_${denominator.name}`,
    span,
    type,
  };
  namesOfAnswers.set(request, answerName);
  return answerName;
}
