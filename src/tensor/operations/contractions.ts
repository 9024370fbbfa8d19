// Sums of products. An `einsum` equation says which coordinate walks each axis; `matmul` is one of
// these equations.

import { isFloat, isInteger } from "../../scalar/types.ts";
import { TensorError } from "../core/error.ts";
import { cell, indexedPlan, reduced } from "../core/indexed.ts";
import type { Form, Operation } from "../core/operation.ts";
import type { Walk } from "../core/pattern.ts";
import { showShape, type Shape } from "../core/shape.ts";
import { promoted } from "./pointwise.ts";

/** `equation` is NumPy's: `bij,bjk->bik`, with `...` for broadcast axes. */
export const einsum: Operation<string> = {
  name: "einsum",
  isDifferentiable: true,
  plan: (forms, equation) => contraction("einsum", forms, parse(equation, forms)),
};

/** The product of vectors, matrices, or stacks of matrices. */
export const matmul: Operation = {
  name: "matmul",
  isDifferentiable: true,
  plan: (forms) => {
    const [a, b] = forms.map(({ shape }) => shape) as [Shape, Shape];
    if (a.length === 0 || b.length === 0)
      throw new TensorError("matmul: a scalar has no matrix product; use multiply");
    const left = a.length === 1 ? "k" : "...ik";
    const right = b.length === 1 ? "k" : "...kj";
    const result = `...${a.length === 1 ? "" : "i"}${b.length === 1 ? "" : "j"}`;
    const [last, first] = [a.at(-1)!, b.length === 1 ? b[0]! : b.at(-2)!];
    if (last !== first) {
      throw new TensorError(
        `matmul: the shapes ${showShape(a)} and ${showShape(b)} do not fit: ` +
          `rows of ${last} meet columns of ${first}`,
      );
    }
    return contraction("matmul", forms, parse(`${left},${right}->${result}`, forms));
  },
};

interface Subscripts {
  readonly operands: readonly (readonly string[])[];
  readonly result: readonly string[];
}

function contraction(name: string, forms: readonly Form[], { operands, result }: Subscripts) {
  const numbers = new Map<string, number>();
  const extents: number[] = [];
  for (const [k, letters] of operands.entries()) {
    for (const [axis, letter] of letters.entries()) {
      const extent = forms[k]!.shape[axis]!;
      const known = numbers.get(letter);
      if (known === undefined) {
        numbers.set(letter, extents.length);
        extents.push(extent);
      } else if (extents[known] === 1) extents[known] = extent;
      else if (extent !== 1 && extent !== extents[known]) {
        const what = letter.length === 1 ? `\`${letter}\`` : "a broadcast axis";
        throw new TensorError(
          `${name}: ${what} has the extents ${extents[known]} and ${extent}, ` +
            `in ${forms.map(({ shape }) => showShape(shape)).join(" and ")}`,
        );
      }
    }
  }
  const walks = operands.map((letters, k) =>
    letters.map((letter, axis): Walk => {
      const c = numbers.get(letter)!;
      return forms[k]!.shape[axis] === 1 && extents[c] !== 1 ? "one" : c;
    }),
  );
  const kept = result.map((letter) => numbers.get(letter)!);
  const dtype = promoted(forms.map((form) => form.dtype));
  if (!isFloat(dtype) && !isInteger(dtype))
    throw new TensorError(`${name}: the operands are bool; cast them first, \`x.to("f32")\``);
  return indexedPlan(forms, {
    shape: kept.map((c) => extents[c]!),
    dtype,
    pattern: { operands: walks, result: kept, extents },
    lines: ({ out, slots, reduced: over, read }) => {
      const product = forms.map((_, k) => read(k, dtype)).join(" * ");
      return (
        `let ${cell(out, slots)} = ` +
        `${over.length === 0 ? product : reduced("sum", over, product)};`
      );
    },
  });
}

/** The letters of each axis. Broadcast axes are named from the last one. */
function parse(equation: string, forms: readonly Form[]): Subscripts {
  const wrong = (what: string): TensorError =>
    new TensorError(`einsum: ${what} in "${equation}"; write it like "bij,bjk->bik"`);
  if (typeof equation !== "string") throw wrong("there is no text");
  const [left, right, ...rest] = equation.replaceAll(" ", "").split("->");
  if (rest.length > 0) throw wrong("there are two arrows");
  const parts = left!.split(",");
  if (parts.length !== forms.length)
    throw wrong(
      `there are ${parts.length} operands for ${forms.length} ` +
        `tensor${forms.length === 1 ? "" : "s"}`,
    );
  let widest = 0;
  const operands = parts.map((part, k) => {
    const rank = forms[k]!.shape.length;
    const named = part.replace("...", "");
    if (!/^[A-Za-z]*$/.test(named)) throw wrong(`\`${part}\` is not made of letters`);
    const extra = rank - named.length;
    if (part.includes("...") ? extra < 0 : extra !== 0)
      throw wrong(`\`${part}\` names ${named.length} axes of a tensor of rank ${rank}`);
    widest = Math.max(widest, extra);
    return lettersOf(part, extra);
  });
  const all = operands.flat();
  const once = [...new Set(all)].filter(
    (letter) => letter.length === 1 && all.filter((l) => l === letter).length === 1,
  );
  const result =
    right === undefined ? [...ellipsis(widest), ...once.sort()] : lettersOf(right, widest);
  const twice = result.find((letter, k) => result.indexOf(letter) !== k);
  if (twice) throw wrong(`\`${twice}\` stands twice in the result`);
  const unknown = result.find((letter) => !all.includes(letter));
  if (unknown !== undefined) throw wrong(`\`${unknown}\` of the result stands in no operand`);
  return { operands, result };
}

function lettersOf(part: string, extra: number): readonly string[] {
  const at = part.indexOf("...");
  if (at < 0) return [...part];
  return [...part.slice(0, at), ...ellipsis(extra), ...part.slice(at + 3)];
}

/** Names for broadcast axes, counted from the last axis: `...2`, `...1`. */
function ellipsis(count: number): readonly string[] {
  return Array.from({ length: count }, (_, k) => `...${count - k}`);
}
