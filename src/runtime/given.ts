// Checks the inputs of a built program against their forms, and finds the extents that come with
// them.

import { cellArrays } from "../backends/wasm/memory/cell-arrays.ts";
import type { TypedArray } from "../scalar/types.ts";
import type { Built, Dimension, Form } from "./built.ts";

/** An input: cells, a value around cells, or a number if the input is a scalar. */
export type BuiltInput = TypedArray | Value | number | bigint | boolean;

export interface Value {
  readonly data: TypedArray;
  readonly shape: readonly number[];
  readonly dtype: string;
}

interface Given {
  readonly cells: TypedArray;
  readonly shape: readonly number[];
}

/** The cells of all inputs in order, and the extent of every dimension. */
export function givenTo(
  { source, inputs: forms, dimensions }: Built,
  inputs: Readonly<Record<string, BuiltInput>>,
): { readonly given: readonly Given[]; readonly extents: readonly number[] } {
  if (typeof inputs !== "object" || inputs === null)
    throw new Error(`E0801: ${source} takes its inputs by name`);
  const strange = Object.keys(inputs).find((name) => !forms.some((form) => form.name === name));
  if (strange !== undefined) throw new Error(`E0885: ${source} declares no input \`${strange}\``);
  const found: Found = dimensions.map(() => undefined);
  const cells = forms.map((form) => {
    const given = Object.hasOwn(inputs, form.name) ? inputs[form.name] : undefined;
    if (given === undefined)
      throw new Error(
        `E0801: the input \`${form.name}\` is missing; it is ${formText(form, dimensions)}`,
      );
    return cellsIn(form, given, dimensions);
  });
  // Inputs with shapes come first. They may decide the shapes of bare arrays.
  for (const [k, { shape }] of cells.entries())
    if (shape) recordExtents(forms[k]!, shape, dimensions, found);
  const given = cells.map(({ data, shape }, k): Given => {
    const form = forms[k]!;
    const own = shape ?? shapeByLength(form, data.length, dimensions, found);
    if (!shape) recordExtents(form, own, dimensions, found);
    const size = own.reduce((all, extent) => all * extent, 1);
    if (data.length !== size)
      throw misfit(
        form,
        dimensions,
        `an array of ${data.length}, not ${size}${shape ? "" : reasonsOf(form, dimensions, found)}`,
      );
    return { cells: data, shape: own };
  });
  return { given, extents: found.map((each) => each?.extent ?? 0) };
}

/** The extent of each dimension, and the name of the input that gave it. */
type Found = ({ readonly extent: number; readonly input: string } | undefined)[];

interface Cells {
  readonly data: TypedArray;
  readonly shape?: readonly number[];
}

function cellsIn(form: Form, given: BuiltInput, dimensions: readonly Dimension[]): Cells {
  const { dtype, shape } = form;
  const wrong = (came: string): Error => misfit(form, dimensions, came);
  const kind = cellArrays[dtype];
  if (given === null) throw wrong("null");
  if (typeof given !== "object") {
    if (shape.length > 0) throw wrong(`the ${typeof given} ${given}`);
    const wanted = dtype === "i64" ? "bigint" : dtype === "bool" ? "boolean" : "number";
    if (typeof given !== wanted) throw wrong(`the ${typeof given} ${given}`);
    if (Object.hasOwn(integers, dtype) && !Number.isInteger(given))
      throw wrong(`the ${typeof given} ${given}`);
    return { data: kind.of(...([dtype === "bool" ? Number(given) : given] as never[])) };
  }
  const value: Partial<Value> = ArrayBuffer.isView(given) ? { data: given } : given;
  if (value.dtype !== undefined && value.dtype !== dtype) throw wrong(value.dtype);
  if (value.shape && !hasShapeOf(form, value.shape))
    throw wrong(`of the shape ${JSON.stringify(value.shape)}`);
  if (value.data?.constructor !== kind)
    throw wrong(`in a ${value.data?.constructor.name ?? "value without data"}`);
  return { data: value.data, ...(value.shape ? { shape: value.shape } : {}) };
}

const integers = { i8: true, i32: true };

function hasShapeOf({ shape }: Form, came: readonly number[]): boolean {
  const isExtent = (extent: unknown): boolean =>
    Number.isSafeInteger(extent) && (extent as number) >= 0;
  return (
    Array.isArray(came) &&
    came.length === shape.length &&
    shape.every((extent, k) =>
      typeof extent === "object" ? isExtent(came[k]) : extent === came[k],
    )
  );
}

/**
 * Records the extents of an input. They must agree with those of the other inputs, and there must
 * be plans for them.
 */
function recordExtents(
  form: Form,
  shape: readonly number[],
  dimensions: readonly Dimension[],
  found: Found,
): void {
  for (const [axis, each] of form.shape.entries()) {
    if (typeof each !== "object" || !each) continue;
    const { name, extents, inRows } = dimensions[each.of]!;
    const extent = shape[axis]!;
    const before = found[each.of];
    if (before && before.extent !== extent)
      throw new Error(
        `E0887: \`${name}\` is ${before.extent} in \`${before.input}\` and ${extent} in ` +
          `\`${form.name}\``,
      );
    if (!inRows && !extents.includes(extent))
      throw new Error(
        `E0887: \`${name}\` is ${extent} in \`${form.name}\`, ` +
          `and the module was built for ${[...extents].sort((a, b) => a - b).join(", ")}: ` +
          `build it with \`--extent ${name}=${extent}\` too`,
      );
    found[each.of] = before ?? { extent, input: form.name };
  }
}

/** The shape of a bare array, if its length allows only one. */
function shapeByLength(
  form: Form,
  length: number,
  dimensions: readonly Dimension[],
  found: Found,
): readonly number[] {
  const known = form.shape.map((each) =>
    typeof each === "object" && each ? found[each.of]?.extent : each!,
  );
  const open = known.filter((extent) => extent === undefined).length;
  const rest = known.reduce<number>((all, extent) => all * (extent ?? 1), 1);
  if (open === 0) return known as readonly number[];
  if (open > 1 || rest === 0)
    throw misfit(
      form,
      dimensions,
      `an array of ${length} without a shape: give { data, shape, dtype }`,
    );
  if (length % rest !== 0)
    throw misfit(form, dimensions, `an array of ${length}, which is no multiple of ${rest}`);
  return known.map((extent) => extent ?? length / rest);
}

/** The other inputs that fixed the extents. */
function reasonsOf({ name, shape }: Form, dimensions: readonly Dimension[], found: Found): string {
  const others = shape.flatMap((each) => {
    const known = typeof each === "object" && each ? found[each.of] : undefined;
    if (!known || known.input === name) return [];
    return [
      `\`${dimensions[(each as { readonly of: number }).of]!.name}\` is ${known.extent} in ` +
        `\`${known.input}\``,
    ];
  });
  return others.length > 0 ? `: ${others.join(", ")}` : "";
}

function misfit(form: Form, dimensions: readonly Dimension[], came: string): Error {
  const type = formText(form, dimensions);
  return new Error(
    `E0887: the value for \`${form.name}\` does not fit: ` +
      `it was built as ${type}, what came is ${came}`,
  );
}

function formText({ dtype, shape }: Form, dimensions: readonly Dimension[]): string {
  const extents = shape.map((extent) =>
    typeof extent === "object" && extent ? dimensions[extent.of]!.name : extent,
  );
  return shape.length === 0 ? dtype : `[${dtype}; ${extents.join(", ")}]`;
}
