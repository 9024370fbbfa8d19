// Backpropagation: visits the tensors that a root depends on, each once, after all tensors that
// were made of it.

import { TensorError } from "./core/error.ts";
import { noGrad, enableGrad } from "./mode.ts";
import { add, multiply, onesLike, sum as total } from "./functions.ts";
import { isHeard, tell, unheard } from "./core/listener.ts";
import { tensorOf, type Operand } from "./core/operand.ts";
import { applyPrepared, type Recipe } from "./core/recipe.ts";
import { registered } from "./core/registry.ts";
import { showShape } from "./core/shape.ts";
import { Tensor } from "./tensor.ts";

export interface BackwardOptions {
  /** Whether to record the computation of the gradients, so that they have gradients too. */
  readonly createGraph?: boolean;
}

/** Adds the gradients of ⟨endGrad, root⟩ to the `.grad` of leaves. */
export function backward(
  root: Tensor,
  endGrad: Operand | undefined,
  options: BackwardOptions,
): void {
  const gradients = unheard(() => differentiated(root, endGrad, options));
  const kept = unheard(() => ownCells(gradients, endGrad, options));
  tell({
    kind: "backward",
    root: weighedRoot(root, endGrad),
    gradients: kept,
    kept: [...kept.keys()],
  });
  for (const [tensor, gradient] of kept)
    tensor.grad = tensor.grad ? addGradients(tensor.grad, gradient, options) : gradient;
}

/**
 * The gradient of every tensor that the root depends on and that requires one. No `.grad` changes.
 */
export function gradientsOf(
  root: Tensor,
  endGrad?: Operand,
  options: BackwardOptions = {},
): ReadonlyMap<Tensor, Tensor> {
  const gradients = unheard(() => differentiated(root, endGrad, options));
  tell({ kind: "backward", root: weighedRoot(root, endGrad), gradients, kept: [] });
  return gradients;
}

/**
 * The gradients that are kept in a `.grad`. Users may overwrite them, so no two of them share
 * cells, and none shares cells with `endGrad`.
 */
function ownCells(
  gradients: ReadonlyMap<Tensor, Tensor>,
  endGrad: Operand | undefined,
  options: BackwardOptions,
): ReadonlyMap<Tensor, Tensor> {
  const taken = new Set(endGrad instanceof Tensor ? [endGrad.data] : []);
  const kept = [...gradients].filter(([tensor]) => tensor.isLeaf || tensor.retainsGrad);
  return new Map(
    kept.map(([tensor, gradient]) => {
      const own = taken.has(gradient.data) ? recordedIf(options, () => gradient.clone()) : gradient;
      taken.add(own.data);
      return [tensor, own];
    }),
  );
}

/** The number whose gradients are computed, ⟨endGrad, root⟩. Only listeners need it. */
function weighedRoot(root: Tensor, endGrad: Operand | undefined): Tensor {
  if (!isHeard() || (root.rank === 0 && endGrad === undefined)) return root;
  return total(endGrad === undefined ? root : multiply(root, endGrad));
}

function differentiated(
  root: Tensor,
  endGrad: Operand | undefined,
  options: BackwardOptions,
): ReadonlyMap<Tensor, Tensor> {
  if (!root.requiresGrad)
    throw new TensorError(
      "backward: this tensor requires no gradients: " +
        "nothing that it is made of has `requiresGrad`, or it was made inside `noGrad`",
    );
  const gradients = new Map<Tensor, Tensor>([[root, seedOf(root, endGrad)]]);
  for (const node of reverseOrder(root)) {
    let gradient = gradients.get(node);
    // A tensor gets no gradient if every path from the root to it passes a result that is not a
    // float.
    if (!gradient) continue;
    for (const hook of node.hooks.slice())
      gradient = checkGradient("a hook", hook(gradient) ?? gradient, node);
    gradients.set(node, gradient);
    if (node.isLeaf) continue;
    for (const [parent, part] of contributionsOf(node.recipe!, gradient, node, options)) {
      const known = gradients.get(parent);
      gradients.set(parent, known ? addGradients(known, part, options) : part);
    }
  }
  return gradients;
}

/** Checks a gradient that a function of the user gave. */
function checkGradient(who: string, gradient: Tensor, { shape, dtype }: Tensor): Tensor {
  if (!(gradient instanceof Tensor))
    throw new TensorError(
      `backward: ${who} gave ${JSON.stringify(gradient)}, and a tensor is wanted`,
    );
  if (showShape(gradient.shape) === showShape(shape) && gradient.dtype === dtype) return gradient;
  throw new TensorError(
    `backward: ${who} gave ${gradient.dtype} of shape ${showShape(gradient.shape)} as the ` +
      `gradient of ${dtype} of shape ${showShape(shape)}`,
  );
}

/** Runs a function, and records its operations if the gradients are to have gradients. */
function recordedIf<T>({ createGraph }: BackwardOptions, run: () => T): T {
  return createGraph ? enableGrad(run) : noGrad(run);
}

function addGradients(a: Tensor, b: Tensor, options: BackwardOptions): Tensor {
  return recordedIf(options, () => add(a, b));
}

function seedOf(root: Tensor, endGrad: Operand | undefined): Tensor {
  if (endGrad === undefined) return onesLike(root);
  const seed = tensorOf(endGrad, root.dtype);
  if (showShape(seed.shape) === showShape(root.shape) && seed.dtype === root.dtype) return seed;
  throw new TensorError(
    `backward: the end gradient is ${seed.dtype} of shape ${showShape(seed.shape)}, ` +
      `and the tensor ${root.dtype} of shape ${showShape(root.shape)}`,
  );
}

/** The contribution to the gradient of each parent. */
function contributionsOf(
  recipe: Recipe,
  gradient: Tensor,
  result: Tensor,
  options: BackwardOptions,
): readonly (readonly [Tensor, Tensor])[] {
  const { prepared, operands, parents, operation } = recipe;
  const positions = [...parents.keys()];
  if (!prepared) {
    return positions.map((position) => {
      const parent = parents.get(position)!;
      const pullback = registered(operation, position);
      const part = recordedIf(options, () =>
        pullback(gradient, result, checkedOperands(recipe), recipe.options),
      );
      return [
        parent,
        checkGradient(`the backward of ${operation} to argument ${position}`, part, parent),
      ];
    });
  }
  if (options.createGraph) {
    return positions.map((position) => {
      const derived = prepared.derived(position);
      checkVersions(recipe, derived.reads());
      const name = `${operation} to argument ${position}`;
      const part = enableGrad(() =>
        applyPrepared(name, derived, [...operands, gradient], recipe.options, true),
      );
      return [parents.get(position)!, part];
    });
  }
  const { run, reads } = prepared.pullback(positions);
  checkVersions(recipe, reads);
  const parts = run(
    operands.map((operand) => operand.data),
    gradient.data,
  );
  return positions.map((position, k) => {
    const parent = parents.get(position)!;
    return [parent, new Tensor({ cells: parts[k]!, version: 0 }, parent.shape, parent.dtype)];
  });
}

/**
 * The operands of a plain function. Each access checks the version of the operand, because only
 * accesses show which operands the backward function needs.
 */
function checkedOperands(recipe: Recipe): readonly Tensor[] {
  const operands: Tensor[] = [];
  for (const [position, operand] of recipe.operands.entries()) {
    const get = (): Tensor => {
      checkVersions(recipe, new Set([position]));
      return operand;
    };
    Object.defineProperty(operands, position, { get, enumerable: true });
  }
  return operands;
}

/** Refuses an operand that the pullback reads and that was overwritten after the operation. */
function checkVersions(
  { operation, operands, versions, place }: Recipe,
  reads: ReadonlySet<number>,
): void {
  for (const [position, operand] of operands.entries()) {
    const { version, writer } = operand.storage;
    if (!reads.has(position) || version === versions[position]) continue;
    const at = place === undefined ? "" : ` (${place})`;
    const hint =
      place === undefined
        ? " Run both inside `traceOps(() => …)` to see the two source lines, or"
        : " You can";
    throw new TensorError(
      `backward: the pullback of ${operation}${at} needs the value that its argument ` +
        `${position} had, and ${writer ?? "an operation in place"} has overwritten it ` +
        `since.${hint} overwrite a \`clone()\` instead.`,
    );
  }
}

/**
 * The tensors that a root depends on and that require gradients, each after all tensors made of it.
 * The loop has its own stack, because graphs are deep.
 */
export function reverseOrder(root: Tensor): readonly Tensor[] {
  const order: Tensor[] = [];
  const done = new Set<Tensor>();
  const active = new Set<Tensor>();
  const stack: { readonly tensor: Tensor; readonly parents: Iterator<Tensor> }[] = [];
  const enter = (tensor: Tensor): void => {
    active.add(tensor);
    const parents = tensor.isLeaf ? [] : tensor.recipe!.parents.values();
    stack.push({ tensor, parents: parents[Symbol.iterator]() });
  };
  enter(root);
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { value: parent, done: isEnd } = top.parents.next();
    if (isEnd) {
      stack.pop();
      active.delete(top.tensor);
      done.add(top.tensor);
      order.push(top.tensor);
    } else if (active.has(parent)) {
      throw new TensorError(
        `backward: the recorded graph has a cycle through ${parent.recipe?.operation ?? "a leaf"}`,
      );
    } else if (!done.has(parent)) enter(parent);
  }
  return order.reverse();
}
