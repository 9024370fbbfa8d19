// Operations of the user's own: as Einlang source, whose backward is derived, or as a plain function with a registered one.

import { compile } from "../compile.ts";
import { isFloat } from "../ir/scalar/types.ts";
import type { Definition, Named, TensorType } from "./definition.ts";
import { TensorError } from "./error.ts";
import { kernelOf, type Cells } from "./kernel.ts";
import { tensorOf, tensorsOf, type Operand } from "./operand.ts";
import { preparedFrom, type Prepared } from "./operation.ts";
import { recorded } from "./recipe.ts";
import { Tensor } from "./tensor.ts";

/**
 * An operation from a program: its inputs are the operands in order, its last value the result.
 * `define("swish", "input x: [f32; n]; let y[i] = x[i] * sigmoid(x[i]);")`.
 */
export function define(name: string, source: string): (...operands: readonly Operand[]) => Tensor {
  const definition = definitionFrom(name, source);
  const known = new Map<string, Prepared>();
  return (...given) => {
    if (given.length !== definition.operands.length)
      throw new TensorError(`${name}: ${definition.operands.length} operands are wanted, ${given.length} came`);
    const operands = given.map((operand, k) => tensorOf(operand, definition.operands[k]!.dtype));
    const values = operands.map(({ dtype, shape, data }) => ({ dtype, shape, data }));
    const { shape, data, dtype } = kernelOf(definition).run([], values)[0]!;
    const result = new Tensor({ cells: data as Cells, version: 0 }, shape, dtype as TensorType);
    const key = operands.map((operand) => `${operand.dtype}${operand.shape.join()}`).join(" ");
    let prepared = known.get(key);
    if (!prepared) {
      const views = operands.map((operand) => operand.shape);
      const plan = { shape, dtype: result.dtype, definition, views, view: shape, sizes: [], written: () => definition };
      known.set(key, (prepared = preparedFrom(plan, operands)));
    }
    return recorded(result, { operation: name, operands, options: undefined, prepared });
  };
}

function definitionFrom(name: string, source: string): Definition {
  const { program, diagnostics } = compile({ name, text: source });
  const wrong = diagnostics.find(({ level }) => level === "error");
  if (!program) throw new TensorError(`${name}: ${wrong!.code}, ${wrong!.title}`);
  const last = program.values.at(-1);
  const result = last === undefined ? undefined : program.formOf(last);
  if (!result) throw new TensorError(`${name}: the program has no value to be the result; end it with a \`let\``);
  const named = ({ name, dtype, shape }: typeof result): Named => ({
    name,
    dtype: dtype as TensorType,
    axes: (shape ?? []).map(() => "?"),
  });
  const operands = program.inputs.map((input) => ({ ...named(input), isDeclared: true as const }));
  return { functions: source, sizes: [], operands, lines: "", result: named(result) };
}

/**
 * An operation from a plain function of tensors, which is not recorded itself. What comes back through it is what `registerBackward` says;
 * without it, it is an error to need it, and not before.
 */
export function defineFunction<Options = undefined>(
  name: string,
  compute: (operands: readonly Tensor[], options: Options) => Tensor,
): (operands: readonly Operand[], options: Options) => Tensor {
  return (given, options) => {
    const operands = tensorsOf(given);
    const { storage, shape, dtype } = compute(
      operands.map((operand) => operand.detach()),
      options,
    );
    const result = new Tensor({ cells: storage.cells.slice(), version: 0 }, shape, dtype);
    if (!isFloat(dtype)) return result;
    return recorded(result, { operation: name, operands, options });
  };
}
