// The definition of an operation as Einlang source, and its pullbacks, which the compiler derives.

import type { ElementType } from "../../scalar/types.ts";

export type TensorType = Exclude<ElementType, "str" | "data">;

/** A tensor of a definition. Each axis is a dimension name or a number, as in a type. */
export interface Named {
  readonly name: string;
  readonly dtype: TensorType;
  readonly axes: readonly string[];
  /** Whether the functions before the lines declare this operand. */
  readonly isDeclared?: true;
}

export interface Definition {
  /** The text before the declared operands: functions that the lines call. */
  readonly functions: string;
  /** Names of integer inputs, for extents that no operand has. */
  readonly sizes: readonly string[];
  readonly operands: readonly Named[];
  readonly lines: string;
  readonly result: Named;
}

export function typeText({ dtype, axes }: Named): string {
  return axes.length === 0 ? dtype : `[${dtype}; ${axes.join(", ")}]`;
}

export function sourceOf({ functions, sizes, operands, lines }: Definition): string {
  const given = sizes.map((name) => `input ${name}: i32;`);
  const declared = operands
    .filter(({ isDeclared }) => !isDeclared)
    .map((operand) => `input ${operand.name}: ${typeText(operand)};`);
  return [functions, ...given, ...declared, lines].filter((part) => part !== "").join("\n");
}

/**
 * The pullbacks of a definition to some of its operands. For the operand a, the result y and its
 * gradient g:
 *
 *   let total = sum[p](g[p] * y[p]);
 *   let d_a = @total / @a;
 *
 * Each pullback is a definition with g as one more operand, so it has pullbacks itself.
 */
export function pullbackOf(
  definition: Definition,
  positions: readonly number[],
): readonly Definition[] {
  const { operands, result, lines } = definition;
  const gradient: Named = { ...result, name: `g_${result.name}` };
  const total = `total_${result.name}`;
  const coordinates = result.axes.map((_, axis) => `p${axis}`).join(", ");
  const product =
    result.axes.length === 0
      ? `${gradient.name} * ${result.name}`
      : `sum[${coordinates}](${gradient.name}[${coordinates}] * ${result.name}[${coordinates}])`;
  return positions.map((position) => {
    const operand = operands[position]!;
    const { dtype, axes } = operand;
    const name = `d_${operand.name}_${result.name}`;
    return {
      ...definition,
      operands: [...operands, gradient],
      lines: `${lines}\nlet ${total} = ${product};\nlet ${name} = @${total} / @${operand.name};`,
      result: { name, dtype, axes },
    };
  });
}

/** Several definitions that differ only in their last line, as one source. */
export function jointSource(definitions: readonly Definition[]): string {
  const [first, ...others] = definitions;
  const last = (definition: Definition): string =>
    definition.lines.slice(definition.lines.lastIndexOf("\n") + 1);
  return [sourceOf(first!), ...others.map(last)].join("\n");
}
