// Backpropagation: from a tensor back along its recipe, every node once, after everything that was made of it.

import { TensorError } from "./error.ts";
import { noGrad, enableGrad } from "./mode.ts";
import { add, multiply, onesLike, sum as total } from "./functions.ts";
import { isHeard, tell, unheard } from "./listener.ts";
import { tensorOf, type Operand } from "./operand.ts";
import { applied, type Recipe } from "./recipe.ts";
import { registered } from "./registry.ts";
import { showShape } from "./shape.ts";
import { Tensor } from "./tensor.ts";

export interface BackwardOptions {
  /** Record what is computed, so that gradients have gradients. */
  readonly createGraph?: boolean;
}

/** ⟨endGrad, root⟩ is differentiated; gradients are added to what leaves hold already. */
export function backward(root: Tensor, endGrad: Operand | undefined, options: BackwardOptions): void {
  const gradients = unheard(() => gradientsOf(root, endGrad, options));
  const keeping = [...gradients.keys()].filter((tensor) => tensor.isLeaf || tensor.retainsGrad);
  tell({ kind: "backward", root: weighed(root, endGrad), leaves: keeping });
  for (const tensor of keeping) {
    const gradient = gradients.get(tensor)!;
    tensor.grad = tensor.grad ? unheard(() => sum(tensor.grad!, gradient, options)) : gradient;
  }
}

/** The number whose gradients are asked for, for those who listen. */
function weighed(root: Tensor, endGrad: Operand | undefined): Tensor {
  if (!isHeard() || (root.rank === 0 && endGrad === undefined)) return root;
  return total(endGrad === undefined ? root : multiply(root, endGrad));
}

/** The gradient of every tensor that the root depends on and that requires one. */
export function gradientsOf(
  root: Tensor,
  endGrad: Operand | undefined,
  options: BackwardOptions = {},
): ReadonlyMap<Tensor, Tensor> {
  if (!root.requiresGrad)
    throw new TensorError(
      "backward: this tensor requires no gradients: nothing that it is made of has `requiresGrad`, or it was made inside `noGrad`",
    );
  const gradients = new Map<Tensor, Tensor>([[root, seedOf(root, endGrad)]]);
  for (const node of reverseOrder(root)) {
    let gradient = gradients.get(node);
    // Every way to it ended in something without a float.
    if (!gradient) continue;
    for (const hook of node.hooks) gradient = hook(gradient) ?? gradient;
    gradients.set(node, gradient);
    if (node.isLeaf) continue;
    for (const [parent, part] of pulledBack(node.recipe!, gradient, node, options)) {
      const known = gradients.get(parent);
      gradients.set(parent, known ? sum(known, part, options) : part);
    }
  }
  return gradients;
}

function sum(a: Tensor, b: Tensor, { createGraph }: BackwardOptions): Tensor {
  return createGraph ? add(a, b) : noGrad(() => add(a, b));
}

function seedOf(root: Tensor, endGrad: Operand | undefined): Tensor {
  if (endGrad === undefined) return onesLike(root);
  const seed = tensorOf(endGrad, root.dtype);
  if (showShape(seed.shape) === showShape(root.shape) && seed.dtype === root.dtype) return seed;
  throw new TensorError(
    `backward: the end gradient is ${seed.dtype} of shape ${showShape(seed.shape)}, and the tensor ${root.dtype} of shape ${showShape(root.shape)}`,
  );
}

/** What comes back to each parent. */
function pulledBack(
  recipe: Recipe,
  gradient: Tensor,
  result: Tensor,
  { createGraph }: BackwardOptions,
): readonly (readonly [Tensor, Tensor])[] {
  const { prepared, operands, parents, operation } = recipe;
  const positions = [...parents.keys()];
  if (!prepared) {
    const run = createGraph ? enableGrad : noGrad;
    return positions.map((position) => {
      const pullback = registered(operation, position);
      return [parents.get(position)!, run(() => pullback(gradient, result, operands, recipe.options))];
    });
  }
  if (createGraph) {
    return positions.map((position) => {
      const derived = prepared.derived(position);
      checkVersions(recipe, derived.reads());
      const name = `${operation} to argument ${position}`;
      return [parents.get(position)!, applied(name, derived, [...operands, gradient], recipe.options, true)];
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

/** A value that the pullback reads must still be the one that the operation read. */
function checkVersions({ operation, operands, versions, place }: Recipe, reads: ReadonlySet<number>): void {
  for (const [position, operand] of operands.entries()) {
    const { version, writer } = operand.storage;
    if (!reads.has(position) || version === versions[position]) continue;
    const at = place === undefined ? "" : ` (${place})`;
    const hint =
      place === undefined ? " Run both inside `traceOps(() => …)` to see the two source lines, or" : " You can";
    throw new TensorError(
      `backward: the pullback of ${operation}${at} needs the value that its argument ${position} had, and ${writer ?? "an operation in place"} has overwritten it since.${hint} overwrite a \`clone()\` instead.`,
    );
  }
}

/** The tensors behind a root that require gradients, each after everything that was made of it. Iterative: graphs are deep. */
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
      throw new TensorError(`backward: the recorded graph has a cycle through ${parent.recipe?.operation ?? "a leaf"}`);
    } else if (!done.has(parent)) enter(parent);
  }
  return order.reverse();
}
