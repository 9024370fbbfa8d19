// The parameters of a module as a `.safetensors` file, and back.

import { failed } from "../../host/failure.ts";
import { readSafetensors, writeSafetensors } from "../../host/safetensors.ts";
import type { TensorType } from "../definition.ts";
import { TensorError } from "../error.ts";
import type { Cells } from "../kernel.ts";
import { Tensor } from "../tensor.ts";
import type { Module } from "./module.ts";

/** Every parameter under its path. */
export function saveState(module: Module): Uint8Array {
  const values = [...module.namedParameters()].map(
    ([name, { dtype, shape, data }]) => [name, { dtype, shape, data }] as const,
  );
  const bytes = writeSafetensors(new Map(values));
  if (failed(bytes)) throw new TensorError(`saveState: ${bytes.error}`);
  return bytes;
}

/** Copies the parameters of a file into a module that has the same ones. */
export function loadState(module: Module, bytes: Uint8Array): void {
  const state = [...module.namedParameters().keys()].map((name): [string, Tensor] => {
    const value = readSafetensors(bytes, { key: name, name });
    if (failed(value)) throw new TensorError(`loadState: ${value.error}`);
    return [name, new Tensor({ cells: value.data as Cells, version: 0 }, value.shape, value.dtype as TensorType)];
  });
  module.load(new Map(state));
}
