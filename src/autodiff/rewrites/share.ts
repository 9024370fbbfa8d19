// Within one cell nothing is computed twice: an expression that stands in several places of a
// scalar becomes a local.
//
//   (1 - tanh(x) * tanh(x)) * y   is   (1 - shared * shared) * y where shared = tanh(x)
//
// An expression that only branches compute stays there: one of its places has to be outside of
// every branch.

import { isOff } from "../../ir/rewrites.ts";
import { mapParts, partsOf, somewhere } from "../../ir/parts.ts";
import type { Local, Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";
import { keyOf, numberOf } from "../../ir/keys.ts";

/**
 * A scalar with names for what stands in several places of it: nothing is computed where it was not
 * before.
 */
export function withShared(value: Scalar): Scalar {
  return isOff("common-subexpressions") ? value : withSharedAsWritten(value);
}

/** The same, be the rewrite off or not: expressions are split at these names. */
export function withSharedAsWritten(value: Scalar): Scalar {
  return withSharedInEach([value])[0]!;
}

/** The same in each of several scalars, which share the names that they have already. */
export function withSharedInEach(values: readonly Scalar[]): readonly Scalar[] {
  const locals = new Map<string, Local>();
  return values.map((value) => withNames(namedOnce(value, locals)));
}

function withNames(value: Scalar): Scalar {
  // A lookup is only right where it is made: it stays there.
  const looksUp = somewhere(isLookup);
  const seen = new Map<string, { always: number; sometimes: number }>();
  const branches: Scalar[] = [];
  const count = (scalar: Scalar, place: "always" | "sometimes"): void => {
    if (isWorthNaming(scalar) && !looksUp(scalar)) {
      const key = keyOf(scalar);
      const found = seen.get(key);
      // What stands inside of something that is counted already is shared along with it.
      if (found) {
        found[place]++;
        return;
      }
      seen.set(key, { always: 0, sometimes: 0, [place]: 1 });
    }
    if (scalar.kind === "local") return;
    const [first, ...others] = partsOf(scalar);
    const isLazy =
      scalar.kind === "select" || (scalar.kind === "apply" && isLogic(scalar.operation));
    if (!isLazy) for (const part of partsOf(scalar)) count(part, place);
    else {
      count(first!, place);
      if (place === "always") branches.push(...others);
      else for (const other of others) count(other, place);
    }
  };
  count(value, "always");
  for (const branch of branches) count(branch, "sometimes");
  const isShared = (key: string): boolean => {
    const found = seen.get(key);
    return found !== undefined && found.always >= 1 && found.always + found.sometimes >= 2;
  };
  if (![...seen.keys()].some(isShared)) return value;

  const locals = new Map<string, Local>();
  const rebuilt = (scalar: Scalar): Scalar => {
    if (!isWorthNaming(scalar) || looksUp(scalar) || !isShared(keyOf(scalar)))
      return mapParts(scalar, rebuilt);
    const key = keyOf(scalar);
    let local = locals.get(key);
    if (!local) locals.set(key, (local = { name: "shared", value: mapParts(scalar, rebuilt) }));
    return { kind: "local", type: scalar.type, local };
  };
  return rebuilt(value);
}

/** Names for the same thing are one name, in several scalars if they share what names stand for. */
export function namedOnce(value: Scalar, locals: Map<string, Local>): Scalar {
  const once = (scalar: Scalar): Scalar => {
    if (scalar.kind !== "local" || scalar.local.slope) return mapParts(scalar, once);
    const number = numberOf(scalar);
    let local = locals.get(number);
    if (!local) {
      const inside = once(scalar.local.value);
      locals.set(
        number,
        (local = inside === scalar.local.value ? scalar.local : { ...scalar.local, value: inside }),
      );
    }
    return local === scalar.local ? scalar : { ...scalar, local };
  };
  return once(value);
}

/** Whether a read has an index that is more than a sum of coordinates. */
function isLookup(part: Scalar): boolean {
  if (part.kind !== "read") return false;
  return part.indices.some((index) => index.kind !== "integer" && index.kind !== "constant");
}

function isLogic(operation: string): boolean {
  return operation === "and" || operation === "or";
}

/** Two operations at least, or one that is more than arithmetic. */
export function isWorthNaming(scalar: Scalar): boolean {
  if (scalar.kind === "call") return isFloat(scalar.type);
  if (scalar.kind !== "apply" || !(isFloat(scalar.within) || isFloat(scalar.type))) return false;
  return isDear(scalar.operation) || scalar.operands.some((operand) => operand.kind === "apply");
}

function isDear(operation: string): boolean {
  return ![
    "add",
    "subtract",
    "multiply",
    "negate",
    "stop",
    "max",
    "min",
    "abs",
    "equal",
    "less",
    "lessEqual",
    "greater",
    "greaterEqual",
    "notEqual",
    "relu",
    "sign",
  ].includes(operation);
}
