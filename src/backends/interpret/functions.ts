// Recursive functions as JavaScript text, compiled once for each run. A tail call, of the function itself or of one that it calls in turn,
// is a jump: functions that tail-call one another share one loop. What is only needed on some path is computed when it is first asked for.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { keyOf } from "../../autodiff/products.ts";
import { components } from "../../ir/components.ts";
import type { Atom, Term, Variable } from "../../ir/affine/term.ts";
import {
  eachScalar,
  functionsFrom,
  type Invocation,
  type Local,
  type Scalar,
  type ScalarFunction,
} from "../../ir/program.ts";
import { cast } from "../../ir/scalar/casts.ts";
import type { OperationName } from "../../ir/scalar/operations.ts";
import { roundTo } from "../../ir/scalar/round.ts";
import { isFloat, type ElementType, type Scalar as Value } from "../../ir/scalar/types.ts";
import { showScalar } from "../../host/show.ts";
import type { Machine } from "./machine.ts";
import { applied, readerOf, type Evaluate } from "./scalars.ts";

/** A compiled function: its result, or the list of them where there are several. */
type Compiled = (...given: readonly Value[]) => Value | readonly Value[];

const compiled = new WeakMap<Machine, Map<ScalarFunction, Compiled>>();
const invoked = new WeakMap<Machine, Map<Invocation, () => Value | readonly Value[]>>();

/** One result of a call; the other results of the same call come with it. */
export function compileCall(
  machine: Machine,
  { invocation, member }: Extract<Scalar, { kind: "call" }>,
  compile: (scalar: Scalar) => Evaluate,
): Evaluate {
  const known = invoked.get(machine) ?? new Map<Invocation, () => Value | readonly Value[]>();
  invoked.set(machine, known);
  let evaluate = known.get(invocation);
  if (!evaluate) known.set(invocation, (evaluate = invocationOf(machine, invocation, compile)));
  const all = evaluate;
  return invocation.function.results.length === 1 ? (all as Evaluate) : () => (all() as readonly Value[])[member]!;
}

function invocationOf(
  machine: Machine,
  invocation: Invocation,
  compile: (scalar: Scalar) => Evaluate,
): () => Value | readonly Value[] {
  const { function: called, span } = invocation;
  const given = invocation.arguments.map(compile);
  let tick = -1;
  let held: Value | readonly Value[] = 0;
  return () => {
    if (tick === machine.tick) return held;
    const values = given.map((argument) => argument());
    try {
      held = compiledFunction(machine, called)(...values);
    } catch (failure) {
      if (!isTooDeep(failure)) throw failure;
      const shown = values
        .map((value, k) => `${called.parameters[k]!.name} = ${showScalar(called.parameters[k]!.type, value)}`)
        .join(", ");
      throw new Fault(
        error("E0908", `the recursion of \`${called.name}\` is too deep`, span, {
          ...(shown ? { text: `called with ${shown}` } : {}),
          labels: [{ span: called.span, text: "it calls itself before it has its value" }],
          help: "carry the result along in a parameter and make the recursive call the last thing the function does: that runs as a loop",
        }),
      );
    }
    tick = machine.tick;
    return held;
  };
}

/** How engines say that their stack is full. */
function isTooDeep(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  return (failure instanceof RangeError && /stack/.test(failure.message)) || failure.name === "InternalError";
}

function compiledFunction(machine: Machine, wanted: ScalarFunction): Compiled {
  const all = compiled.get(machine) ?? new Map<ScalarFunction, Compiled>();
  compiled.set(machine, all);
  if (!all.has(wanted)) generate(machine, wanted, all);
  return all.get(wanted)!;
}

/** A group of functions that tail-call one another. */
interface Group {
  readonly members: readonly ScalarFunction[];
  readonly name: string;
}

function generate(machine: Machine, wanted: ScalarFunction, into: Map<ScalarFunction, Compiled>): void {
  const functions = [...functionsFrom(wanted)];
  const tails = functions.map((each) => tailCalls(each.results).map((called) => functions.indexOf(called)));
  const groups = components(functions.length, (k) => tails[k]!).map((group, k): Group => {
    return { members: group.map((member) => functions[member]!), name: `g${k}` };
  });
  const outside: unknown[] = [];
  const text = groups.map((group) => groupText(machine, group, groups, outside)).join("\n");
  const entries = functions.map((each) => {
    const names = each.parameters.map((_, k) => `a${k}`).join(", ");
    return `(${names}) => ${callText(
      groups,
      each,
      each.parameters.map((_, k) => `a${k}`),
    )}`;
  });
  // The text is made of the program's own operations and numbers; names from its source do not occur in it.
  // oxlint-disable-next-line typescript/no-implied-eval
  const made = new Function("$", "V", `"use strict";\n${text}\nreturn [${entries.join(", ")}];`) as (
    outside: readonly unknown[],
    values: readonly number[],
  ) => readonly Compiled[];
  for (const [k, each] of made(outside, machine.values).entries()) into.set(functions[k]!, each);
}

function callText(groups: readonly Group[], called: ScalarFunction, given: readonly string[]): string {
  const group = groups.find(({ members }) => members.includes(called))!;
  const state = group.members.length > 1 ? [String(group.members.indexOf(called))] : [];
  return `${group.name}(${[...state, ...given].join(", ")})`;
}

function groupText(machine: Machine, group: Group, groups: readonly Group[], outside: unknown[]): string {
  const { members, name } = group;
  const width = Math.max(...members.map((each) => each.parameters.length));
  const slots = Array.from({ length: width }, (_, k) => `a${k}`);
  const bodies = members.map((each) => bodyText(machine, each, group, groups, outside));
  if (members.length === 1) return `function ${name}(${slots.join(", ")}) { loop: for (;;) { ${bodies[0]!} } }`;
  const cases = bodies.map((body, k) => `case ${k}: { ${body} }`).join("\n");
  return `function ${name}(${["state", ...slots].join(", ")}) { loop: for (;;) { switch (state) { ${cases} } } }`;
}

function bodyText(
  machine: Machine,
  of: ScalarFunction,
  group: Group,
  groups: readonly Group[],
  outside: unknown[],
): string {
  const names = new Map(of.parameters.map((parameter, k) => [parameter.variable, `a${k}`]));
  const writer = newWriter(machine, names, groups, outside);
  const known = lookedAt(of.results);
  const tail = (results: readonly Scalar[]): string => {
    const [first] = results;
    const branch = sharedBranch(results);
    if (branch)
      return `if (${writer.text(branch.condition)}) { ${tail(branch.then)} } else { ${tail(branch.otherwise)} }`;
    const jump = sharedCall(results);
    if (jump && group.members.includes(jump.function) && !known.has(jump)) {
      const given = jump.arguments.map((argument, k) => `const t${k} = ${writer.text(argument)};`).join(" ");
      const moved = jump.arguments.map((_, k) => `a${k} = t${k};`).join(" ");
      const state = group.members.length > 1 ? `state = ${group.members.indexOf(jump.function)};` : "";
      return `{ ${given} ${moved} ${state} continue loop; }`;
    }
    if (jump && results.length > 1 && !known.has(jump)) return `return ${writer.invocation(jump)};`;
    return results.length === 1
      ? `return ${writer.text(first!)};`
      : `return [${results.map((result) => writer.text(result)).join(", ")}];`;
  };
  const body = tail(of.results);
  return `${writer.declarations()} ${body}`;
}

interface SharedBranch {
  readonly condition: Scalar;
  readonly then: readonly Scalar[];
  readonly otherwise: readonly Scalar[];
}

/** Results that are all chosen by one condition. */
function sharedBranch(results: readonly Scalar[]): SharedBranch | undefined {
  const choices = results.flatMap((result) => (result.kind === "select" ? [result] : []));
  const [first] = choices;
  if (!first || choices.length !== results.length) return undefined;
  const key = results.length > 1 ? keyOf(first.condition) : "";
  if (results.length > 1 && choices.some((choice) => keyOf(choice.condition) !== key)) return undefined;
  return {
    condition: first.condition,
    then: choices.map((choice) => choice.then),
    otherwise: choices.map((choice) => choice.otherwise),
  };
}

/** Results that are the results of one call, all of them in order; a name for one does not matter. */
function sharedCall(named: readonly Scalar[]): Invocation | undefined {
  const results = named.map((result) => {
    let at = result;
    while (at.kind === "local") at = at.local.value;
    return at;
  });
  const [first] = results;
  if (first?.kind !== "call" || first.invocation.function.results.length !== results.length) return undefined;
  const { invocation } = first;
  const isWhole = results.every(
    (each, k) => each.kind === "call" && each.invocation === invocation && each.member === k,
  );
  return isWhole ? invocation : undefined;
}

/** Calls whose values the function looks at: where it ends with one of them, the value is there already, and nothing is left to jump to. */
function lookedAt(results: readonly Scalar[]): ReadonlySet<Invocation> {
  const found = new Set<Invocation>();
  const note = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => void (part.kind === "call" && found.add(part.invocation)));
  const visit = (ends: readonly Scalar[]): void => {
    const branch = sharedBranch(ends);
    if (branch) {
      note(branch.condition);
      visit(branch.then);
      visit(branch.otherwise);
    } else (sharedCall(ends)?.arguments ?? ends).forEach(note);
  };
  visit(results);
  return found;
}

function tailCalls(results: readonly Scalar[]): readonly ScalarFunction[] {
  const branch = sharedBranch(results);
  if (branch) return [...tailCalls(branch.then), ...tailCalls(branch.otherwise)];
  const call = sharedCall(results);
  return call ? [call.function] : [];
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────

interface Writer {
  readonly text: (scalar: Scalar) => string;
  readonly invocation: (invocation: Invocation) => string;
  readonly declarations: () => string;
}

const infix: Partial<Record<OperationName, string>> = {
  equal: "===",
  notEqual: "!==",
  less: "<",
  lessEqual: "<=",
  greater: ">",
  greaterEqual: ">=",
};

const arithmetic: Partial<Record<OperationName, string>> = { add: "+", subtract: "-", multiply: "*", divide: "/" };

function newWriter(
  machine: Machine,
  parameters: ReadonlyMap<Variable, string>,
  groups: readonly Group[],
  outside: unknown[],
): Writer {
  const locals = new Map<Local, string>();
  const calls = new Map<Invocation, string>();
  const declared: string[] = [];
  const fresh = (): string => {
    const name = `v${declared.length}`;
    declared.push(name);
    return name;
  };
  const given = (value: unknown): string => `$[${outside.push(value) - 1}]`;

  const term = ({ constant, parts }: Term): string => {
    const texts = parts.map((part) => [String(part.coefficient), ...part.factors.map(atom)].join(" * "));
    return `(${[String(constant), ...texts].join(" + ")})`;
  };
  const atom = (of: Atom): string => {
    switch (of.kind) {
      case "variable":
        return parameters.get(of.variable) ?? `V[${machine.slotOf(of.variable)}]`;
      case "floor":
        return `Math.floor(${term(of.dividend)} / ${term(of.divisor)})`;
      case "min":
      case "max":
        return `Math.${of.kind}(${of.members.map(term).join(", ")})`;
      default:
        return of satisfies never;
    }
  };
  const invocation = (of: Invocation): string => callText(groups, of.function, of.arguments.map(text));
  const text = (scalar: Scalar): string => {
    switch (scalar.kind) {
      case "constant":
        return constantText(machine.typeOf(scalar.type), scalar.value);
      case "integer":
        return `(${term(scalar.term)} | 0)`;
      case "parameter":
        return parameters.get(scalar.parameter.variable)!;
      case "read":
        return `${given(readerOf(machine, scalar))}(${scalar.indices.map((index) => `Number(${text(index)})`).join(", ")})`;
      case "select":
        return `(${text(scalar.condition)} ? ${text(scalar.then)} : ${text(scalar.otherwise)})`;
      case "local": {
        let name = locals.get(scalar.local);
        if (!name) locals.set(scalar.local, (name = fresh()));
        return `(${name} ??= ${text(scalar.local.value)})`;
      }
      case "call": {
        if (scalar.invocation.function.results.length === 1) return invocation(scalar.invocation);
        let name = calls.get(scalar.invocation);
        if (!name) calls.set(scalar.invocation, (name = fresh()));
        return `(${name} ??= ${invocation(scalar.invocation)})[${scalar.member}]`;
      }
      case "cast": {
        const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
        if (from === to) return text(scalar.operand);
        return `${given((value: Value) => cast(from, to, value))}(${text(scalar.operand)})`;
      }
      case "apply": {
        const operands = scalar.operands.map(text);
        const [a, b] = operands;
        if (scalar.operation === "and") return `(${a} && ${b})`;
        if (scalar.operation === "or") return `(${a} || ${b})`;
        if (scalar.operation === "not") return `(!${a})`;
        const comparison = infix[scalar.operation];
        if (comparison) return `(${a} ${comparison} ${b})`;
        const fast = fastText(scalar.operation, machine.typeOf(scalar.within), a!, b);
        return fast ?? `${given(applied(machine, scalar))}(${operands.join(", ")})`;
      }
      default:
        return scalar satisfies never;
    }
  };
  return { text, invocation, declarations: () => (declared.length > 0 ? `let ${declared.join(", ")};` : "") };
}

/** The operations that JavaScript has itself, on the types that it has itself. */
function fastText(operation: OperationName, type: ElementType, a: string, b: string | undefined): string | undefined {
  const symbol = arithmetic[operation];
  if (type === "i32" && symbol && b !== undefined && operation !== "divide")
    return operation === "multiply" ? `Math.imul(${a}, ${b})` : `(${a} ${symbol} ${b} | 0)`;
  if (symbol && b !== undefined && type === "f64") return `(${a} ${symbol} ${b})`;
  if (symbol && b !== undefined && type === "f32") return `Math.fround(${a} ${symbol} ${b})`;
  if (operation === "negate" && type === "i32") return `(-${a} | 0)`;
  return operation === "negate" && (type === "f32" || type === "f64") ? `(-${a})` : undefined;
}

function constantText(type: ElementType, value: Value): string {
  if (typeof value === "bigint") return `(${value}n)`;
  if (typeof value !== "number") return JSON.stringify(value);
  const rounded = isFloat(type) ? roundTo(type, value) : value;
  return Object.is(rounded, -0) ? "(-0)" : `(${rounded})`;
}
