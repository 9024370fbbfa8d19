// From a typed program to the indexed IR: definitions for what is computed, and the actions of the host around them.

import type { Checker } from "../check/context.ts";
import { resolved } from "../check/sizes.ts";
import type { Branch, TypedProgram } from "../check/typed.ts";
import { decided } from "../check/types.ts";
import { hostParts } from "./host-parts.ts";
import { topOf, type Lowering, type Site } from "./lower-site.ts";
import { define, whole } from "./lower.ts";
import { claim, type Definition, type HostAction, type HostBranch, type Output, type Program } from "./program.ts";

export function normalise(checker: Checker, typed: TypedProgram): Program {
  const lowering: Lowering = {
    checker,
    lowered: new Map(),
    binders: new Map(),
    scalars: new Map(),
    taken: new Set(),
    named: new Map(),
    requests: new Map(),
    hulls: new Map(),
    declaredAt: new Map(),
  };
  const outputs = new Map<string, Output>();
  const actions: HostAction[] = [];
  const inputs: Definition[] = [];
  const top = topOf(lowering);
  const bindings = typed.actions
    .flatMap((action) => (action.kind === "bind" ? [action.binding] : []))
    .sort((a, b) => a.span.start - b.span.start);
  for (const binding of bindings) lowering.named.set(binding, claim(lowering.taken, binding.name));
  // In program order, so that what a definition reads is there already and nothing is lowered from deep inside something else.
  for (const binding of bindings) {
    if (binding.kind === "value" && binding.role === "part") continue;
    if (binding.type.kind !== "tensor" || decided(binding.type.element) === "str") continue;
    const { definition } = define(top, binding);
    if (definition.origin === "input") inputs.push(definition);
    else outputs.set(binding.name, { definition });
  }
  // A program with salvaged parts is never run: they are there to be analysed, under names that no value has.
  for (const binding of typed.salvaged) {
    if (binding.type.kind !== "tensor" || decided(binding.type.element) === "str") continue;
    const { definition } = define(top, binding);
    outputs.set(`${definition.name} …`, { definition });
  }
  for (const action of typed.actions) {
    switch (action.kind) {
      case "bind":
        break;
      case "print":
        actions.push({
          kind: "print",
          parts: action.values.map((value) => hostParts(top, value)),
          when: action.when.map((branch) => hostBranch(top, branch)),
          span: action.span,
        });
        break;
      case "assert":
        actions.push({
          kind: "assert",
          condition: whole({ ...top, owner: "assertion" }, action.condition),
          message: action.message ? hostParts(top, action.message) : [],
          when: action.when.map((branch) => hostBranch(top, branch)),
          span: action.span,
        });
        break;
      case "value":
        if (action.value.type.kind === "tensor" && decided(action.value.type.element) !== "str") {
          outputs.set("_", { definition: whole(top, action.value) });
        }
        break;
      default:
        action satisfies never;
    }
  }
  return {
    inputs,
    dimensions: typed.dimensions,
    scalars: lowering.scalars,
    agreements: checker.agreements.map((each) => ({
      ...each,
      left: resolved(each.left),
      right: resolved(each.right),
    })),
    actions,
    outputs: inProgramOrder(outputs),
    names: lowering.taken,
  };
}

function hostBranch(top: Site, branch: Branch): HostBranch {
  return { condition: whole({ ...top, owner: "branch" }, branch.condition), holds: branch.holds };
}

/** Tensors are finished where their last clause stands; people expect their values where the first one does. */
function inProgramOrder(outputs: ReadonlyMap<string, Output>): ReadonlyMap<string, Output> {
  const place = ([name, { definition }]: readonly [string, Output]): number =>
    name === "_" ? Infinity : definition.span.start;
  return new Map([...outputs].sort((a, b) => place(a) - place(b)));
}
