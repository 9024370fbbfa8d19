// Within one cell nothing is computed twice: an expression that stands in several places of a scalar becomes a local.
//
// Only what is computed in any case may be pulled out, so an expression has to stand outside of every branch at least once.

import { partsOf, type Local, type Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { keyOf } from "./products.ts";

export function withShared(value: Scalar): Scalar {
  const seen = new Map<string, { always: number; sometimes: number }>();
  const branches: Scalar[] = [];
  const count = (scalar: Scalar, place: "always" | "sometimes"): void => {
    if (isWorthNaming(scalar)) {
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
    const isLazy = scalar.kind === "select" || (scalar.kind === "apply" && isLogic(scalar.operation));
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
    if (!isWorthNaming(scalar) || !isShared(keyOf(scalar))) return mapParts(scalar, rebuilt);
    const key = keyOf(scalar);
    let local = locals.get(key);
    if (!local) locals.set(key, (local = { name: "shared", value: mapParts(scalar, rebuilt) }));
    return { kind: "local", type: scalar.type, local };
  };
  return rebuilt(value);
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
  return !["add", "subtract", "multiply", "negate", "stop", "max", "min", "abs", "equal", "less", "lessEqual", "greater", "greaterEqual", "notEqual", "relu", "sign"].includes(operation); // prettier-ignore
}

/** A scalar with other parts; the values of locals stay what they are. */
export function mapParts(scalar: Scalar, change: (part: Scalar) => Scalar): Scalar {
  switch (scalar.kind) {
    case "constant":
    case "integer":
    case "local":
    case "parameter":
      return scalar;
    case "read":
      return { ...scalar, indices: scalar.indices.map(change) };
    case "apply":
      return { ...scalar, operands: scalar.operands.map(change) };
    case "cast":
      return { ...scalar, operand: change(scalar.operand) };
    case "select":
      return {
        ...scalar,
        condition: change(scalar.condition),
        then: change(scalar.then),
        otherwise: change(scalar.otherwise),
      };
    case "call": {
      const { invocation } = scalar;
      return { ...scalar, invocation: { ...invocation, arguments: invocation.arguments.map(change) } };
    }
    default:
      return scalar satisfies never;
  }
}
