// Saves the parameters of a module to a `.safetensors` file, and loads them.

import { failed } from "../../base/failure.ts";
import { namesInSafetensors, readSafetensors, writeSafetensors } from "../../host/safetensors.ts";
import type { TensorType } from "../core/definition.ts";
import { TensorError } from "../core/error.ts";
import type { Cells } from "../core/kernel.ts";
import { Tensor } from "../tensor.ts";
import type { Module } from "./module.ts";

/** The file with every tensor of the module, by path. */
export function saveState(module: Module): Uint8Array {
  const values = [...module.namedTensors()].map(
    ([name, { dtype, shape, data }]) => [name, { dtype, shape, data }] as const,
  );
  const bytes = writeSafetensors(new Map(values));
  if (failed(bytes)) throw new TensorError(`saveState: ${bytes.error}`);
  return bytes;
}

/** Copies the tensors of a file into a module with the same names. */
export function loadState(module: Module, bytes: Uint8Array): void {
  const names = namesInSafetensors(bytes);
  if (failed(names)) throw new TensorError(`loadState: ${names.error}`);
  const state = names.map((name): [string, Tensor] => {
    const value = readSafetensors(bytes, { key: name, name });
    if (failed(value)) throw new TensorError(`loadState: ${value.error}`);
    return [
      name,
      new Tensor(
        { cells: value.data as Cells, version: 0 },
        value.shape,
        value.dtype as TensorType,
      ),
    ];
  });
  module.load(new Map(state));
}
