// Networks of eager tensors: modules, layers, and saving their state. How they are trained is in
// `optim`.
//
// A module of a network: parameters by name, and a function of tensors.

import { TensorError } from "../core/error.ts";
import { noGrad } from "../mode.ts";
import { showShape } from "../core/shape.ts";
import { Tensor } from "../tensor.ts";

export abstract class Module {
  /** Whether dropout is active. */
  isTraining = true;

  abstract forward(x: Tensor): Tensor;

  /** Every parameter, by its path: `layers.0.weight`. */
  namedParameters(): ReadonlyMap<string, Tensor> {
    return new Map([...this.namedTensors()].filter(([, tensor]) => tensor.requiresGrad));
  }

  /**
   * Every tensor, by its path. Tensors that are not trained are included, because they are saved
   * and loaded too.
   */
  namedTensors(): ReadonlyMap<string, Tensor> {
    const found = new Map<string, Tensor>();
    for (const [name, part] of partsWithParameters(this)) {
      if (part instanceof Tensor) found.set(name, part);
      else for (const [inner, tensor] of part.namedTensors()) found.set(`${name}.${inner}`, tensor);
    }
    return found;
  }

  parameters(): readonly Tensor[] {
    return [...this.namedParameters().values()];
  }

  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = undefined;
  }

  train(isTraining = true): this {
    this.isTraining = isTraining;
    for (const [, part] of partsWithParameters(this))
      if (part instanceof Module) part.train(isTraining);
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  /** Copies values into the tensors of the module. Names, types and shapes must be the same. */
  load(state: ReadonlyMap<string, Tensor>): void {
    const parameters = this.namedTensors();
    const missing = [...parameters.keys()].filter((name) => !state.has(name));
    const unknown = [...state.keys()].filter((name) => !parameters.has(name));
    if (missing.length > 0 || unknown.length > 0) {
      const parts = [
        ...(missing.length > 0 ? [`${missing.join(", ")} missing`] : []),
        ...(unknown.length > 0 ? [`${unknown.join(", ")} not known here`] : []),
      ];
      throw new TensorError(`load: ${parts.join("; ")}`);
    }
    for (const [name, parameter] of parameters) {
      const value = state.get(name)!;
      if (showShape(value.shape) !== showShape(parameter.shape) || value.dtype !== parameter.dtype)
        throw new TensorError(
          `load: ${name} is ${parameter.dtype} ${showShape(parameter.shape)}, ` +
            `and ${value.dtype} ${showShape(value.shape)} came`,
        );
    }
    noGrad(() => {
      for (const [name, parameter] of parameters) parameter.zero_().add_(state.get(name)!);
    });
  }
}

/** The parts of a module with parameters: its fields, and the members of its lists. */
function partsWithParameters(module: Module): readonly (readonly [string, Tensor | Module])[] {
  return Object.entries(module).flatMap(([name, field]): [string, Tensor | Module][] => {
    if (field instanceof Tensor || field instanceof Module) return [[name, field]];
    if (!Array.isArray(field)) return [];
    return field.flatMap((each, k): [string, Tensor | Module][] =>
      each instanceof Tensor || each instanceof Module ? [[`${name}.${k}`, each]] : [],
    );
  });
}
