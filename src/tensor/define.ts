// Operations that users define: as Einlang source, whose pullback is derived, or as a plain
// function with a registered backward function.

import { compile } from "../driver/compile.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { isFloat } from "../scalar/types.ts";
import type { Definition, Named, TensorType } from "./core/definition.ts";
import { TensorError } from "./core/error.ts";
import { inlined } from "./core/inlined.ts";
import { kernelOf, type Cells } from "./core/kernel.ts";
import { isHeard, tell, unheard } from "./core/listener.ts";
import { tensorOf, tensorsOf, type Operand } from "./core/operand.ts";
import { preparedFrom, type Prepared } from "./core/operation.ts";
import { recorded } from "./core/recipe.ts";
import { Tensor } from "./tensor.ts";

/**
 * An operation from a program. Its inputs are the operands in order, and its last value is the
 * result: `define("swish", "input x: [f32; n]; let y[i] = x[i] * sigmoid(x[i]);")`.
 */
export function define(name: string, source: string): (...operands: readonly Operand[]) => Tensor {
  const { definition, values: own } = definitionFrom(name, source);
  const known = new Map<string, Prepared>();
  return (...given) => {
    if (given.length !== definition.operands.length)
      throw new TensorError(
        `${name}: ${definition.operands.length} operands are wanted, ${given.length} came`,
      );
    const operands = given.map((operand, k) => tensorOf(operand, definition.operands[k]!.dtype));
    const values = operands.map(({ dtype, shape, data }) => ({ dtype, shape, data }));
    const { shape, data, dtype } = computeResult(name, definition, values);
    const result = new Tensor({ cells: data as Cells, version: 0 }, shape, dtype as TensorType);
    const key = operands.map((operand) => `${operand.dtype}${operand.shape.join()}`).join(" ");
    let prepared = known.get(key);
    if (!prepared) {
      const shapes = operands.map((operand) => operand.shape);
      const written = (names: readonly string[], out: string): Definition => ({
        ...definition,
        functions: "",
        lines: inlined({
          source: { name, text: source },
          values: own,
          operands: names,
          shapes,
          result: out,
        }),
      });
      const plan = {
        shape,
        dtype: result.dtype,
        definition,
        views: shapes,
        view: shape,
        sizes: [],
        written,
      };
      known.set(key, (prepared = preparedFrom(plan, operands)));
    }
    if (isHeard()) tell({ kind: "operation", operation: name, operands, result, prepared });
    return recorded(result, { operation: name, operands, options: undefined, prepared });
  };
}

function computeResult(
  name: string,
  definition: Definition,
  values: readonly TensorValue[],
): TensorValue {
  try {
    return kernelOf(definition).run([], values)[0]!;
  } catch (error) {
    throw error instanceof TensorError ? new TensorError(`${name}: ${error.message}`) : error;
  }
}

function definitionFrom(
  name: string,
  source: string,
): { readonly definition: Definition; readonly values: readonly string[] } {
  const { program, diagnostics } = compile({ name, text: source });
  const wrong = diagnostics.find(({ level }) => level === "error");
  if (!program) throw new TensorError(`${name}: ${wrong!.code}, ${wrong!.title}`);
  const last = program.values.at(-1);
  const result = last === undefined ? undefined : program.formOf(last);
  if (!result)
    throw new TensorError(
      `${name}: the program has no value to be the result; end it with a \`let\``,
    );
  const named = ({ name, dtype, shape }: typeof result): Named => ({
    name,
    dtype: dtype as TensorType,
    axes: (shape ?? []).map(() => "?"),
  });
  const operands = program.inputs.map((input) => ({ ...named(input), isDeclared: true as const }));
  const definition = { functions: source, sizes: [], operands, lines: "", result: named(result) };
  return { definition, values: program.values };
}

/**
 * An operation from a plain function of tensors. Operations inside the function are not recorded.
 * `registerBackward` gives its backward function; without one, an error occurs only if a gradient
 * needs it.
 */
export function defineFunction<Options = undefined>(
  name: string,
  compute: (operands: readonly Tensor[], options: Options) => Tensor,
): (operands: readonly Operand[], options: Options) => Tensor {
  return (given, options) => {
    const operands = tensorsOf(given);
    const computed = unheard(() =>
      compute(
        operands.map((operand) => operand.detach()),
        options,
      ),
    );
    if (!(computed instanceof Tensor))
      throw new TensorError(`${name}: the function gives a tensor, and ${String(computed)} came`);
    const { storage, shape, dtype } = computed;
    const result = new Tensor({ cells: storage.cells.slice(), version: 0 }, shape, dtype);
    if (isHeard()) tell({ kind: "operation", operation: name, operands, result });
    if (!isFloat(dtype)) return result;
    return recorded(result, { operation: name, operands, options });
  };
}
