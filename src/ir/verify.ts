// The rules of well-formed IR, and the check of them. A pass that breaks a rule has a bug, whatever
// its program computes.
//
//   names       no two definitions have the same name: passes compare reads by it
//   clauses     inputs, literals and unanswered requests have none, all others have at least one
//   literals    extents are numbers, and there are as many cells as they say, each a value of the
//               element type
//   loops       a clause has one for each axis of its definition, in the order of the axes; the
//               `outer` ones are axes too
//   binding     no coordinate is bound twice in a program; a variable in a term is a coordinate of
//               a loop around it, an extent that an input decides, or a scalar of the program; the
//               extent of an axis mentions no coordinate
//   reads       as many indices as the definition has axes, all of them integers
//   types       every operation, reduction, cast and choice has operands that it accepts and the
//               type that follows; guards and conditions are bools, bounds are integers, cells have
//               the element type of their definition
//   locals      a local does not use itself
//   functions   a function has results; the parameters inside it are its own
//   ragged      the length of a row is a term in the positions along all outer axes
//   needs       a scalar whose value a definition's extents or terms use is among its `needs`, and
//               is an integer of rank 0
//   host        inputs have the origin "input" and are listed, assertions are bools of rank 0

import { constantOf, type Term, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { rootsOf } from "./roots.ts";
import { partsOf, scalarsOf } from "./parts.ts";
import type {
  Clause,
  Definition,
  Local,
  Loop,
  Parameter,
  Program,
  Ragged,
  Scalar,
  ScalarFunction,
} from "./program.ts";
import { functionsFrom, readsOfFunction } from "./references.ts";
import { textRow } from "../scalar/texts.ts";
import { castAllowed } from "../scalar/casts.ts";
import { operations, typeOperation } from "../scalar/operations.ts";
import { typeReduction } from "../scalar/reductions.ts";
import {
  integerBounds,
  isFloat,
  isInteger,
  type ElementType,
  type Scalar as Value,
} from "../scalar/types.ts";

/** The complaints about a program, each with the definition and the rule that it breaks. */
export function verify(program: Program): string[] {
  const complaints: string[] = [];
  const definitions = definitionsOf(program);
  const outside = outsideVariables(program);
  const bound = new Map<Variable, Definition>();
  const names = new Map<string, Definition>();
  for (const definition of definitions) {
    const say: Say = (rule, text) =>
      void complaints.push(`\`${definition.name}\` breaks the rule of ${rule}: ${text}`);
    if (names.has(definition.name)) say("names", "another definition has this name");
    names.set(definition.name, definition);
    verifyShape(program, definition, outside, say);
    for (const clause of definition.clauses)
      verifyClause({ program, definition, outside, bound, say }, clause);
  }
  for (const each of functionsOf(definitions)) verifyFunction(program, each, outside, complaints);
  verifyHost(program, definitions, complaints);
  return complaints;
}

type Say = (rule: string, text: string) => void;

/** Where a clause of a definition or a result of a function is verified. */
interface Site {
  readonly program: Program;
  readonly definition: Pick<Definition, "name" | "element" | "axes" | "needs">;
  /** The parameters, inside a function. */
  readonly parameters?: readonly Parameter[];
  /** Variables that every term may mention. */
  readonly outside: ReadonlySet<Variable>;
  /** Coordinates that loops have bound so far, anywhere in the program. */
  readonly bound: Map<Variable, { readonly name: string }>;
  readonly say: Say;
}

/** Dimensions, extents of inputs, and scalars that terms use by name. */
function outsideVariables(program: Program): ReadonlySet<Variable> {
  const pinned = program.inputs.flatMap((input) =>
    input.axes.flatMap((axis) => [...variablesOf(axis.extent)]),
  );
  return new Set([...program.dimensions.values(), ...program.scalars.keys(), ...pinned]);
}

// ── definitions ─────────────────────────────────────────────────────────────────────────────────

/**
 * All definitions that a program can reach. The walk visits each local once, because a malformed
 * program may have locals that use themselves.
 */
function definitionsOf(program: Program): readonly Definition[] {
  const found = new Set<Definition>([...program.inputs, ...rootsOf(program)]);
  for (const definition of found) {
    for (const need of definition.needs) found.add(need);
    const locals = new Set<Local>();
    const visit = (scalar: Scalar): void => {
      if (scalar.kind === "read") found.add(scalar.definition);
      if (scalar.kind === "call")
        for (const read of readsOfFunction(scalar.invocation.function)) found.add(read);
      if (scalar.kind === "local") {
        if (locals.has(scalar.local)) return;
        locals.add(scalar.local);
      }
      partsOf(scalar).forEach(visit);
    };
    for (const clause of definition.clauses) scalarsOf(clause).forEach(visit);
  }
  return [...found];
}

/** All functions that definitions call, directly or not. */
function functionsOf(definitions: readonly Definition[]): ReadonlySet<ScalarFunction> {
  const found = new Set<ScalarFunction>();
  const locals = new Set<Local>();
  const visit = (scalar: Scalar): void => {
    if (scalar.kind === "call")
      for (const each of functionsFrom(scalar.invocation.function)) found.add(each);
    if (scalar.kind === "local") {
      if (locals.has(scalar.local)) return;
      locals.add(scalar.local);
    }
    partsOf(scalar).forEach(visit);
  };
  for (const definition of definitions)
    for (const clause of definition.clauses) for (const scalar of scalarsOf(clause)) visit(scalar);
  return found;
}

function verifyFunction(
  program: Program,
  called: ScalarFunction,
  outside: ReadonlySet<Variable>,
  complaints: string[],
): void {
  const { name, parameters, results, needs } = called;
  const say: Say = (rule, text) =>
    void complaints.push(`\`${name}\` breaks the rule of ${rule}: ${text}`);
  if (results.length === 0 && !called.effects) say("functions", "it has no result");
  const around = new Set(parameters.map((parameter) => parameter.variable));
  if (around.size !== parameters.length) say("functions", "two parameters are one variable");
  for (const result of results) {
    const definition = { name, element: result.type, axes: [], needs };
    verifyScalar(
      { program, definition, parameters, outside, bound: new Map(), say },
      result,
      around,
    );
  }
}

function verifyShape(
  program: Program,
  definition: Definition,
  outside: ReadonlySet<Variable>,
  say: Say,
): void {
  for (const [axis, { extent, ragged }] of definition.axes.entries()) {
    const where = `the extent of axis ${axis}`;
    verifyTerm(program, definition, extent, where, (v) => outside.has(v), say);
    if (ragged) verifyRagged(definition, axis, ragged, outside, say);
  }
  if (definition.outer < 0 || definition.outer > definition.axes.length)
    say("loops", `${definition.outer} of ${definition.axes.length} axes are outer ones`);
  const given = definition.origin === "input" || definition.origin === "literal";
  if (given && definition.clauses.length > 0)
    say("clauses", `its origin is "${definition.origin}", so it has none`);
  if (!given && !definition.request && definition.clauses.length === 0)
    say("clauses", "it has none");
  if ((definition.origin === "literal") !== (definition.cells !== undefined)) {
    say(
      "literals",
      definition.cells ? `it has cells and the origin "${definition.origin}"` : "it has no cells",
    );
  }
  if (definition.origin === "literal" && definition.cells)
    verifyCells(definition, definition.cells, say);
}

function verifyRagged(
  definition: Definition,
  axis: number,
  { around, extent }: Ragged,
  outside: ReadonlySet<Variable>,
  say: Say,
): void {
  if (axis < definition.outer) say("ragged", `axis ${axis} is an outer one`);
  if (around.length !== definition.outer)
    say(
      "ragged",
      `axis ${axis} has ${around.length} positions around it for ${definition.outer} outer axes`,
    );
  const named = new Set(around);
  const stray = extent && [...variablesOf(extent)].find((v) => !named.has(v) && !outside.has(v));
  if (stray)
    say(
      "ragged",
      `axis ${axis} ends at a term of \`${stray.name}\`, which is no position around it`,
    );
}

function verifyCells(definition: Definition, cells: readonly Value[], say: Say): void {
  let size = 1;
  for (const [axis, { extent }] of definition.axes.entries()) {
    const fixed = constantOf(extent);
    if (fixed === undefined) return say("literals", `the extent of axis ${axis} is no number`);
    size *= fixed;
  }
  if (cells.length !== size) say("literals", `it has ${cells.length} cells for ${size} positions`);
  const wrong = cells.findIndex((cell) => !isValue(definition.element, cell));
  if (wrong >= 0) say("literals", `cell ${wrong} is no ${definition.element}`);
}

/** Whether a value of the host has an element type. Floats need not be rounded yet. */
function isValue(type: ElementType, value: Value): boolean {
  if (type === "bool") return typeof value === "boolean";
  if (type === "str") return typeof value === "string";
  if (type === "data") return typeof value === "object";
  if (isFloat(type)) return typeof value === "number";
  if (type === "i64") return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
  const { least, greatest } = integerBounds[type];
  return (
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= greatest
  );
}

function verifyTerm(
  program: Program,
  definition: Pick<Definition, "name" | "needs">,
  term: Term,
  where: string,
  known: (v: Variable) => boolean,
  say: Say,
): void {
  for (const v of variablesOf(term)) {
    if (!known(v)) say("binding", `${where} mentions \`${v.name}\`, which nothing around it binds`);
    const scalar = program.scalars.get(v);
    if (!scalar) continue;
    // The value of an input is known before anything is computed, so an input need not list itself.
    if (scalar !== definition && !definition.needs.has(scalar))
      say("needs", `${where} uses the value of \`${scalar.name}\`, which is not among them`);
    if (scalar.axes.length > 0 || !isInteger(scalar.element))
      say("needs", `\`${scalar.name}\` is used as a number and is no integer scalar`);
  }
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────

function verifyClause(site: Site, clause: Clause): void {
  const { definition, say } = site;
  if (clause.loops.length !== definition.axes.length) {
    say("loops", `a clause has ${clause.loops.length} for ${definition.axes.length} axes`);
  }
  const around = enter(site, clause.loops, new Set());
  for (const guard of clause.guards) verifyGuard(site, guard, around);
  if (clause.otherwise)
    verifyCell(site, clause.otherwise, around, "the value of cells that no clause owns");
  const { body } = clause;
  if (body.kind === "map") {
    verifyCell(site, body.value, around, "a cell");
    return;
  }
  const inside = enter(site, body.loops, around);
  for (const guard of body.guards) verifyGuard(site, guard, inside);
  verifyScalar(site, body.value, inside);
  const result = typeReduction(body.reduction, body.value.type);
  if (result === undefined)
    say("types", `\`${body.reduction}\` does not reduce ${body.value.type}`);
  else if (result !== definition.element)
    say("types", `\`${body.reduction}\` gives ${result} for a cell of ${definition.element}`);
  if ((body.reduction === "argmax" || body.reduction === "argmin") && body.loops.length === 0) {
    say(
      "loops",
      `\`${body.reduction}\` gives the position along its first coordinate, here is none`,
    );
  }
}

/** Binds loops one after the other. The bounds of a loop may use the loops before it. */
function enter(
  site: Site,
  loops: readonly Loop[],
  around: ReadonlySet<Variable>,
): ReadonlySet<Variable> {
  const inside = new Set(around);
  for (const loop of loops) {
    for (const bound of [loop.from, loop.to]) {
      verifyScalar(site, bound, inside);
      if (!isInteger(bound.type))
        site.say("types", `a bound of \`${loop.variable.name}\` is ${bound.type}`);
    }
    const other = site.bound.get(loop.variable);
    if (other)
      site.say("binding", `\`${loop.variable.name}\` is bound here and in \`${other.name}\``);
    if (site.outside.has(loop.variable))
      site.say("binding", `\`${loop.variable.name}\` is bound here and is known outside`);
    site.bound.set(loop.variable, site.definition);
    inside.add(loop.variable);
  }
  return inside;
}

function verifyGuard(site: Site, guard: Scalar, around: ReadonlySet<Variable>): void {
  verifyScalar(site, guard, around);
  if (guard.type !== "bool") site.say("types", `a guard is ${guard.type}`);
}

function verifyCell(site: Site, value: Scalar, around: ReadonlySet<Variable>, what: string): void {
  verifyScalar(site, value, around);
  if (value.type !== site.definition.element)
    site.say("types", `${what} is ${value.type}, the definition has ${site.definition.element}`);
}

// ── scalars ─────────────────────────────────────────────────────────────────────────────────────

const verified = new WeakMap<ReadonlySet<Variable>, Set<Local>>();

function verifyScalar(
  site: Site,
  scalar: Scalar,
  around: ReadonlySet<Variable>,
  within: ReadonlySet<Local> = new Set(),
): void {
  const { program, definition, outside, say } = site;
  if (scalar.kind === "local" && within.has(scalar.local))
    return say("locals", `\`${scalar.local.name}\` uses itself`);
  const inside = scalar.kind === "local" ? new Set([...within, scalar.local]) : within;
  // A local is verified once for each set of coordinates around it.
  const sound = verified.get(around) ?? new Set<Local>();
  if (!(scalar.kind === "local" && sound.has(scalar.local)))
    for (const part of partsOf(scalar)) verifyScalar(site, part, around, inside);
  if (scalar.kind === "local") verified.set(around, sound.add(scalar.local));
  switch (scalar.kind) {
    case "constant":
      if (!isValue(scalar.type, scalar.value))
        say("types", `the constant ${String(scalar.value)} is no ${scalar.type}`);
      return;
    case "integer":
      return verifyTerm(
        program,
        definition,
        scalar.term,
        "a term",
        (v) => around.has(v) || outside.has(v),
        say,
      );
    case "read":
      return verifyRead(scalar, say);
    case "apply":
      return verifyApplication(scalar, say);
    case "cast":
      if (!castAllowed(scalar.operand.type, scalar.type))
        say("types", `there is no cast from ${scalar.operand.type} to ${scalar.type}`);
      return;
    case "select":
      if (scalar.condition.type !== "bool") say("types", `a condition is ${scalar.condition.type}`);
      if (scalar.then.type !== scalar.type || scalar.otherwise.type !== scalar.type) {
        say(
          "types",
          `a choice of ${scalar.type} is between ${scalar.then.type} and ${scalar.otherwise.type}`,
        );
      }
      return;
    case "local":
      if (scalar.local.value.type !== scalar.type)
        say("types", `\`${scalar.local.name}\` is ${scalar.local.value.type}, not ${scalar.type}`);
      return;
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      const types = (list: readonly { readonly type: ElementType }[]): string =>
        list.map(({ type }) => type).join();
      if (types(given) !== types(called.parameters))
        say("types", `\`${called.name}\` takes ${types(called.parameters)}, not ${types(given)}`);
      if (called.results[scalar.member]?.type !== scalar.type)
        say("types", `result ${scalar.member} of \`${called.name}\` is no ${scalar.type}`);
      return;
    }
    case "text": {
      const wanted = textRow(scalar.function);
      if (wanted.result !== scalar.type)
        say("types", `\`${scalar.function}\` gives ${wanted.result}, not ${scalar.type}`);
      return;
    }
    case "data": {
      const { operands, function: name } = scalar;
      const given = operands.map(({ type }) => type).join();
      if (!isDataFunction(scalar, given))
        say("types", `\`${name}\` of (${given}) gives ${scalar.type}`);
      return;
    }
    case "parameter": {
      const { parameter } = scalar;
      const own = site.parameters?.find((each) => each.variable === parameter.variable);
      if (own?.type === scalar.type) return;
      if (own)
        return say("types", `the parameter \`${own.name}\` is ${own.type}, not ${scalar.type}`);
      return say("binding", `the parameter \`${parameter.name}\` stands outside of its function`);
    }
    default:
      scalar satisfies never;
  }
}

/** Whether values of a type have cotangents: floats do, and data may hold some. */
function moves(type: ElementType): boolean {
  return isFloat(type) || type === "data";
}

/** Whether a function of data has the operands and the type that it must have. */
function isDataFunction(
  { function: name, operands, type, stop }: Extract<Scalar, { kind: "data" }>,
  given: string,
): boolean {
  switch (name) {
    case "box":
      return operands.length > 0 && type === "data";
    case "part":
      return given === "data";
    case "same":
      return given === "data,data" && type === "bool";
    case "show":
      return (
        given.split(",").every((each, k) => each === (k === 0 ? "data" : "i32")) && type === "str"
      );
    case "append":
      return /^data,\w+(,i32)?$/.test(given) && type === "data";
    case "cell":
      return given === "data,i32";
    case "slice":
      return given === "data,i32,i32" && type === "data";
    case "size":
      return given === "data" && type === "i32";
    case "add":
      return (
        operands.length === 3 &&
        given.startsWith("data,i32,") &&
        moves(operands[2]!.type) &&
        type === "data"
      );
    case "total":
      return given === "data,i32" && moves(type);
    case "put":
      return operands.length % 2 === 1 && given.startsWith("data,i32,") && type === "data";
    case "join":
      return (
        /^data,data(,\w+)?$/.test(given) &&
        (!operands[2] || isFloat(operands[2].type)) &&
        type === "data"
      );
    case "shift":
      return given === "data,i32" && type === "data";
    case "hold":
      return (
        operands.length === 3 &&
        given.startsWith("data,i32,") &&
        isFloat(operands[2]!.type) &&
        type === "data"
      );
    case "held":
      return given === `data,i32,${type}` && isFloat(type);
    case "stop":
      return stop !== undefined && operands.every((operand) => operand.type === "i32");
    default:
      return name satisfies never;
  }
}

function verifyRead(scalar: Extract<Scalar, { kind: "read" }>, say: Say): void {
  const { definition, indices } = scalar;
  if (indices.length !== definition.axes.length) {
    say(
      "reads",
      `\`${definition.name}\` has rank ${definition.axes.length} and is read with ` +
        `${indices.length} indices`,
    );
  }
  for (const index of indices)
    if (!isInteger(index.type)) say("reads", `an index of \`${definition.name}\` is ${index.type}`);
  if (scalar.type !== definition.element)
    say("types", `\`${definition.name}\` has ${definition.element} and is read as ${scalar.type}`);
}

function verifyApplication(scalar: Extract<Scalar, { kind: "apply" }>, say: Say): void {
  const { operation } = scalar;
  const types = scalar.operands.map((operand) => operand.type);
  const result = typeOperation(operation, types);
  if ("problem" in result)
    return say("types", `\`${operation}\` does not take ${types.join(", ") || "nothing"}`);
  if (result.type !== scalar.type)
    say("types", `\`${operation}\` gives ${result.type}, not ${scalar.type}`);
  const slots: readonly string[] = operations[operation].signature.operands;
  const computed = types[Math.max(slots.indexOf("T"), 0)]!;
  if (scalar.within !== computed)
    say("types", `\`${operation}\` computes in ${computed}, not ${scalar.within}`);
}

// ── the host ────────────────────────────────────────────────────────────────────────────────────

function verifyHost(
  program: Program,
  definitions: readonly Definition[],
  complaints: string[],
): void {
  const say = (definition: Definition, text: string): void =>
    void complaints.push(`\`${definition.name}\` breaks the rule of host: ${text}`);
  for (const input of program.inputs)
    if (input.origin !== "input")
      say(input, `it is listed as an input with the origin "${input.origin}"`);
  for (const definition of definitions) {
    if (definition.origin === "input" && !program.inputs.includes(definition))
      say(definition, "it is an input that is not listed");
  }
  for (const action of program.actions) {
    if (action.kind !== "assert") continue;
    const { condition } = action;
    if (condition.axes.length > 0 || condition.element !== "bool")
      say(condition, "it is asserted and is no bool scalar");
  }
}
