// Records an eager session as an Einlang program. Every operation becomes a line of source:
//
//   const y = x.add(1);      let add[i] = x[i] + c;

import { showTensor } from "../scalar/values/show.ts";
import { isFloat } from "../scalar/types.ts";
import { typeText } from "./core/definition.ts";
import { TensorError } from "./core/error.ts";
import { cell } from "./core/indexed.ts";
import { listening, type Event } from "./core/listener.ts";
import type { Tensor } from "./tensor.ts";

export interface Recording {
  /** A program that computes the same values. Its gradients are derivative requests. */
  readonly source: string;
  /** The tensors for the inputs of the program, by name. */
  readonly inputs: ReadonlyMap<string, Tensor>;
}

/**
 * Records a function. Tensors that existed before become inputs, under their own names if they have
 * some (`t.named("W")`).
 */
export function record(run: () => unknown): Recording {
  const events: Event[] = [];
  listening((event) => events.push(event), run);
  return writeProgram(events);
}

/**
 * Writes the program after the function has ended, because a result may get its name after it is
 * made.
 */
function writeProgram(events: readonly Event[]): Recording {
  for (const event of events)
    if (event.kind === "overwritten") event.result.name ??= event.target.name;
  const program = new Program();
  for (const event of events) program.hear(event);
  const { inputs, functions, lines } = program;
  const declared = [...inputs].map(([name, tensor]) => `input ${name}: ${typeTextOf(tensor)};`);
  return { source: `${[...functions, ...declared, ...lines].join("\n")}\n`, inputs };
}

/** A program that grows line by line. */
class Program {
  readonly inputs = new Map<string, Tensor>();
  readonly functions = new Set<string>();
  readonly lines: string[] = [];
  readonly #names = new Names();
  /**
   * The derivative request of each gradient. A gradient that is not kept in a `.grad` is written
   * only when something reads it.
   */
  readonly #requests = new Map<Tensor, string>();
  readonly #gradients = new Set<Tensor>();

  hear(event: Event): void {
    switch (event.kind) {
      case "operation": {
        const { prepared, operands, result, operation } = event;
        if (!prepared)
          throw new TensorError(
            `record: ${operation} is a plain function, which has no Einlang; ` +
              "define it with `define`",
          );
        const given = operands.map((operand) => this.nameOf(operand));
        const wish = result.name ?? operation;
        let out = this.#names.give(result, wish);
        let definition = prepared.plan.written(given, out);
        while (!this.#names.reserve(declaredBeside(out, definition.lines))) {
          out = this.#names.give(result, wish);
          definition = prepared.plan.written(given, out);
        }
        if (definition.functions !== "") this.functions.add(definition.functions);
        this.lines.push(definition.lines);
        return;
      }
      case "backward": {
        this.checkInside(event.root);
        const root = this.nameOf(event.root);
        for (const [tensor, gradient] of event.gradients) {
          this.#gradients.add(gradient);
          const at = this.#names.of(tensor);
          if (at !== undefined && tensor !== event.root)
            this.#requests.set(gradient, `@${root} / @${at}`);
        }
        for (const tensor of event.kept)
          this.nameOf(event.gradients.get(tensor)!, `d_${this.nameOf(tensor)}`);
        return;
      }
      case "detached":
        this.stopped(event.from, event.to);
        return;
      case "before": {
        const { target, before } = event;
        const isKnown = this.#names.of(target) !== undefined || this.#requests.has(target);
        this.#names.same(before, isKnown ? this.nameOf(target) : this.nameOf(before, target.name));
        for (const [name, { storage }] of this.inputs)
          if (storage === target.storage) this.inputs.set(name, before);
        this.#names.same(target, this.nameOf(before));
        return;
      }
      case "overwritten": {
        const name = this.nameOf(event.result, event.target.name);
        const sharing = this.#names.sharing(event.target);
        this.#names.same(event.target, name);
        for (const tensor of sharing) this.stopped(event.target, tensor);
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** Writes a tensor as a copy of another one, through which derivatives do not pass. */
  stopped(from: Tensor, to: Tensor): void {
    const slots = from.shape.map((_, axis) => `i${axis}`);
    const value = cell(this.nameOf(from), slots);
    this.lines.push(
      `let ${cell(this.#names.give(to, to.name ?? "detached"), slots)} = stop(${value});`,
    );
  }

  nameOf(tensor: Tensor, wish = tensor.name): string {
    const known = this.#names.of(tensor);
    if (known !== undefined) return known;
    const request = this.#requests.get(tensor);
    if (request !== undefined) {
      const name = this.#names.give(tensor, wish ?? "gradient");
      this.lines.push(`let ${name} = ${request};`);
      return name;
    }
    if (isConstant(tensor)) {
      const name = this.#names.give(tensor, tensor.shape.length === 0 ? "c" : "at");
      this.lines.push(`let ${name}: ${typeTextOf(tensor)} = ${showTensor(tensor)};`);
      return name;
    }
    const name = this.#names.give(tensor, wish ?? "x");
    this.inputs.set(name, tensor);
    return name;
  }

  /** Refuses gradients through operations that ran before the recording. */
  checkInside(root: Tensor): void {
    const seen = new Set<Tensor>();
    const open = [root];
    for (let tensor = open.pop(); tensor; tensor = open.pop()) {
      if (seen.has(tensor) || tensor.isLeaf || this.#gradients.has(tensor)) continue;
      seen.add(tensor);
      if (
        this.#names.of(tensor) === undefined ||
        this.inputs.get(this.#names.of(tensor)!) === tensor
      )
        throw new TensorError(
          `record: gradients go back through ${tensor.recipe!.operation}, ` +
            "which was computed before the recording; " +
            "compute it inside, or use its `detach()`",
        );
      open.push(...tensor.recipe!.parents.values());
    }
  }
}

/** The names that some lines declare besides their result. */
function declaredBeside(result: string, lines: string): readonly string[] {
  const names = [...lines.matchAll(/^(?:let|fn) (\w+)/gm)].map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== result);
}

/**
 * Whether a tensor is written as a constant: a number or list in a call, or an integer without
 * axes.
 */
function isConstant(tensor: Tensor): boolean {
  if (tensor.name !== undefined || tensor.requiresGrad) return false;
  return tensor.isLiteral || (tensor.shape.length === 0 && !isFloat(tensor.dtype));
}

function typeTextOf({ dtype, shape }: Tensor): string {
  return typeText({ name: "", dtype, axes: shape.map(String) });
}

/** The names of tensors. No name is used twice. */
class Names {
  readonly #names = new Map<Tensor, string>();
  readonly #taken = new Set<string>();

  of(tensor: Tensor): string | undefined {
    return this.#names.get(tensor);
  }

  /** Gives a tensor a name that exists already. */
  same(tensor: Tensor, name: string): void {
    this.#names.set(tensor, name);
  }

  /** The other tensors over the same cells. */
  sharing(target: Tensor): readonly Tensor[] {
    return [...this.#names.keys()].filter(
      (tensor) => tensor !== target && tensor.storage === target.storage,
    );
  }

  give(tensor: Tensor, wish: string): string {
    const plain = wish.replaceAll(/\W+/g, "_");
    const name = this.fresh(/^[A-Za-z]/.test(plain) ? plain : `t${plain}`);
    this.#names.set(tensor, name);
    return name;
  }

  /** Takes names if all of them are free. */
  reserve(names: readonly string[]): boolean {
    if (names.some((name) => this.#taken.has(name))) return false;
    for (const name of names) this.#taken.add(name);
    return true;
  }

  fresh(wish: string): string {
    let name = reserved.has(wish) || isCoordinate(wish) ? `${wish}_1` : wish;
    for (let k = 2; this.#taken.has(name); k++) name = `${wish}_${k}`;
    this.#taken.add(name);
    return name;
  }
}

/**
 * Whether the definitions of operations use a name for a coordinate. A tensor of this name would be
 * hidden there.
 */
function isCoordinate(name: string): boolean {
  return /^([ijkl]|[ijoprt]\d+|class|image|channel|oc|ic|oh|ow|kh|kw)$/.test(name);
}

/** Words of the language, and the functions that definitions declare. */
const reserved = new Set(
  (
    "let const fn pub use mod as where else if match true false enum struct sum prod mean max " +
    "min argmax argmin any all count logsumexp exp log sqrt sin cos tan tanh sigmoid relu abs " +
    "floor ceil round sign pow clamp erf log1p expm1 print assert len shape typeof extent stop " +
    "uniform normal randint maximum minimum cut at_least at_most shared_max shared_min"
  ).split(" "),
);
