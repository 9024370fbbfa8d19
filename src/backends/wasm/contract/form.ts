// Which form tiles have on this host: how many accumulators its compiler keeps in registers, and whether it may join products and sums.

import { encodeModule } from "../encode.ts";
import { webAssembly } from "../web-assembly.ts";
import { contractionFunctions } from "./module.ts";
import type { Form } from "./tile.ts";

let isAllowed = false;
let isThere: boolean | undefined;

/**
 * Allows products and sums to be one instruction where the host has it: about a quarter faster, and on hosts that differ the last bits may,
 * because it may round once or twice. Returns whether the host has it. What is compiled afterwards uses it.
 */
export function allowRelaxed(allowed: boolean): boolean {
  isAllowed = allowed;
  return hasRelaxed();
}

function hasRelaxed(): boolean {
  isThere ??= webAssembly().validate(
    encodeModule({ imports: [], memory: { pages: 1 }, functions: contractionFunctions({ ...tileOf("f32"), relaxed: true }) }), // prettier-ignore
  );
  return isThere;
}

/** Four rows of two vectors: with more accumulators, V8 up to version 12 keeps some of them in memory. */
function tileOf(type: Form["type"]): Omit<Form, "relaxed"> {
  return { type, rows: 4, columns: type === "f32" ? 8 : 4 };
}

export function formFor(type: Form["type"]): Form {
  return { ...tileOf(type), relaxed: isAllowed && hasRelaxed() };
}
