// Records a run of a program with fixed sizes as a plan: the calls of kernels with their arguments,
// and the moves of memory between the calls.

import { vectorConstants, isInMemory, sharedMemory } from "../backends/wasm/memory/arena.ts";
import { integersIn } from "../backends/wasm/abilities.ts";
import { kernelAbilities, kernels } from "../backends/wasm/engine.ts";
import {
  recordedBy,
  type Move,
  type RecordedKernel,
  type Recorder,
} from "../backends/wasm/memory/recording.ts";
import { release } from "../backends/wasm/memory/kept.ts";
import { newMachine } from "../backends/interpret/machine.ts";
import { pinInputs } from "../run/pinned.ts";
import { defaultMaxBytes } from "../run/run.ts";
import { newEngine, unitsOf } from "../backends/order.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Parts } from "../driver/core.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { variablesOf } from "../affine/visit.ts";
import { nameInSource } from "../analyse/name-in-source.ts";
import type { Definition } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isUnsized, type TypedArray } from "../scalar/types.ts";
import { storageOf, wantedOf } from "../plan/storage.ts";
import { unfused } from "../plan/fuse.ts";
import {
  elements,
  operations,
  type BuiltAssertion,
  type Built,
  type BuiltKernel,
  type Form,
  type Plan,
  type PlannedOutput,
  type Step,
} from "../runtime/built.ts";
import { positionOf } from "../base/source.ts";
import { rolled } from "./tape.ts";

/** Thrown if a program needs more than kernels at run time. */
export class NotBuilt extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.title);
    this.diagnostic = diagnostic;
  }
}

interface Wanted {
  /** Values of all inputs. Of inputs that are not constants only the shapes count. */
  readonly inputs: ReadonlyMap<string, TensorValue>;
  /** Inputs that are constants of the built program. */
  readonly fixed: ReadonlySet<string>;
  readonly outputs: readonly string[];
}

/** The kernels and constants that plans share, each of them once. */
interface Collection {
  readonly kernels: BuiltKernel[];
  readonly data: string[];
  readonly kernelAt: (kernel: RecordedKernel) => number;
  readonly dataAt: (bytes: Uint8Array) => number;
}

export function newCollection(): Collection {
  const [kernels, data]: [BuiltKernel[], string[]] = [[], []];
  const places = new Map<string, number>();
  const known = new Map<RecordedKernel, number>();
  const dataPlaces = new Map<string, number>();
  return {
    kernels,
    data,
    kernelAt(kernel) {
      const before = known.get(kernel);
      if (before !== undefined) return before;
      const { bytes, imports, computes } = kernel;
      const code = base64(bytes);
      let at = places.get(code);
      if (at === undefined)
        places.set(
          code,
          (at = kernels.push({ code, imports, computes: placeInSource(computes) }) - 1),
        );
      known.set(kernel, at);
      return at;
    },
    dataAt(bytes) {
      const text = base64(bytes);
      let at = dataPlaces.get(text);
      if (at === undefined) dataPlaces.set(text, (at = data.push(text) - 1));
      return at;
    },
  };
}

/** All definitions that the outputs and assertions need. */
export function neededFor({ program }: Parts, outputs: readonly string[]): ReadonlySet<Definition> {
  const asserted = program.actions.flatMap((action) =>
    action.kind === "assert" ? [action.condition] : [],
  );
  const needed = new Set([
    ...outputs.flatMap((name) => program.outputs.get(name)?.definition ?? []),
    ...asserted,
  ]);
  for (const definition of needed) for (const read of readsOf(definition)) needed.add(read);
  return needed;
}

export function record(
  { program, analysis }: Parts,
  { inputs, fixed, outputs }: Wanted,
  collection: Collection,
): Plan {
  const isOpen = (definition: Definition): boolean =>
    definition.origin === "input" && !fixed.has(definition.name);
  const depends = dependence(isOpen);
  const open = program.inputs.filter(isOpen);
  const machine = newMachine({ f64: false, maxBytes: defaultMaxBytes });
  pinInputs(machine, program, inputs);
  const { schedules } = analysis;
  const asserted = program.actions.flatMap((action) =>
    action.kind === "assert" && action.when.length === 0 ? [action] : [],
  );
  const conditions = asserted.map(({ condition }) => condition);
  const units = unitsOf(
    schedules,
    storageOf(schedules, wantedOf(program, outputs), kernelAbilities()),
  );
  const tape: Step[] = [];
  const recorder: Recorder = {
    call(kernel, args) {
      tape.push([operations.call, collection.kernelAt(kernel), ...args]);
    },
    bring(definition, address, cells) {
      const input = open.indexOf(definition);
      if (input >= 0) return void tape.push([operations.input, input, address]);
      tape.push([operations.data, collection.dataAt(copiedBytes(cells)), address]);
    },
    unlike: (definition) => throwNotBuilt(definition, "steps that are computed outside of kernels"),
    move: (move) => void tape.push(stepForMove(move)),
    oracle(unit, why) {
      // After a fault the tape holds the failed call, and only the oracle could continue.
      const first = why === "a fault" ? unit.definitions[0] : unit.definitions.find(depends);
      if (first) throwNotBuilt(first, why);
    },
  };
  const planned = recordedBy(recorder, () => {
    // Products of large matrices have a plan of their own, which asks at run time whether the
    // operands are finite. A tape cannot ask, so `leastProducts` turns this plan off.
    const wishes = { asked: outputs, wanted: conditions, leastWork: 0, leastProducts: Infinity };
    const computer = kernels(machine, program, schedules, units, wishes);
    try {
      const engine = newEngine(machine, program, units, computer);
      const placed = (definition: Definition): TensorValue => {
        engine.settle(definition);
        const { value, block } = computer.inPlace(definition);
        // The memory belongs to the recording, and nothing else runs meanwhile.
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
      const values = outputs.map((name): PlannedOutput => {
        const { definition } = program.outputs.get(name) ?? {};
        if (!definition)
          throw new NotBuilt(
            error("E0804", `\`${name}\` is text, which a built program does not give`, undefined),
          );
        cellTypeOf(definition);
        const { shape, data } = placed(definition);
        const input = open.indexOf(definition);
        if (input >= 0) return { shape, at: { input } };
        const cells = data as TypedArray;
        if (isInMemory(cells)) return { shape, at: { address: cells.byteOffset } };
        if (depends(definition)) throwNotBuilt(definition, "computed outside of kernels");
        return { shape, at: { data: collection.dataAt(copiedBytes(cells)) } };
      });
      return { assertions, outputs: values };
    } finally {
      computer.close();
    }
  });
  return { ...planned, tape: rolled(tape) };
}

/** The memory of the plans, and the constants that kernels read in it. */
export function memoryOfPlans(): Pick<Built, "pages" | "constants"> {
  const { address, patterns } = vectorConstants();
  return {
    pages: sharedMemory().buffer.byteLength / 65536,
    constants: { address, patterns: [...patterns] },
  };
}

/** Finds an integer that kernels need as a constant and that depends on inputs. */
export function openInteger(
  { program }: Parts,
  fixed: ReadonlySet<string>,
  needed: ReadonlySet<Definition>,
): Diagnostic | undefined {
  const depends = dependence(
    (definition) => definition.origin === "input" && !fixed.has(definition.name),
  );
  const madeFor = [
    ...integersIn(unfused, [...needed], program.scalars).fixed,
    ...program.agreements.flatMap(({ left, right }) => [
      ...variablesOf(left),
      ...variablesOf(right),
    ]),
  ];
  const open = madeFor
    .flatMap((v) => program.scalars.get(v) ?? [])
    .find((scalar) => needed.has(scalar) && depends(scalar));
  if (!open) return undefined;
  const isInput = open.origin === "input";
  const title =
    "kernels are made for the integers that sizes and positions are made of, " +
    `and \`${nameInSource(open)}\` is ${isInput ? "an input" : "computed from inputs"}`;
  const help = isInput
    ? `give its value: \`--set ${open.name}=…\``
    : "make it depend on declared extents and constants only";
  return error("E0804", title, open.span, { help });
}

/** Whether the value of a definition depends on open inputs. */
function dependence(
  isOpen: (definition: Definition) => boolean,
): (definition: Definition) => boolean {
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

function throwNotBuilt(definition: Definition, why: string): never {
  const title = `\`${nameInSource(definition)}\` has no kernel: ${why}`;
  const help =
    "leave it out of what is built, with `--get`; " +
    "or run the program with the library, which has everything";
  throw new NotBuilt(error("E0804", title, definition.span, { help }));
}

/** The element type of an input or output. */
export function cellTypeOf(definition: Definition): Form["dtype"] {
  const { element } = definition;
  if (isUnsized(element)) throwNotBuilt(definition, "strings and data");
  return element;
}

function placeInSource(definition: Definition): string {
  const { source, start } = definition.span;
  return `\`${nameInSource(definition)}\` (${source.name}:${positionOf(source, start).line})`;
}

function stepForMove(move: Move): Step {
  switch (move.kind) {
    case "zero":
      return [operations.zero, move.address, move.bytes];
    case "copy":
      return [operations.copy, move.from, move.to, move.bytes];
    case "finish":
      return [
        operations.finish,
        elements.indexOf(move.element),
        move.sums,
        move.totals,
        move.cells,
        move.divisor,
      ];
    default:
      return move satisfies never;
  }
}

function copiedBytes({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}

function binaryText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

declare const btoa: (text: string) => string;

function base64(bytes: Uint8Array): string {
  return btoa(binaryText(bytes));
}
