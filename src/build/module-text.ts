// The text of the ES module of a built program, and the text of its types.

import type { Built, Dimension, Form } from "../runtime/built.ts";

/** The module, with its kernels inside. It imports only the runtime. */
export function moduleText(built: Built, runtime: string): string {
  return [
    `// Built by Einlang from ${oneLine(built.source)}.`,
    `import { load } from ${JSON.stringify(runtime)};`,
    `export const run = await load(${JSON.stringify(built)});`,
    "export default run;",
    "",
  ].join("\n");
}

/** The types of the inputs and outputs of `run`, with all extents that are known. */
export function typesText(built: Built): string {
  const inputs = built.inputs.map((form) => `  readonly ${form.name}: ${inputType(form, built)};`);
  const outputs = built.outputs.map(
    (form) => `  readonly ${form.name}: ${valueType(form, built)};`,
  );
  const none = inputs.length === 0;
  return [
    `// Built by Einlang from ${oneLine(built.source)}.`,
    "",
    `export interface Inputs {${block(inputs)}}`,
    "",
    `export interface Outputs {${block(outputs)}}`,
    "",
    `/** Computes the outputs${built.dimensions.map(dimensionText).join("")}. ` +
      "The arrays that come out are the caller's. */",
    `export declare function run(inputs${none ? "?" : ""}: Inputs): Outputs;`,
    "export default run;",
    "",
  ].join("\n");
}

const block = (lines: readonly string[]): string =>
  lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

const arrayTypes = {
  bool: "Uint8Array",
  i8: "Int8Array",
  i32: "Int32Array",
  i64: "BigInt64Array",
  f16: "Float32Array",
  bf16: "Float32Array",
  f32: "Float32Array",
  f64: "Float64Array",
} as const;

/** The words that say for which extents a module computes. */
function dimensionText({ name, extents, inRows }: Dimension): string {
  return inRows
    ? `, for any extent of \`${name}\``
    : `, for the extents ${extents.toReversed().join(", ")} of \`${name}\``;
}

function valueType({ dtype, shape }: Form, { dimensions }: Built): string {
  const extents = shape.map((extent) => {
    if (typeof extent === "number") return extent;
    const dimension = extent ? dimensions[extent.of] : undefined;
    return dimension && !dimension.inRows ? dimension.extents.toReversed().join(" | ") : "number";
  });
  return (
    `{ readonly data: ${arrayTypes[dtype]}; readonly shape: readonly [${extents.join(", ")}]; ` +
    `readonly dtype: "${dtype}" }`
  );
}

/** An input may also be an array of cells, and a scalar a number. */
function inputType(form: Form, built: Built): string {
  const scalar = form.dtype === "i64" ? "bigint" : form.dtype === "bool" ? "boolean" : "number";
  const bare =
    form.shape.length === 0 ? `${scalar} | ${arrayTypes[form.dtype]}` : arrayTypes[form.dtype];
  return `${valueType(form, built)} | ${bare}`;
}
