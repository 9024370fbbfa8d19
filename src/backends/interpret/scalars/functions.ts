// Compiles recursive functions as JavaScript text, once for each run. A tail call, of the function
// itself or of one that it calls in turn, is a jump: functions that tail-call one another share one
// loop.
//
//     fn f(n, k) { if n == 0 { k } else { f(n - 1, k + 1) } }   // runs as a loop
//
// A value that only some paths need is computed when it is first asked for. A function that prints
// has a second text, which performs its effects on the way to its value (effects.ts).

import { error, Fault } from "../../../diagnostics/diagnostic.ts";
import { isStackEnd } from "../../../diagnostics/stack-end.ts";
import { components } from "../../../base/components.ts";
import { sharedInvocations } from "../../../ir/parts.ts";
import type { Invocation, Scalar, ScalarFunction } from "../../../ir/program.ts";
import { functionsFrom } from "../../../ir/references.ts";
import {
  lookedAt,
  sharedBranch,
  sharedCall,
  tailCalls,
} from "../../../lower/functions/tail-calls.ts";
import { isFloat, type Scalar as Value } from "../../../scalar/types.ts";
import { evaluateText, newOutside, newWriter, type Outside, type Writer } from "./javascript.ts";
import { showScalar } from "../../../scalar/values/show.ts";
import type { Span } from "../../../base/source.ts";
import type { Machine } from "../machine.ts";
import type { Evaluate } from "./evaluators.ts";
import { readerOf } from "../read-cells.ts";
import { isTrapped, trappedCall } from "../trap-values.ts";

/**
 * A compiled function. It gives its result, or the list of its results if there are several or
 * none.
 */
export type Compiled = (...given: readonly Value[]) => Value | readonly Value[];

const compiled = new WeakMap<Machine, Map<ScalarFunction, Compiled>>();
const invoked = new WeakMap<Machine, Map<Invocation, () => Value | readonly Value[]>>();

/** Compiles one result of a call. All results of the call are computed together. */
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
  return invocation.function.results.length === 1
    ? all
    : () => (all() as readonly Value[])[member]!;
}

function invocationOf(
  machine: Machine,
  invocation: Invocation,
  compile: (scalar: Scalar) => Evaluate,
): () => Value | readonly Value[] {
  const given = invocation.arguments.map(compile);
  const call = onceForAllParts(machine, invocation);
  let tick = -1;
  let held: Value | readonly Value[] = 0;
  return () => {
    if (tick === machine.tick) return held;
    held = call(...given.map((argument) => argument()));
    tick = machine.tick;
    return held;
  };
}

/**
 * Computes a call once for all its results. Definitions that know nothing of one another ask for
 * the results one by one.
 */
function onceForAllParts(machine: Machine, invocation: Invocation): Compiled {
  const { function: called } = invocation;
  const call = calledFrom(machine, invocation);
  if (called.results.length < 2) return call;
  return (...given) => {
    const known = rememberedValue(machine, called, given);
    if (known !== undefined) return known;
    const value = call(...given);
    rememberCall(machine, called, { given, value });
    return value;
  };
}

/**
 * Calls a function on the values of its arguments. A recursion that is too deep is a fault of the
 * call.
 */
export function calledFrom(machine: Machine, { function: called, span }: Invocation): Compiled {
  const compute: Compiled = (...values) =>
    withinStack(called, values, span, () => compiledFunction(machine, called)(...values));
  return called.effects
    ? (...values) => rememberedValue(machine, called, values) ?? compute(...values)
    : compute;
}

interface CallValue {
  readonly given: readonly Value[];
  readonly value: Value | readonly Value[];
}

const rememberedCalls = new WeakMap<Machine, Map<ScalarFunction, CallValue[]>>();

/** How many calls of a function are remembered. */
const mostCalls = 16;

/**
 * Remembers the value of a call. Whoever asks for it again, or for another of its results, does not
 * compute it anew.
 */
export function rememberCall(machine: Machine, called: ScalarFunction, call: CallValue): void {
  const all = rememberedCalls.get(machine) ?? new Map<ScalarFunction, CallValue[]>();
  rememberedCalls.set(machine, all);
  all.set(called, [call, ...(all.get(called) ?? [])].slice(0, mostCalls));
}

function rememberedValue(
  machine: Machine,
  called: ScalarFunction,
  values: readonly Value[],
): Value | readonly Value[] | undefined {
  const calls = rememberedCalls.get(machine)?.get(called);
  return calls?.find(({ given }) => given.every((value, k) => Object.is(value, values[k])))?.value;
}

/** Runs a call, and reports a recursion that is too deep as a fault. */
export function withinStack<T>(
  called: ScalarFunction,
  values: readonly Value[],
  span: Span,
  run: () => T,
): T {
  try {
    return run();
  } catch (failure) {
    if (!isStackEnd(failure)) throw failure;
    const shown = values
      .flatMap((value, k) => {
        const { name, type } = called.parameters[k]!;
        return type === "data" ? [] : [`${name} = ${showScalar(type, value)}`];
      })
      .join(", ");
    throw new Fault(
      error("E0908", `the recursion of \`${called.name}\` is too deep`, span, {
        ...(shown ? { text: `called with ${shown}` } : {}),
        labels: [{ span: called.span, text: "it calls itself before it has its value" }],
        help:
          "carry the result along in a parameter and make the recursive call the last thing " +
          "the function does: that runs as a loop",
      }),
    );
  }
}

export function compiledFunction(machine: Machine, wanted: ScalarFunction): Compiled {
  const all = compiled.get(machine) ?? new Map<ScalarFunction, Compiled>();
  compiled.set(machine, all);
  if (!all.has(wanted)) generate(machine, wanted, all, valuesOnly);
  return all.get(wanted)!;
}

/** The effects of a function on the way to its value. */
export interface Acts {
  /** The calls that are made for their effects, each once. Their values are known afterwards. */
  readonly performed: ReadonlySet<Invocation>;
  /** The calls among them that are the last thing the function does. */
  readonly last: ReadonlySet<Invocation>;
  readonly scalars: readonly Scalar[];
  readonly text: (writer: Writer, jump: (last: Invocation) => string | undefined) => string;
}

/** Decides which of its two texts a function gets. */
export interface Manner {
  readonly actsOf: (of: ScalarFunction) => Acts;
  /** The text of a call that does not belong to the same generated text. */
  readonly elsewhere: (outside: Outside, invocation: Invocation, acts: Acts) => string | undefined;
}

const nothing: Acts = { performed: new Set(), last: new Set(), scalars: [], text: () => "" };

const valuesOnly: Manner = { actsOf: () => nothing, elsewhere: () => undefined };

/** Functions that tail-call one another. */
interface Group {
  readonly members: readonly ScalarFunction[];
  readonly name: string;
}

export function generate(
  machine: Machine,
  wanted: ScalarFunction,
  into: Map<ScalarFunction, Compiled>,
  manner: Manner,
): void {
  const functions = [...functionsFrom(wanted)];
  const tails = functions.map((each) => {
    const { performed, last } = manner.actsOf(each);
    const ends = tailCalls(each.results).filter((invocation) => !performed.has(invocation));
    return [...ends, ...last].map((invocation) => functions.indexOf(invocation.function));
  });
  const groups = components(functions.length, (k) => tails[k]!).map((group, k): Group => {
    return { members: group.map((member) => functions[member]!), name: `g${k}` };
  });
  const outside = newOutside();
  const text = groups.map((group) => groupText(machine, group, groups, outside, manner)).join("\n");
  const entries = functions.map((each) => {
    const names = each.parameters.map((_, k) => `a${k}`).join(", ");
    return `(${names}) => ${callText(
      groups,
      each,
      each.parameters.map((_, k) => `a${k}`),
    )}`;
  });
  const entriesCompiled = evaluateText(
    machine,
    outside,
    `${text}\nreturn [${entries.join(", ")}];`,
  ) as readonly Compiled[];
  for (const [k, each] of entriesCompiled.entries()) into.set(functions[k]!, each);
}

function callText(
  groups: readonly Group[],
  called: ScalarFunction,
  given: readonly string[],
): string {
  const group = groups.find(({ members }) => members.includes(called))!;
  const state = group.members.length > 1 ? [String(group.members.indexOf(called))] : [];
  return `${group.name}(${[...state, ...given].join(", ")})`;
}

function groupText(
  machine: Machine,
  group: Group,
  groups: readonly Group[],
  outside: Outside,
  manner: Manner,
): string {
  const { members, name } = group;
  const width = Math.max(...members.map((each) => each.parameters.length));
  const slots = Array.from({ length: width }, (_, k) => `a${k}`);
  const bodies = members.map((each) => bodyText(machine, each, group, groups, outside, manner));
  if (members.length === 1)
    return `function ${name}(${slots.join(", ")}) { loop: for (;;) { ${bodies[0]!} } }`;
  const cases = bodies.map((body, k) => `case ${k}: { ${body} }`).join("\n");
  return (
    `function ${name}(${["state", ...slots].join(", ")}) { loop: ` +
    `for (;;) { switch (state) { ${cases} } } }`
  );
}

function bodyText(
  machine: Machine,
  of: ScalarFunction,
  group: Group,
  groups: readonly Group[],
  outside: Outside,
  { actsOf, elsewhere }: Manner,
): string {
  const acts = actsOf(of);
  const names = new Map(of.parameters.map((parameter, k) => [parameter.variable, `a${k}`]));
  const writer = newWriter({
    machine,
    outside,
    variables: names,
    shared: new Set([...sharedInvocations([...of.results, ...acts.scalars]), ...acts.performed]),
    call: (invocation, given) => {
      const other = elsewhere(outside, invocation, acts);
      return other ? `${other}(${given.join(", ")})` : callText(groups, invocation.function, given);
    },
    read: (scalar, indices) => `${outside.given(readerOf(machine, scalar))}(${indices.join(", ")})`,
  });
  const known = lookedAt(of.results);
  const given = of.parameters.map((_, k) => `a${k}`);
  const watch = machine.trap === "nan" ? outside.given(watcherOf(of)) : undefined;
  const watched = (result: Scalar): string => {
    return watch && isFloat(result.type)
      ? `${watch}(${[writer.whole(result), ...given].join(", ")})`
      : writer.text(result);
  };
  const canJump = (invocation: Invocation): boolean =>
    group.members.includes(invocation.function) &&
    !known.has(invocation) &&
    (acts.performed.has(invocation)
      ? acts.last.has(invocation)
      : !elsewhere(outside, invocation, acts));
  const jumpTo = (jump: Invocation): string | undefined => {
    if (!canJump(jump)) return undefined;
    const given = jump.arguments
      .map((argument, k) => `const t${k} = ${writer.text(argument)};`)
      .join(" ");
    const moved = jump.arguments.map((_, k) => `a${k} = t${k};`).join(" ");
    const state =
      group.members.length > 1 ? `state = ${group.members.indexOf(jump.function)};` : "";
    return `{ ${given} ${moved} ${state} continue loop; }`;
  };
  const tail = (results: readonly Scalar[]): string => {
    const [first] = results;
    const branch = sharedBranch(results);
    if (branch)
      return (
        `if (${writer.text(branch.condition)}) { ${tail(branch.then)} } else ` +
        `{ ${tail(branch.otherwise)} }`
      );
    const jump = sharedCall(results);
    const jumpText = jump && jumpTo(jump);
    if (jumpText) return jumpText;
    if (jump && acts.performed.has(jump)) return `return ${writer.kept(jump)};`;
    if (jump && results.length > 1 && !known.has(jump)) return `return ${writer.invocation(jump)};`;
    return results.length === 1
      ? `return ${watched(first!)};`
      : `return [${results.map((result) => watched(result)).join(", ")}];`;
  };
  const effectsText = acts.text(writer, jumpTo);
  const body = tail(of.results);
  return `${writer.declarations()} ${effectsText} ${body}`;
}

/** Under a trap, looks at every result of a function, so that the innermost call is reported. */
function watcherOf({
  name,
  parameters,
  span,
}: ScalarFunction): (value: Value, ...given: readonly Value[]) => Value {
  return (value, ...given) => {
    if (!isTrapped(value)) return value;
    const shown = parameters.map(
      (parameter, k) => `${parameter.name} = ${showScalar(parameter.type, given[k]!)}`,
    );
    throw trappedCall(name, shown, value, span);
  };
}
