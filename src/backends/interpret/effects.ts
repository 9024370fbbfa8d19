// What recursive functions print and assert, as JavaScript text beside their values: the effects of a call in order, each under its conditions.
// The last call of the function itself is a jump, and the last call of another one is handed back to be made when the function has returned, so
// that functions that call one another may print a million lines.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { keyOf } from "../../ir/keys.ts";
import {
  functionsFrom,
  scalarsOfEffect,
  sharedInvocations,
  type FunctionEffect,
  type HostAction,
  type ScalarFunction,
} from "../../ir/program.ts";
import type { Scalar as Value } from "../../ir/scalar/types.ts";
import { compiledFunction, withinStack } from "./functions.ts";
import { evaluateText, newOutside, newWriter, type Outside } from "./javascript.ts";
import type { Machine } from "./machine.ts";
import { readerOf } from "./scalars.ts";

/** Who hears what is printed. */
interface Listener {
  print: (text: string) => void;
}

/** Gives the call that is left to be made, if there is one. */
type Actor = (...given: readonly Value[]) => Left | undefined;
type Left = readonly [Actor, ...(readonly Value[])];

interface Actors {
  readonly listener: Listener;
  readonly known: Map<ScalarFunction, Actor>;
}

const actors = new WeakMap<Machine, Actors>();

/** Performs the effects of a call. */
export function perform(
  machine: Machine,
  { function: called, span }: Extract<HostAction, { kind: "call" }>,
  given: readonly Value[],
  print: (text: string) => void,
): void {
  const all = actors.get(machine) ?? { listener: { print }, known: new Map<ScalarFunction, Actor>() };
  actors.set(machine, all);
  all.listener.print = print;
  if (!all.known.has(called)) generate(machine, called, all);
  withinStack(called, given, span, () => act(all.known.get(called)!, ...given));
}

function act(actor: Actor, ...given: readonly Value[]): void {
  let left = actor(...given);
  while (left) {
    const [next, ...values] = left;
    left = next(...values);
  }
}

function generate(machine: Machine, wanted: ScalarFunction, { listener, known }: Actors): void {
  const acting = [...functionsFrom(wanted)].filter((each) => each.effects);
  const outside = newOutside();
  const print = outside.given((text: Value) => listener.print(String(text)));
  const whole = outside.given(act);
  const texts = acting.map((each, k) => `function e${k}${bodyText(machine, each, acting, outside, { print, whole })}`);
  const entries = acting.map((_, k) => `e${k}`).join(", ");
  const made = evaluateText(machine, outside, `${texts.join("\n")}\nreturn [${entries}];`) as readonly Actor[];
  for (const [k, each] of made.entries()) known.set(acting[k]!, each);
}

function bodyText(
  machine: Machine,
  of: ScalarFunction,
  acting: readonly ScalarFunction[],
  outside: Outside,
  { print, whole }: { readonly print: string; readonly whole: string },
): string {
  const effects = of.effects!;
  const writer = newWriter({
    machine,
    outside,
    variables: new Map(of.parameters.map((parameter, k) => [parameter.variable, `a${k}`])),
    shared: sharedInvocations(effects.flatMap(scalarsOfEffect)),
    call: ({ function: called }, given) => `${outside.given(lazily(machine, called))}(${given.join(", ")})`,
    read: (scalar, indices) => `${outside.given(readerOf(machine, scalar))}(${indices.join(", ")})`,
  });
  const doing = (effect: FunctionEffect, at: number): string => {
    switch (effect.kind) {
      case "print":
        return `${print}(${writer.text(effect.text)});`;
      case "assert": {
        const { span } = effect;
        const fail = outside.given((said: Value) => {
          throw new Fault(error("E0905", said ? `assertion failed: ${String(said)}` : "assertion failed", span));
        });
        return `if (!${writer.text(effect.condition)}) ${fail}(${effect.message ? writer.text(effect.message) : '""'});`;
      }
      case "call": {
        const { function: called, arguments: given } = effect.invocation;
        const texts = given.map(writer.text);
        const call = [`e${acting.indexOf(called)}`, ...texts].join(", ");
        if (!isLast(effect, effects.slice(at + 1))) return `${whole}(${call});`;
        if (called !== of) return `return [${call}];`;
        const next = texts.map((text, k) => `const t${k} = ${text};`).join(" ");
        return `${next} ${texts.map((_, k) => `a${k} = t${k};`).join(" ")} continue loop;`;
      }
      default:
        return effect satisfies never;
    }
  };
  const steps = effects.map((effect, at) => {
    const conditions = effect.when.map(({ condition, holds }) => `${holds ? "" : "!"}${writer.text(condition)}`);
    return conditions.length === 0
      ? `{ ${doing(effect, at)} }`
      : `if (${conditions.join(" && ")}) { ${doing(effect, at)} }`;
  });
  const parameters = of.parameters.map((_, k) => `a${k}`).join(", ");
  return `(${parameters}) { loop: for (;;) { ${writer.declarations()} ${steps.join(" ")} return; } }`;
}

/** A function that is compiled when it is first called. */
function lazily(machine: Machine, called: ScalarFunction): (...given: Value[]) => Value | readonly Value[] {
  return (...given) => compiledFunction(machine, called)(...given);
}

/** Whether nothing happens after an effect: what follows stands under the other outcome of one of its conditions. */
function isLast({ when }: FunctionEffect, later: readonly FunctionEffect[]): boolean {
  return later.every((other) =>
    other.when.some(({ condition, holds }) =>
      when.some((own) => own.holds !== holds && keyOf(own.condition) === keyOf(condition)),
    ),
  );
}
