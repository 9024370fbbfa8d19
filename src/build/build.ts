// Builds a compiled program as a module that needs no compiler:
// `ein build model.ein --extent n=64`. What such a module needs to run is in `runtime`.
//
// A plan is built for each choice of extents. A dimension along which everything is computed row by
// row needs no extent: plans for blocks of rows cover any number of them.

import { asFormulas } from "../autodiff/sweep/formulas.ts";
import { addNeeds } from "../autodiff/requests/requests.ts";
import { newMachine } from "../backends/interpret/machine.ts";
import { pinInputs } from "../run/pinned.ts";
import { defaultMaxBytes, runProgram } from "../run/run.ts";
import { compileTerm } from "../backends/interpret/scalars/scalars.ts";
import type { CoreProgram, Parts } from "../driver/core.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { drawInputs } from "../explain/check/draw-inputs.ts";
import { integerRanges } from "../explain/check/integer-ranges.ts";
import { zeros, sizeOf, type TensorValue } from "../scalar/values/value.ts";
import type { Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { analyse } from "../analyse/analyse.ts";
import { nameInSource } from "../analyse/name-in-source.ts";
import type { Definition } from "../ir/program.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "../analyse/schedule.ts";
import { choices } from "../runtime/blocks.ts";
import type { Built, Dimension, Form, Plan } from "../runtime/built.ts";
import type { Module } from "../syntax/tree/ast.ts";
import {
  cellTypeOf,
  memoryOfPlans,
  neededFor,
  newCollection,
  NotBuilt,
  openInteger,
  record,
} from "./record.ts";
import { notByRows, rowAxis } from "./rows.ts";

interface BuildOptions {
  /** The extents for which plans are built, by dimension name. */
  readonly extents: ReadonlyMap<string, readonly number[]>;
  /** Values of inputs that become constants. */
  readonly fixed: ReadonlyMap<string, TensorValue>;
  /** The names of the values. Without it: the `pub` values, or all values if there are none. */
  readonly get?: readonly string[];
}

type Outcome = { readonly built: Built } | { readonly diagnostics: readonly Diagnostic[] };

/** A dimension of the inputs, and its extents if they are known. */
interface Named {
  readonly variable: Variable;
  readonly extents?: readonly number[];
}

export function build(program: CoreProgram, options: BuildOptions): Outcome {
  const parts = program.partsFor(options.fixed);
  if ("diagnostics" in parts) return parts;
  const outcome = buildParts(program, parts, options);
  if ("built" in outcome) return outcome;
  // A function whose loops only the oracle can walk has no kernel. Its formulas may have one.
  const roots = rootsOf(parts.program);
  const again = asFormulas(roots, () => {
    for (const definition of reachable(roots)) addNeeds(parts.program, definition);
    return buildParts(
      program,
      { ...parts, analysis: analyse(parts.program, parts.extents) },
      options,
    );
  });
  return "built" in again ? again : outcome;
}

function buildParts(
  program: CoreProgram,
  parts: Parts,
  { extents, fixed, get }: BuildOptions,
): Outcome {
  const declared = parts.program.inputs.map((input) =>
    program.inputs.find(({ name }) => name === input.name)!,
  );
  const named = dimensionsOf(parts, declared, extents, fixed);
  const strange = [...extents.keys()].find((name) => !named.has(name));
  if (strange !== undefined) {
    const help = didYouMean(strange, named.keys());
    return {
      diagnostics: [
        error("E0885", `the program has no dimension \`${strange}\``, undefined, { help }),
      ],
    };
  }
  const outputs = get ?? publicValues(parts.module, program.values);
  const missing = outputs.find((name) => !program.values.includes(name));
  if (missing !== undefined) {
    const help = didYouMean(missing, program.values);
    return {
      diagnostics: [
        error("E0884", `the program has no value \`${missing}\` to build`, undefined, { help }),
      ],
    };
  }
  const needed = neededFor(parts, outputs);
  const open =
    openInteger(parts, new Set(fixed.keys()), needed) ??
    openExtents(parts, needed, named, declared);
  if (open) return { diagnostics: [open] };
  try {
    return { built: buildPlans(parts, { declared, named, fixed, outputs, needed }) };
  } catch (problem) {
    if (problem instanceof NotBuilt) return { diagnostics: [problem.diagnostic] };
    throw problem;
  }
}

// ── dimensions ──────────────────────────────────────────────────────────────────────────────────

/**
 * The name of a dimension. An axis without a name, `[f32; ?]`, is named after its input and its
 * position: `x.0`.
 */
function dimensionOf(
  input: string,
  extent: number | string | undefined,
  axis: number,
): string | undefined {
  if (typeof extent === "number") return undefined;
  return extent ?? `${input}.${axis}`;
}

function dimensionsOf(
  { program }: Parts,
  declared: readonly DeclaredInput[],
  given: BuildOptions["extents"],
  fixed: BuildOptions["fixed"],
): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const [k, { name, shape = [] }] of declared.entries()) {
    for (const [axis, extent] of shape.entries()) {
      const dimension = dimensionOf(name, extent, axis);
      const [variable] = variablesOf(program.inputs[k]!.axes[axis]!.extent);
      if (dimension === undefined || !variable) continue;
      const pinned = fixed.get(name)?.shape[axis];
      const extents =
        pinned === undefined ? (found.get(dimension)?.extents ?? given.get(dimension)) : [pinned];
      found.set(dimension, { variable, ...(extents ? { extents } : {}) });
    }
  }
  return found;
}

/** Reports the dimensions without extents along which something is not computed row by row. */
function openExtents(
  { program }: Parts,
  needed: ReadonlySet<Definition>,
  named: ReadonlyMap<string, Named>,
  declared: readonly DeclaredInput[],
): Diagnostic | undefined {
  const open = [...named].flatMap(([name, { variable, extents }]) => {
    const why = extents ? undefined : notByRows(program, needed, variable);
    return why ? [{ name, why }] : [];
  });
  const [first] = open;
  if (!first) return undefined;
  const all = open.map(({ name }) => `\`${name}\``).join(", ");
  const flags = open.map(({ name }) => `--extent ${name}=64`).join(" ");
  const { why } = first;
  const reason =
    why === "an agreement"
      ? "an extent has to agree with it"
      : `\`${nameInSource(why)}\` is not computed row by row along \`${first.name}\``;
  const place = why === "an agreement" ? undefined : why.span;
  const input = declared.find(({ name, shape = [] }) =>
    shape.some((extent, axis) => dimensionOf(name, extent, axis) === first.name),
  );
  const title = `kernels are built for fixed extents, and ${all} ${
    open.length === 1 ? "is" : "are"
  } open`;
  return error("E0804", title, input?.span, {
    ...(place ? { labels: [{ span: place, text: reason }] } : { text: reason }),
    help:
      `say for which to build: \`${flags}\`, or several, ` +
      `\`--extent ${first.name}=32,64\` (with Vite \`extents: { ${first.name}: [32, 64] }\`); ` +
      "the library runs the program for any",
  });
}

// ── plans ───────────────────────────────────────────────────────────────────────────────────────

interface Task {
  readonly declared: readonly DeclaredInput[];
  readonly named: ReadonlyMap<string, Named>;
  readonly fixed: BuildOptions["fixed"];
  readonly outputs: readonly string[];
  readonly needed: ReadonlySet<Definition>;
}

/** The most choices of extents that are built. */
const mostPlans = 64;

function buildPlans(parts: Parts, task: Task): Built {
  const { declared, named, fixed, outputs } = task;
  const dimensions = openDimensions(parts, task);
  const all = choices(dimensions.map(({ extents }) => extents));
  if (all.length > mostPlans)
    throw new NotBuilt(
      error(
        "E0804",
        `${all.length} choices of extents are more than the ${mostPlans} that are built`,
        undefined,
        {
          help: "name fewer of them with `--extent`",
        },
      ),
    );
  const collection = newCollection();
  const plans = all.map((choice): Plan => {
    const inputs = valuesFor(
      parts,
      task,
      new Map(dimensions.map(({ name }, k) => [name, choice[k]!])),
    );
    // The program is run once with these sizes, so that their faults are reported as in any run.
    const { fault } = runProgram(parts.program, parts.analysis, {
      inputs,
      get: outputs,
      leastWork: 0,
      onPrint: () => undefined,
    });
    if (fault && fault.code !== "E0905") throw new NotBuilt(fault);
    return record(parts, { inputs, fixed: new Set(fixed.keys()), outputs }, collection);
  });
  /** A reference to a dimension whose extent comes with the inputs. */
  const reference = (name: string | undefined): { readonly of: number } | undefined => {
    const of = dimensions.findIndex((each) => each.name === name);
    return of < 0 ? undefined : { of };
  };
  return {
    source: parts.module.source.name,
    ...memoryOfPlans(),
    kernels: collection.kernels,
    data: collection.data,
    dimensions,
    inputs: declared.flatMap(({ name, shape = [] }, k): Form[] => {
      if (fixed.has(name)) return [];
      const extents = shape.map((extent, axis) => {
        const dimension = dimensionOf(name, extent, axis);
        return (
          reference(dimension) ??
          (dimension === undefined ? (extent as number) : named.get(dimension)!.extents![0]!)
        );
      });
      return [{ name, dtype: cellTypeOf(parts.program.inputs[k]!), shape: extents }];
    }),
    outputs: outputs.map((name, k): Form => {
      const { definition } = parts.program.outputs.get(name)!;
      const shapes = plans.map((plan) => plan.outputs[k]!.shape);
      const shape = definition.axes.map((_, axis): Form["shape"][number] => {
        const own = dimensions.findIndex(
          (each) => rowAxis(definition, named.get(each.name)!.variable) === axis,
        );
        if (own >= 0) return { of: own };
        const extents = new Set(shapes.map((each) => each[axis]!));
        return extents.size === 1 ? shapes[0]![axis]! : null;
      });
      return { name, dtype: cellTypeOf(definition), shape };
    }),
    plans,
  };
}

/**
 * The sizes of blocks of rows, the largest first. A block should fill the caches and has at least
 * one row.
 */
const blockSizes = [1 << 16, 1 << 12, 1 << 8, 1 << 4, 1];
const mostCells = 1 << 18;

/**
 * The dimensions whose extents come with the inputs. Either several extents are given, or
 * everything is computed row by row.
 */
function openDimensions(parts: Parts, task: Task): readonly Dimension[] {
  const several = [...task.named].flatMap(([name, { extents }]): Dimension[] => {
    const different = [...new Set(extents)].sort((a, b) => b - a);
    return different.length > 1 ? [{ name, extents: different, inRows: false }] : [];
  });
  const rows = [...task.named].flatMap(([name, { extents }]) => (extents ? [] : [name]));
  const cells = cellsInRow(parts, task, rows);
  // With several such dimensions, only the last one gets long blocks.
  const inRows = rows.map((name, k): Dimension => {
    const most = k === rows.length - 1 ? mostCells / cells : 16;
    return {
      name,
      extents: [...blockSizes.filter((size) => size === 1 || size <= most), 0],
      inRows: true,
    };
  });
  return [...several, ...inRows];
}

/** The number of cells of all definitions for one row. */
function cellsInRow(parts: Parts, task: Task, rows: readonly string[]): number {
  if (rows.length === 0) return 1;
  const machine = newMachine({ f64: false, maxBytes: defaultMaxBytes });
  pinInputs(machine, parts.program, valuesFor(parts, task, new Map(rows.map((name) => [name, 1]))));
  const variables = rows.map((name) => task.named.get(name)!.variable);
  const cells = [...task.needed].map((definition) => {
    if (!variables.some((v) => rowAxis(definition, v) !== undefined)) return 0;
    return definition.axes.reduce(
      (all, { extent }) => all * Math.max(1, compileTerm(machine, extent)() || 1),
      1,
    );
  });
  return Math.max(
    1,
    cells.reduce((total, each) => total + each, 0),
  );
}

/** The `pub` values of a file, or all values if none is `pub`. */
function publicValues(module: Module, values: readonly string[]): readonly string[] {
  const names = module.statements.flatMap((statement) => {
    if (!statement.public) return [];
    if (statement.kind === "indexed-let") return [statement.name.text];
    return statement.kind === "let" && statement.pattern.kind === "name"
      ? [statement.pattern.name.text]
      : [];
  });
  const found = [...new Set(names)].filter((name) => values.includes(name));
  return found.length > 0 ? found : values;
}

/** Inputs for the recording. Their values do not matter, as long as the run has no fault. */
function valuesFor(
  { program }: Parts,
  { declared, named, fixed }: Task,
  chosen: ReadonlyMap<string, number>,
): ReadonlyMap<string, TensorValue> {
  const sized = declared.map((input): DeclaredInput => {
    const shape = input.shape?.map((extent, axis) => {
      const dimension = dimensionOf(input.name, extent, axis);
      return dimension === undefined
        ? extent
        : (chosen.get(dimension) ?? named.get(dimension)?.extents?.[0] ?? extent);
    });
    return { ...input, ...(shape ? { shape } : {}) };
  });
  const large = sized.filter(({ name, shape = [], dtype }) => {
    const cells = sizeOf(shape.map((extent) => (typeof extent === "number" ? extent : 1)));
    return (
      !fixed.has(name) &&
      cells > largestDrawn &&
      dtype !== "str" &&
      shape.every((extent) => typeof extent === "number")
    );
  });
  const given = new Map(fixed);
  for (const { name, dtype, shape } of large)
    given.set(name, zeros(dtype, shape as readonly number[]));
  return drawInputs(sized, given, integerRanges(program, sized, given));
}

/** Larger inputs stay 0, because drawing random cells takes time. */
const largestDrawn = 1 << 20;
