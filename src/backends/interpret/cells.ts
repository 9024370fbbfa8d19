// Writes the cells of a definition as one JavaScript function of their position. It does what
// evaluate.ts does with closures, for definitions with many cells. Bounds, guards, the order of
// clauses and every fault are the same.

import type { Clause, Definition, Invocation, Loop, Scalar } from "../../ir/program.ts";
import { scalarsOf, sharedInvocations } from "../../ir/parts.ts";
import { reductionRow, type Accumulator } from "../../scalar/reductions.ts";
import type { Variable } from "../../affine/term.ts";
import { pinsOf } from "../../analyse/pins.ts";
import type { Tie } from "../../analyse/ties.ts";
import { calledFrom } from "./scalars/functions.ts";
import {
  evaluateText,
  newOutside,
  newWriter,
  type Outside,
  type Writer,
} from "./scalars/javascript.ts";
import type { Machine, Store } from "./machine.ts";
import { aroundTies, valueOrUndefined, finish, scatterTies, type Reduction } from "./reduce.ts";
import { readerOf } from "./read-cells.ts";

/** Computes one cell. */
export type Compute = (position: readonly number[]) => void;

/** Computes one cell of a definition, or a row: all cells along the last axis. */
export interface Computes {
  readonly cell: Compute;
  /** If a cell of the row fails, the position is left at that cell. */
  readonly row: (position: number[]) => void;
}

/** Fails for a cell that no clause has in its range. */
type NeverDefined = (position: readonly number[]) => never;

/**
 * The functions that compute the cells of a definition. The stores of everything that it reads must
 * be there.
 */
export function cellsText(
  machine: Machine,
  definition: Definition,
  store: Store,
  recurrent: boolean,
  neverDefined: NeverDefined,
): Computes {
  const outside = newOutside();
  const names = store.shape.map((_, axis) => `p${axis}`);
  const offset = offsetText(store);
  const write = (value: string): string => {
    const cell = store.value.dtype === "bool" ? `${value} ? 1 : 0` : value;
    const done = store.done ? `${outside.given(store.done)}[o] = 1;` : "";
    return `${outside.given(store.value.data)}[o] = ${cell}; ${done} return;`;
  };
  const valueText = (
    writer: Writer,
    variables: ReadonlyMap<Variable, string>,
    body: Clause["body"],
  ): string =>
    body.kind === "map"
      ? write(writer.text(body.value))
      : reductionText(machine, body, variables, outside, write);
  const scatters: string[] = [];
  const clauses = definition.clauses
    .map((clause, k) => {
      const ties = scatterTies(clause, recurrent);
      if (ties.length === 0 || clause.body.kind === "map")
        return clauseText(machine, clause, k, outside, (writer, variables) =>
          valueText(writer, variables, clause.body),
        );
      scatters.push(scatterText(machine, clause, clause.body, ties, store, k, outside));
      const { ended } = accumulation(machine, clause.body, outside);
      const cell = `(total${k} ??= scatter${k}())[o]`;
      return clauseText(machine, clause, k, outside, () => write(ended(cell)));
    })
    .reverse();
  const fallbacks = definition.clauses.map(({ otherwise, loops }, k) => {
    if (!otherwise) return "";
    const writer = writerIn(machine, outside, variableNames(loops, "p"), [otherwise]);
    const value = writer.text(otherwise);
    return `if (fallback === ${k}) { ${writer.declarations()} ${write(value)} }`;
  });
  const isHeld = definition.origin === "declared" && definition.outer === 0;
  const never = isHeld
    ? `if (fallback < 0) ${outside.given(neverDefined)}([${names.join(", ")}]);`
    : "";
  const done = store.done ? `${outside.given(store.done)}[o] = 1;` : "";
  const body = [
    `const o = ${offset}; let fallback = -1;`,
    ...clauses,
    never,
    ...fallbacks,
    done,
  ].join("\n");
  const cell = `const cell = (${names.join(", ")}) => {\n${body}\n};`;
  const text =
    `${scatters.join("\n")}\n${cell}\nreturn { cell: (P) => cell(...P), row: ` +
    `${rowText(store, names)} };`;
  return evaluateText(machine, outside, text) as Computes;
}

/**
 * The text of the loop over the last axis. Calling a function for each cell would take longer than
 * the computation of a small cell.
 */
function rowText({ shape }: Store, names: readonly string[]): string {
  const last = shape.length - 1;
  if (last < 0) return "() => cell()";
  const held = names.slice(0, last).map((name, axis) => `const ${name} = P[${axis}];`);
  const at = names[last]!;
  const walk = `for (; ${at} < ${shape[last]!}; ${at}++) cell(${names.join(", ")});`;
  return (
    `(P) => { ${held.join(" ")} let ${at} = 0; ` +
    `try { ${walk} } catch (fault) { P[${last}] = ${at}; throw fault; } }`
  );
}

function offsetText({ shape, strides }: Store): string {
  return shape.map((_, axis) => `p${axis} * ${strides[axis]!}`).join(" + ") || "0";
}

function variableNames(loops: readonly Loop[], letter: string): ReadonlyMap<Variable, string> {
  return new Map(loops.map((loop, k) => [loop.variable, `${letter}${k}`]));
}

function clauseText(
  machine: Machine,
  clause: Clause,
  k: number,
  outside: Outside,
  valueOf: (writer: Writer, variables: ReadonlyMap<Variable, string>) => string,
): string {
  const variables = variableNames(clause.loops, "p");
  const writer = writerIn(machine, outside, variables, scalarsOf(clause));
  const leave = `break clause${k};`;
  const ranges = clause.loops.map(
    (loop, axis) =>
      `if (p${axis} < ${writer.integer(loop.from)} || p${axis} >= ` +
      `${writer.integer(loop.to)}) ${leave}`,
  );
  const guards = clause.guards.map(
    (guard) => `if (!${writer.text(guard)}) { if (fallback < 0) fallback = ${k}; ${leave} }`,
  );
  const value = valueOf(writer, variables);
  return `clause${k}: { ${writer.declarations()} ${[...ranges, ...guards].join(" ")} ${value} }`;
}

/** The texts with which a reduction adds up its terms. */
interface Accumulation {
  readonly start: string;
  readonly step: (total: string, value: string, position: string) => string;
  readonly ended: (total: string) => string;
  /** An array of so many totals, each at its start. */
  readonly many: (count: number) => string;
}

/**
 * Sums and extremes of JavaScript's own types are added up in place; every other reduction steps
 * through an accumulator.
 */
function accumulation(machine: Machine, body: Reduction, outside: Outside): Accumulation {
  const type = machine.typeOf(body.value.type);
  const row = reductionRow(body.reduction);
  if (body.reduction === "sum" && (type === "f32" || type === "f64" || type === "i32")) {
    return {
      start: "0",
      step: (total, value) =>
        type === "i32"
          ? `${total} = (${total} + ${value}) | 0;`
          : `${total} = ${total} + ${value};`,
      ended: (total) => (type === "f32" ? `Math.fround(${total})` : total),
      many: (count) => `new ${type === "i32" ? "Int32Array" : "Float64Array"}(${count})`,
    };
  }
  const start = `${outside.given(() => row.start(type))}()`;
  const end = outside.given((accumulator: Accumulator) => finish(accumulator, body));
  const { reduction } = body;
  if (
    (reduction === "max" || reduction === "min") &&
    (type === "f32" || type === "f64" || type === "i32")
  ) {
    return {
      start: "undefined",
      step: (total, value) =>
        `const each = ${value}; ${total} = ${total} === undefined ? each : ` +
        `Math.${reduction}(${total}, each);`,
      ended: (total) => `(${total} ?? ${end}(${start}))`,
      many: (count) => `new Array(${count})`,
    };
  }
  return {
    start,
    step: (total, value, position) => `(${total} ??= ${start}).step(${value}, ${position});`,
    ended: (total) => `${end}(${total} ?? ${start})`,
    many: (count) => `new Array(${count})`,
  };
}

function loopText(name: string, from: string, to: string): string {
  return `for (let ${name} = ${from}, end_${name} = ${to}; ${name} < end_${name}; ${name}++) {`;
}

/**
 * A loop in which one position can count, as in `sum[p](v[p] where at[i] == p)`. If that position
 * is out of range, the first position is visited in its place, so that its guards are still tested.
 * If the position cannot be computed, all positions are visited.
 */
function pinnedText(name: string, from: string, to: string, only: string): string {
  const [first, end, pin] = [`from_${name}`, `end_${name}`, `pin_${name}`];
  const start = `${pin} > ${first} && ${pin} < ${end} ? ${pin} : ${first}`;
  const ranges =
    `let ${first} = ${from}, ${end} = ${to}, ${pin} = ${first} < ${end} ? ${only} : ` +
    `${first}, ${name} = ${start}`;
  const next = `${name} = ${pin} === undefined ? ${name} + 1 : ${end}`;
  return `for (${ranges}; ${name} < ${end}; ${next}) {`;
}

/** Nested loops. The bounds of a loop are computed for each position of the loops around it. */
function loopsText(
  machine: Machine,
  outside: Outside,
  variables: ReadonlyMap<Variable, string>,
  loops: readonly Loop[],
  pins: readonly (Scalar | undefined)[] = [],
): string {
  return loops
    .map((loop, k) => {
      const bounds = writerIn(machine, outside, variables, []);
      const [name, from, to] = [
        variables.get(loop.variable)!,
        bounds.integer(loop.from),
        bounds.integer(loop.to),
      ];
      const pin = pins[k];
      const only = pin && `${outside.given(valueOrUndefined)}(() => ${bounds.integer(pin)})`;
      return (
        `${bounds.declarations()} ` +
        (only ? pinnedText(name, from, to, only) : loopText(name, from, to))
      );
    })
    .join(" ");
}

function reductionText(
  machine: Machine,
  body: Reduction,
  around: ReadonlyMap<Variable, string>,
  outside: Outside,
  write: (value: string) => string,
): string {
  const variables = new Map([...around, ...variableNames(body.loops, "r")]);
  const inner = writerIn(machine, outside, variables, [...body.guards, body.value]);
  const { start, step, ended } = accumulation(machine, body, outside);
  const guard = body.guards.map((each) => inner.text(each)).join(" && ") || "true";
  const term = step("total", inner.text(body.value), body.loops.length > 0 ? "r0" : "0");
  const loops = loopsText(machine, outside, variables, body.loops, pinsOf(body.loops, body.guards));
  const walked =
    `${loops} ${inner.declarations()} if (${guard}) { ${term} } ` + "}".repeat(body.loops.length);
  return `{ let total = ${start}; ${walked} ${write(ended("total"))} }`;
}

/**
 * The text that computes all totals of a scatter, in the order in which a gather would meet the
 * terms of each cell.
 */
function scatterText(
  machine: Machine,
  clause: Clause,
  body: Reduction,
  ties: readonly Tie[],
  store: Store,
  k: number,
  outside: Outside,
): string {
  const variables = new Map([
    ...variableNames(clause.loops, "p"),
    ...variableNames(body.loops, "r"),
  ]);
  const tied = ties.map((tie) => clause.loops[tie.axis]!);
  const { first, rest } = aroundTies(clause, body, tied);
  const early = writerIn(machine, outside, variables, [
    ...first,
    ...ties.flatMap(({ from, to }) => [from, to]),
  ]);
  const late = writerIn(machine, outside, variables, [...rest, body.value]);
  const { many, step } = accumulation(machine, body, outside);
  const outer = [...clause.loops.filter((loop) => !tied.includes(loop)), ...body.loops];
  const tests = (writer: Writer, guards: readonly Scalar[]): string =>
    guards.map((guard) => writer.text(guard)).join(" && ") || "true";
  const inner = ties.map((tie) => {
    const own = clause.loops[tie.axis]!;
    const from = `Math.max(${early.integer(own.from)}, ${early.integer(tie.from)})`;
    const to = `Math.min(${early.integer(own.to)}, ${early.integer(tie.to)})`;
    return loopText(`p${tie.axis}`, from, to);
  });
  const guard = tests(early, first);
  const then = tests(late, rest);
  const term = step("T[o]", late.text(body.value), body.loops.length > 0 ? "r0" : "0");
  return [
    `let total${k}; const scatter${k} = () => { const T = ${many(store.value.data.length)};`,
    loopsText(machine, outside, variables, outer),
    `${early.declarations()} if (${guard}) {`,
    ...inner,
    `${late.declarations()} if (${then}) { const o = ${offsetText(store)}; ${term} }`,
    "}".repeat(inner.length + 1 + outer.length),
    "return T; };",
  ].join("\n");
}

function writerIn(
  machine: Machine,
  outside: Outside,
  variables: ReadonlyMap<Variable, string>,
  scalars: readonly Scalar[],
): Writer {
  return newWriter({
    machine,
    outside,
    variables,
    shared: sharedInvocations(scalars),
    call: (invocation: Invocation, given) =>
      `${outside.given(calledFrom(machine, invocation))}(${given.join(", ")})`,
    read: (scalar, indices, fresh) => readText(machine, outside, scalar, indices, fresh),
  });
}

/**
 * A read at indices inside the tensor. At other indices, the reader of the closures reports the
 * fault.
 */
function readText(
  machine: Machine,
  outside: Outside,
  scalar: Extract<Scalar, { kind: "read" }>,
  indices: readonly string[],
  fresh: () => string,
): string {
  const store = machine.stores.get(scalar.definition);
  const slow = outside.given(readerOf(machine, scalar));
  if (!store || store.window) return `${slow}(${indices.join(", ")})`;
  const names = indices.map(fresh);
  const taken = names.map((name, k) => `${name} = ${indices[k]!}`);
  const inside = names.map((name, k) => `${name} >= 0 && ${name} < ${store.shape[k]!}`);
  const at =
    names
      .map((name, k) => (store.strides[k] === 1 ? name : `${name} * ${store.strides[k]!}`))
      .join(" + ") || "0";
  if (store.done) inside.push(`${outside.given(store.done)}[${at}] === 1`);
  const cell = `${outside.given(store.value.data)}[${at}]`;
  const value = store.value.dtype === "bool" ? `${cell} !== 0` : cell;
  if (inside.length === 0) return `(${value})`;
  const choice = `${inside.join(" && ")} ? ${value} : ${slow}(${names.join(", ")})`;
  return `(${[...taken, choice].join(", ")})`;
}
