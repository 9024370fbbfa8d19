// An eager session as a program: every operation that a function runs becomes the line of Einlang that it is.

import { showTensor } from "../host/show.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { typeText } from "./definition.ts";
import { TensorError } from "./error.ts";
import { listening, type Event } from "./listener.ts";
import type { Tensor } from "./tensor.ts";

export interface Recording {
  /** A program that computes the same values; its gradients are requests. */
  readonly source: string;
  /** The tensors that its inputs stand for, by name. */
  readonly inputs: ReadonlyMap<string, Tensor>;
}

/** Tensors that were there before become inputs, under their own names where they have one (`t.named("W")`). */
export function record(run: () => unknown): Recording {
  const events: Event[] = [];
  listening((event) => events.push(event), run);
  return written(events);
}

/** Written when all is over, because a result gets its name after it is made. */
function written(events: readonly Event[]): Recording {
  const names = new Names();
  const inputs = new Map<string, Tensor>();
  const functions = new Set<string>();
  const lines: string[] = [];
  const nameOf = (tensor: Tensor): string => {
    const known = names.of(tensor);
    if (known !== undefined) return known;
    if (isConstant(tensor)) {
      const name = names.give(tensor, tensor.shape.length === 0 ? "c" : "at");
      lines.push(`let ${name}: ${typeOf(tensor)} = ${showTensor(tensor)};`);
      return name;
    }
    const name = names.give(tensor, tensor.name ?? "x");
    inputs.set(name, tensor);
    return name;
  };
  for (const event of events) {
    if (event.kind === "backward") {
      const of = nameOf(event.root);
      for (const leaf of event.leaves)
        lines.push(`let ${names.fresh(`d_${nameOf(leaf)}`)} = @${of} / @${nameOf(leaf)};`);
      continue;
    }
    const { prepared, operands, result, operation } = event;
    if (!prepared)
      throw new TensorError(
        `record: ${operation} is a plain function, which has no Einlang; define it with \`define\``,
      );
    const given = operands.map(nameOf);
    const definition = prepared.plan.written(given, names.give(result, result.name ?? operation));
    if (definition.functions !== "") functions.add(definition.functions);
    lines.push(definition.lines);
  }
  const declared = [...inputs].map(([name, tensor]) => `input ${name}: ${typeOf(tensor)};`);
  return { source: `${[...functions, ...declared, ...lines].join("\n")}\n`, inputs };
}

/** Numbers that stand in the calls, and lists of positions. */
function isConstant(tensor: Tensor): boolean {
  if (tensor.name !== undefined || tensor.requiresGrad) return false;
  return tensor.isLiteral || (tensor.shape.length === 0 && !isFloat(tensor.dtype));
}

function typeOf({ dtype, shape }: Tensor): string {
  return typeText({ name: "", dtype, axes: shape.map(String) });
}

/** A name for each tensor, each name once. */
class Names {
  readonly #names = new Map<Tensor, string>();
  readonly #taken = new Set<string>();

  of(tensor: Tensor): string | undefined {
    return this.#names.get(tensor);
  }

  give(tensor: Tensor, wish: string): string {
    const name = this.fresh(wish.replaceAll(/\W+/g, "_"));
    this.#names.set(tensor, name);
    return name;
  }

  fresh(wish: string): string {
    let name = reserved.has(wish) ? `${wish}_1` : wish;
    for (let k = 2; this.#taken.has(name); k++) name = `${wish}_${k}`;
    this.#taken.add(name);
    return name;
  }
}

/** Names that mean something in the language. */
const reserved = new Set(
  "let const fn pub use mod as where else if match true false enum struct sum prod mean max min argmax argmin any all count logsumexp exp log sqrt sin cos tan tanh sigmoid relu abs floor ceil round sign pow clamp erf log1p expm1 print assert len shape typeof extent stop uniform normal randint maximum minimum".split(
    " ",
  ),
);
