// Records a run of a program with fixed sizes as a built program: what kernels are called with, and what is done between the calls.

import { vectorConstants, isInMemory, sharedMemory } from "../backends/wasm/arena.ts";
import { kernelAbilities, kernels } from "../backends/wasm/engine.ts";
import { recordedBy, type Move, type RecordedKernel, type Recorder } from "../backends/wasm/recording.ts";
import { release } from "../backends/wasm/kept.ts";
import { newMachine } from "../backends/interpret/machine.ts";
import { defaultMaxBytes, pinInputs } from "../backends/interpret/run.ts";
import { newEngine, unitsOf } from "../backends/order.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Parts } from "../core.ts";
import type { TensorValue } from "../host/value.ts";
import { nameInSource } from "../ir/name-in-source.ts";
import { readsOf, type Definition } from "../ir/program.ts";
import { isUnsized, type TypedArray } from "../ir/scalar/types.ts";
import { storageOf, wantedOf } from "../ir/storage.ts";
import { elements, operations, type Built, type BuiltAssertion, type BuiltOutput, type Form, type Step } from "../runtime/built.ts"; // prettier-ignore
import { positionOf } from "../syntax/source.ts";
import { rolled } from "./tape.ts";

/** Thrown where a program needs more at run time than kernels. */
export class NotBuilt extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.title);
    this.diagnostic = diagnostic;
  }
}

export interface Wanted {
  /** Values of all inputs: of those that stay inputs only the shapes count. */
  readonly inputs: ReadonlyMap<string, TensorValue>;
  /** Inputs that are constants of the built program. */
  readonly fixed: ReadonlySet<string>;
  readonly outputs: readonly string[];
}

export function record({ program, analysis, module }: Parts, { inputs, fixed, outputs }: Wanted): Built {
  const isOpen = (definition: Definition): boolean => definition.origin === "input" && !fixed.has(definition.name);
  const depends = dependence(isOpen);
  const open = program.inputs.filter(isOpen);
  const machine = newMachine({ f64: false, maxBytes: defaultMaxBytes, trap: false });
  pinInputs(machine, program, inputs);
  const { schedules } = analysis;
  const asserted = program.actions.flatMap((action) =>
    action.kind === "assert" && action.when.length === 0 ? [action] : [],
  );
  const conditions = asserted.map(({ condition }) => condition);
  const units = unitsOf(schedules, storageOf(schedules, wantedOf(program, outputs), kernelAbilities));
  const tape: Step[] = [];
  const modules = new Map<string, number>();
  const known: RecordedKernel[] = [];
  const data: Uint8Array[] = [];
  const recorder: Recorder = {
    call(kernel, args) {
      const key = textOf(kernel.bytes);
      let at = modules.get(key);
      if (at === undefined) modules.set(key, (at = known.push(kernel) - 1));
      tape.push([operations.call, at, ...args]);
    },
    bring(definition, address, cells) {
      const input = open.indexOf(definition);
      if (input >= 0) return void tape.push([operations.input, input, address]);
      tape.push([operations.data, data.push(bytesOf(cells)) - 1, address]);
    },
    unlike: (definition) => refuse(definition, "steps that are computed outside of kernels"),
    move: (move) => void tape.push(stepOf(move)),
    oracle(unit, why) {
      // The tape has the call that failed: there is no going on without the oracle.
      const first = why === "a fault" ? unit.definitions[0] : unit.definitions.find(depends);
      if (first) refuse(first, why);
    },
  };
  const built = recordedBy(recorder, () => {
    // Panels of matrices are multiplied by a plan of the host's, which asks for finite operands: a tape knows neither.
    const wishes = { asked: outputs, wanted: conditions, leastWork: 0, leastProducts: Infinity };
    const computer = kernels(machine, program, schedules, units, wishes);
    try {
      const engine = newEngine(machine, program, units, computer);
      const placed = (definition: Definition): TensorValue => {
        engine.settle(definition);
        const { value, block } = computer.inPlace(definition);
        // The memory is the recording's own, and nothing else runs meanwhile.
        if (block) release(block);
        return value;
      };
      const assertions = asserted.flatMap(({ condition, message, span }): BuiltAssertion[] => {
        const value = placed(condition);
        if (!isInMemory(value.data as TypedArray)) return [];
        const said = message.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
        const { line } = positionOf(span.source, span.start);
        const place = `${span.source.name}:${line}`;
        return [
          {
            address: (value.data as TypedArray).byteOffset,
            message: `${place}: assertion failed${said && `: ${said}`}`,
          },
        ];
      });
      const values = outputs.map((name): BuiltOutput => {
        const { definition } = program.outputs.get(name) ?? {};
        if (!definition)
          throw new NotBuilt(error("E0804", `\`${name}\` is text, which a built program does not give`, undefined));
        const form: Form = { ...formOf(definition, placed(definition)), name };
        const input = open.indexOf(definition);
        if (input >= 0) return { ...form, at: { input } };
        const cells = placed(definition).data as TypedArray;
        if (isInMemory(cells)) return { ...form, at: { address: cells.byteOffset } };
        if (depends(definition)) refuse(definition, "computed outside of kernels");
        return { ...form, at: { data: data.push(bytesOf(cells)) - 1 } };
      });
      return { assertions, values };
    } finally {
      computer.close();
    }
  });
  return {
    source: module.source.name,
    pages: sharedMemory().buffer.byteLength / 65536,
    constants: { address: vectorConstants().address, patterns: [...vectorConstants().patterns] },
    kernels: known.map(({ bytes, imports, computes }) => ({
      code: base64(bytes),
      imports,
      computes: placeOf(computes),
    })),
    data: data.map(base64),
    inputs: open.map((input) => formOf(input, inputs.get(input.name)!)),
    outputs: built.values,
    assertions: built.assertions,
    tape: rolled(tape),
  };
}

/** The integers that kernels are made for have to be known: those that what is asked for, or asserted, is computed with. */
export function openInteger(
  { program }: Parts,
  fixed: ReadonlySet<string>,
  outputs: readonly string[],
): Diagnostic | undefined {
  const depends = dependence((definition) => definition.origin === "input" && !fixed.has(definition.name));
  const asserted = program.actions.flatMap((action) => (action.kind === "assert" ? [action.condition] : []));
  const needed = new Set([...outputs.flatMap((name) => program.outputs.get(name)?.definition ?? []), ...asserted]);
  for (const definition of needed) for (const read of readsOf(definition)) needed.add(read);
  const open = [...program.scalars.values()].find((scalar) => needed.has(scalar) && depends(scalar));
  if (!open) return undefined;
  const isInput = open.origin === "input";
  const title = `kernels are made for integers that are known, and \`${nameInSource(open)}\` is ${isInput ? "an input" : "computed from inputs"}`;
  const help = isInput
    ? `give its value: \`--set ${open.name}=…\`; or declare it as a float where only its value counts`
    : "make it depend on declared extents and constants only";
  return error("E0804", title, open.span, { help });
}

/** Whether a definition's value depends on inputs. */
function dependence(isOpen: (definition: Definition) => boolean): (definition: Definition) => boolean {
  const known = new Map<Definition, boolean>();
  return (root) => {
    const seen = new Set([root]);
    for (const definition of seen) {
      const before = known.get(definition);
      if (before === true || isOpen(definition)) {
        known.set(root, true);
        return true;
      }
      if (before === undefined) for (const read of readsOf(definition)) seen.add(read);
    }
    known.set(root, false);
    return false;
  };
}

function refuse(definition: Definition, why: string): never {
  const title = `\`${nameInSource(definition)}\` has no kernel: ${why}`;
  const help = "leave it out of what is built, with `--get`; or run the program with the library, which has everything";
  throw new NotBuilt(error("E0804", title, definition.span, { help }));
}

function formOf(definition: Definition, { dtype, shape }: TensorValue): Form {
  if (isUnsized(dtype) || isUnsized(definition.element)) refuse(definition, "strings and data");
  return { name: definition.name, dtype: definition.element, shape };
}

function placeOf(definition: Definition): string {
  const { source, start } = definition.span;
  return `\`${nameInSource(definition)}\` (${source.name}:${positionOf(source, start).line})`;
}

function stepOf(move: Move): Step {
  switch (move.kind) {
    case "zero":
      return [operations.zero, move.address, move.bytes];
    case "copy":
      return [operations.copy, move.from, move.to, move.bytes];
    case "add":
      return [operations.add, elements.indexOf(move.element), move.running, move.totals, move.cells];
    case "finish":
      return [operations.finish, elements.indexOf(move.element), move.running, move.totals, move.cells, move.divisor];
    default:
      return move satisfies never;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}

function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

declare const btoa: (text: string) => string;

function base64(bytes: Uint8Array): string {
  return btoa(textOf(bytes));
}
