// What recursive functions print and assert on the way to their values: the effects of a call in
// order, each under its conditions.
//
//     fn f(n: i32) { print(n); if n > 0 { f(n - 1); } }
//
// A call that is made for its effects also gives its value, so nothing is computed twice. A call
// that comes last is a jump, so functions that call one another can print a million lines.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { keyOf } from "../../ir/keys.ts";
import { scalarsOfEffect } from "../../ir/parts.ts";
import type { FunctionEffect, HostAction, Invocation, ScalarFunction } from "../../ir/program.ts";
import { endsOf } from "../../lower/functions/tail-calls.ts";
import type { Scalar as Value } from "../../scalar/types.ts";
import {
  compiledFunction,
  generate,
  rememberCall,
  withinStack,
  type Acts,
  type Compiled,
  type Manner,
} from "./scalars/functions.ts";
import type { Writer } from "./scalars/javascript.ts";
import type { Machine } from "./machine.ts";

/** Hears what is printed. */
interface Listener {
  print: (text: string) => void;
}

interface Actors {
  readonly listener: Listener;
  readonly known: Map<ScalarFunction, Compiled>;
}

const actors = new WeakMap<Machine, Actors>();

/** Performs the effects of a call. */
export function perform(
  machine: Machine,
  { function: called, span }: Extract<HostAction, { kind: "call" }>,
  given: readonly Value[],
  print: (text: string) => void,
): void {
  const all = actors.get(machine) ?? {
    listener: { print },
    known: new Map<ScalarFunction, Compiled>(),
  };
  actors.set(machine, all);
  all.listener.print = print;
  if (!all.known.has(called)) generate(machine, called, all.known, acting(machine, all.listener));
  const value = withinStack(called, given, span, () => all.known.get(called)!(...given));
  rememberCall(machine, called, { given, value });
}

/**
 * Writes the text of functions with their effects. A function that is only asked for its value has
 * the other text, the one without effects.
 */
function acting(machine: Machine, listener: Listener): Manner {
  return {
    actsOf: (of) => actsOf(of, listener),
    elsewhere: (outside, invocation, { performed }) =>
      !invocation.function.effects || performed.has(invocation)
        ? undefined
        : outside.given((...given: Value[]) =>
            compiledFunction(machine, invocation.function)(...given),
          ),
  };
}

type CallEffect = Extract<FunctionEffect, { kind: "call" }>;

function actsOf(of: ScalarFunction, listener: Listener): Acts {
  const effects = of.effects ?? [];
  const calls = effects.filter((effect): effect is CallEffect => effect.kind === "call");
  const last = calls.filter(
    (call) =>
      isLast(call, effects.slice(effects.indexOf(call) + 1)) &&
      (of.results.length === 0 || isEnd(of, call)),
  );
  return {
    performed: new Set(calls.map(({ invocation }) => invocation)),
    last: new Set(last.map(({ invocation }) => invocation)),
    scalars: effects.flatMap(scalarsOfEffect),
    text: (writer, jump) =>
      effects
        // If the value of the last call is the value of the function, the call stands at the
        // function's end.
        .filter((effect) => of.results.length === 0 || !last.some((call) => call === effect))
        .map((effect) =>
          guardedText(effect, writer, stepText(effect, writer, listener, last, jump)),
        )
        .join(" "),
  };
}

function guardedText({ when }: FunctionEffect, writer: Writer, step: string): string {
  const conditions = when.map(
    ({ condition, holds }) => `${holds ? "" : "!"}${writer.text(condition)}`,
  );
  return conditions.length === 0 ? `{ ${step} }` : `if (${conditions.join(" && ")}) { ${step} }`;
}

function stepText(
  effect: FunctionEffect,
  writer: Writer,
  listener: Listener,
  last: readonly CallEffect[],
  jump: (last: Invocation) => string | undefined,
): string {
  const { given } = writer.outside;
  switch (effect.kind) {
    case "print": {
      const print = given((text: Value) => listener.print(String(text)));
      return `${print}(${writer.text(effect.text)});`;
    }
    case "assert": {
      const { span } = effect;
      const fail = given((said: Value) => {
        throw new Fault(
          error("E0905", said ? `assertion failed: ${String(said)}` : "assertion failed", span),
        );
      });
      return (
        `if (!${writer.text(effect.condition)}) ` +
        `${fail}(${effect.message ? writer.text(effect.message) : '""'});`
      );
    }
    case "call":
      return (
        (last.includes(effect) && jump(effect.invocation)) || `${writer.kept(effect.invocation)};`
      );
    default:
      return effect satisfies never;
  }
}

/**
 * Whether nothing happens after an effect: each later effect stands under the opposite outcome of
 * one of its conditions.
 */
function isLast({ when }: FunctionEffect, later: readonly FunctionEffect[]): boolean {
  return later.every((other) =>
    other.when.some(({ condition, holds }) =>
      when.some((own) => own.holds !== holds && keyOf(own.condition) === keyOf(condition)),
    ),
  );
}

/** Whether a function ends with the value of a call exactly where it makes that call. */
function isEnd({ results }: ScalarFunction, { invocation, when }: CallEffect): boolean {
  const outcomes = (list: FunctionEffect["when"]): string =>
    [...new Set(list.map(({ condition, holds }) => `${holds} ${keyOf(condition)}`))]
      .sort()
      .join("\n");
  const ends = endsOf(results).filter(({ call }) => call === invocation);
  return ends.length === 1 && outcomes(ends[0]!.when) === outcomes(when);
}
