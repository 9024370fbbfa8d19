// The functions that kernels import from the host: the oracle's own operations and casts where
// WebAssembly has no instruction, and a function that stops the kernel.

import { cast } from "../../scalar/casts.ts";
import { operationRow, type OperationName } from "../../scalar/operations.ts";
import type { ElementType, Scalar as Value } from "../../scalar/types.ts";
import type { ImportedFunction, Signature } from "./code/encode.ts";
import type { Imports } from "./code/emitter.ts";

/** A kernel met a cell that it must not compute. The oracle then says what is wrong. */
export class KernelFault extends Error {}

type HostFunction = (...values: readonly (number | bigint)[]) => number | bigint;

function fromWasm(type: ElementType, value: number | bigint): Value {
  return type === "bool" ? value !== 0 : value;
}

function toWasm(value: Value): number | bigint {
  return typeof value === "boolean" ? Number(value) : (value as number | bigint);
}

/**
 * The host function of an import: `fault`, `apply/OPERATION/WITHIN/TYPE/OPERANDS` or
 * `cast/FROM/TO`.
 */
export function hostFunction(name: string): HostFunction {
  const [kind, ...rest] = name.split("/");
  if (kind === "fault") {
    return () => {
      throw new KernelFault();
    };
  }
  if (kind === "cast") {
    const [from, to] = rest as [ElementType, ElementType];
    return (value) => toWasm(cast(from, to, fromWasm(from, value)));
  }
  const [operation, within, , types] = rest as [OperationName, ElementType, ElementType, string];
  const { evaluate } = operationRow(operation);
  const operands = types.split(",") as ElementType[];
  return (...values) =>
    toWasm(evaluate(within, ...operands.map((type, k) => fromWasm(type, values[k]!))));
}

interface ImportList extends Imports {
  readonly all: readonly ImportedFunction[];
}

export function newImports(): ImportList {
  const all: ImportedFunction[] = [];
  return {
    all,
    indexOf(name: string, signature: Signature) {
      const index = all.findIndex((each) => each.name === name);
      return index >= 0 ? index : all.push({ name, signature }) - 1;
    },
  };
}
