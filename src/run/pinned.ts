// Takes the inputs of a run: it checks the host's values against their declarations, and notes the
// extents that they decide.
//
//     input x: [f32; n, m];   // a value of shape [2, 3] decides n = 2 and m = 3

import { error, Fault } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { convertInput } from "../scalar/values/convert.ts";
import { failed } from "../base/failure.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { constantOf, type Variable } from "../affine/term.ts";
import { show } from "../affine/show.ts";
import { variablesOf } from "../affine/visit.ts";
import { wrongWith, type Analysis } from "../analyse/analyse.ts";
import type { Definition, Program } from "../ir/program.ts";
import { storeOf, type Machine } from "../backends/interpret/machine.ts";

/**
 * Takes the host's values, notes the extents that they decide, and checks them against their
 * declarations.
 */
export function pinInputs(
  machine: Machine,
  program: Program,
  given: ReadonlyMap<string, TensorValue>,
): Pinned {
  const declared = program.inputs.map((input) => input.name);
  for (const name of given.keys()) {
    if (declared.includes(name)) continue;
    throw new Fault(
      error("E0885", `the program has no input \`${name}\``, undefined, {
        help: didYouMean(name, declared),
      }),
    );
  }
  const pinned: Pinned = new Map();
  const missing = program.inputs.filter((input) => !given.has(input.name));
  if (missing.length > 0) throw missingInputs(missing);
  for (const input of program.inputs) {
    const value = given.get(input.name)!;
    pinInput(machine, input, value, pinned);
  }
  for (const [v, definition] of program.scalars) {
    if (definition.origin !== "input") continue;
    const extent = Number(machine.stores.get(definition)!.get(0));
    const axis = pinned.get(v);
    if (axis && axis.extent !== extent) {
      const title =
        `\`${definition.name}\` is ${extent}, ` +
        `and an axis of the input \`${axis.input.name}\` that it is the extent of has ` +
        `${axis.extent}`;
      throw new Fault(
        error("E0887", title, axis.input.span, {
          labels: [{ span: definition.span, text: `\`${definition.name}\` is declared here` }],
        }),
      );
    }
    machine.values[machine.slotOf(v)] = extent;
    pinned.set(v, { extent, input: definition });
  }
  return pinned;
}

/** The fault for all missing inputs, so that they can be given at once. */
function missingInputs([first, ...others]: readonly Definition[]): Fault {
  const all = [first!, ...others];
  const names = all.map((input) => `\`${input.name}\``);
  const flags = all.map((input) => `--in ${input.name}=file.npy`).join(" ");
  const scalar =
    all.length === 1 && first!.axes.length === 0 ? `, or \`--set ${first!.name}=…\`` : "";
  const hasTensor = all.some(({ axes }) => axes.length > 0);
  const formats = hasTensor ? "; files in `.csv` and `.json` are read too" : "";
  const title =
    names.length === 1
      ? `the input ${names[0]} is missing`
      : `the inputs ${names.join(", ")} are missing`;
  return new Fault(
    error("E0801", title, first!.span, {
      labels: others.map(({ span }) => ({ span, text: "" })),
      help: `give ${names.length === 1 ? "it" : "them"}: \`${flags}\`${scalar}${formats}`,
    }),
  );
}

/** The extents that the inputs have decided, each with the input that decided it. */
type Pinned = Map<Variable, { readonly extent: number; readonly input: Definition }>;

/** The sizes that have been checked, for each program. */
const checkedSizes = new WeakMap<Analysis, Set<string>>();

/**
 * Decides what was open at compile time and depends only on sizes. That is done before anything
 * runs, once for each choice of sizes.
 */
export function checkPinned(program: Program, analysis: Analysis, pinned: Pinned): void {
  if (analysis.undecided.length === 0) return;
  const key = [...pinned.values()].map(({ extent }) => extent).join();
  const known = checkedSizes.get(analysis) ?? new Set();
  if (known.has(key)) return;
  const values = new Map([...pinned].map(([v, { extent }]) => [v, extent]));
  const [first] = wrongWith(program, analysis, values);
  if (first) throw new Fault(first);
  checkedSizes.set(analysis, known.add(key));
}

function pinInput(machine: Machine, input: Definition, value: TensorValue, pinned: Pinned): void {
  const wrong = (title: string): Fault => new Fault(error("E0887", title, input.span));
  if (value.shape.length !== input.axes.length) {
    throw wrong(
      `the input \`${input.name}\` has rank ${input.axes.length}, ` +
        `the value that came has rank ${value.shape.length}`,
    );
  }
  const type = machine.typeOf(input.element);
  const converted = convertInput(value, type);
  if (failed(converted))
    throw wrong(
      `the input \`${input.name}\` is ${input.element}, ` +
        `the value that came is ${value.dtype}: ${converted.error}`,
    );
  for (const [axis, { extent: term, name }] of input.axes.entries()) {
    const extent = value.shape[axis]!;
    const [v] = variablesOf(term);
    const earlier = v && pinned.get(v);
    const fixed = constantOf(term);
    const label = name ? `axis ${axis} (\`${name}\`)` : `axis ${axis}`;
    if (fixed !== undefined && fixed !== extent) {
      throw wrong(
        `${label} of the input \`${input.name}\` has extent ${fixed}, ` +
          `the value that came has ${extent}`,
      );
    }
    if (earlier && earlier.extent !== extent) {
      throw wrong(
        `\`${show(term)}\` is ${earlier.extent} in the input \`${earlier.input.name}\` and ` +
          `${extent} in \`${input.name}\``,
      );
    }
    if (v && !earlier) {
      pinned.set(v, { extent, input });
      machine.values[machine.slotOf(v)] = extent;
    }
  }
  machine.stores.set(input, storeOf(converted));
}
