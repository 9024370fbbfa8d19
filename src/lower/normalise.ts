// From a typed program to the indexed IR: definitions for its values, and the actions of the host.

import { decided, unit, isText } from "../check/types/types.ts";
import type { Checker } from "../check/context.ts";
import { resolved } from "../check/types/sizes.ts";
import type { Branch, TensorBinding, TypedProgram, ValueBinding } from "../check/types/typed.ts";
import type { Source, Span } from "../base/source.ts";
import { functionSiteOf } from "./functions/calls.ts";
import { dependsOnLookup } from "./around.ts";
import { hostParts } from "./host-parts.ts";
import { topOf, type Lowering, type Site } from "./site.ts";
import { scalarAt } from "./scalars.ts";
import { needScalars } from "./terms.ts";
import { defineBinding, materialiseValue, whole } from "./lower.ts";
import type {
  Definition,
  HostAction,
  HostBranch,
  Output,
  Program,
  TextOutput,
} from "../ir/program.ts";
import { claim } from "../base/claim.ts";

/** A program, and the definitions of its bindings. */
export interface Normalised {
  readonly program: Program;
  /** The definition of a top-level binding, if anything needs one. */
  readonly definitionOf: (binding: ValueBinding | TensorBinding) => Definition | undefined;
}

export function normalise(checker: Checker, typed: TypedProgram): Program {
  return normaliseBindings(checker, typed).program;
}

/**
 * The same, for callers that go on from the bindings. `shown` lists names whose text is wanted even
 * though they are no tensors.
 */
export function normaliseBindings(
  checker: Checker,
  typed: TypedProgram,
  shown: readonly string[] = [],
): Normalised {
  const lowering: Lowering = {
    checker,
    forms: { at: scalarAt, define: defineBinding, materialise: materialiseValue },
    lowered: new Map(),
    binders: new Map(),
    boundUnder: new Map(),
    scalars: new Map(),
    taken: new Set(),
    named: new Map(),
    requests: new Map(),
    reductions: new Map(),
    hulls: new Map(),
    longest: new Map(),
    declaredAt: new Map(),
  };
  const outputs = new Map<string, Output>();
  const texts = new Map<string, TextOutput>();
  const actions: HostAction[] = [];
  const inputs: Definition[] = [];
  const top = topOf(lowering);
  const bindings = inTextOrder(
    typed.actions.flatMap((action) => (action.kind === "bind" ? [action.binding] : [])),
  );
  for (const binding of inOrderOfClaim(bindings))
    lowering.named.set(binding, claim(lowering.taken, binding.name));
  // In program order: a definition is lowered after the definitions that it reads, so that lowering
  // never goes deep.
  for (const binding of bindings) {
    if (binding.kind === "value" && binding.role === "part") continue;
    const isShown =
      binding.type.kind === "tensor" ? isText(binding.type) : shown.includes(binding.name);
    if (isShown && binding.kind === "value" && binding.value) {
      texts.set(binding.name, { parts: hostParts(top, binding.value), span: binding.span });
      outputs.delete(binding.name);
      continue;
    }
    texts.delete(binding.name);
    if (binding.type.kind !== "tensor") {
      outputs.delete(binding.name);
      continue;
    }
    const { definition } = defineBinding(top, binding);
    if (definition.origin === "input") inputs.push(definition);
    else outputs.set(binding.name, { definition });
  }
  // A program with salvaged parts is never run. The parts are analysed, under names that no value
  // can have.
  for (const binding of typed.salvaged ?? []) {
    if (binding.type.kind !== "tensor" || decided(binding.type.element) === "str") continue;
    const { definition } = defineBinding(top, binding);
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
      case "call": {
        const called = functionSiteOf(top, action.invocation.function);
        actions.push({
          kind: "call",
          function: called.scalarFunction,
          arguments: [
            ...action.invocation.arguments.map((argument) =>
              whole({ ...top, owner: "argument" }, argument),
            ),
            ...called.captured.keys(),
          ],
          when: action.when.map((branch) => hostBranch(top, branch)),
          span: action.span,
        });
        break;
      }
      case "value":
        // The last value counts.
        texts.delete("_");
        outputs.delete("_");
        if (action.value.type.kind === "tensor" && !isText(action.value.type))
          outputs.set("_", { definition: whole(top, action.value) });
        else if (action.value.type !== unit)
          texts.set("_", { parts: hostParts(top, action.value), span: action.span });
        break;
      default:
        action satisfies never;
    }
  }
  const held = holdAgreements(top);
  const program = {
    inputs,
    dimensions: typed.dimensions,
    scalars: lowering.scalars,
    agreements: checker.agreements.map((each) => ({
      ...each,
      left: resolved(each.left),
      right: resolved(each.right),
    })),
    actions,
    outputs: inProgramOrder(outputs, bindings),
    texts,
    held,
    names: lowering.taken,
  };
  return { program, definitionOf: (binding) => lowering.lowered.get(binding)?.definition };
}

/**
 * An integer that is an extent somewhere is computed before the value that the agreement is about,
 * even if nothing else uses the integer. The result is the integers that prints and assertions
 * need.
 */
function holdAgreements(top: Site): readonly Definition[] {
  const { checker, lowered } = top.lowering;
  const held = new Set<Definition>();
  for (const agreement of checker.agreements) {
    const owner = checker.neededBy.get(agreement)!;
    if (owner === "function") continue;
    const needs = owner === "host" ? held : lowered.get(owner)?.definition.needs;
    if (!needs) continue;
    for (const term of [agreement.left, agreement.right].map(resolved))
      if (!dependsOnLookup(top.lowering, term)) needScalars({ ...top, needs }, term);
  }
  return [...held];
}

type Bound = ValueBinding | TensorBinding;

/**
 * In a session, several texts follow one another. A name that is bound again belongs to the last
 * binding.
 */
function inOrderOfClaim(bindings: readonly Bound[]): readonly Bound[] {
  const [first] = bindings;
  return bindings.every((each) => placeInText(each).source === placeInText(first!).source)
    ? bindings
    : bindings.toReversed();
}

/**
 * A block binds its tensors at its end, but in the text a tensor stands where its first clause
 * stands. Several texts keep their order.
 */
function inTextOrder(bindings: readonly Bound[]): readonly Bound[] {
  const texts = new Map<Source, Bound[]>();
  for (const binding of bindings) {
    const { source } = placeInText(binding);
    const own = texts.get(source);
    if (own) own.push(binding);
    else texts.set(source, [binding]);
  }
  return [...texts.values()].flatMap((own) =>
    own.sort((a, b) => placeInText(a).start - placeInText(b).start),
  );
}

/** A tensor whose clauses stand in several texts belongs to the text of its last clause. */
function placeInText(binding: Bound): Span {
  const last = binding.kind === "tensor" ? binding.clauses.at(-1)?.span : undefined;
  return last && last.source !== binding.span.source ? last : binding.span;
}

function hostBranch(top: Site, branch: Branch): HostBranch {
  return { condition: whole({ ...top, owner: "branch" }, branch.condition), holds: branch.holds };
}

/** A reader expects the value of a tensor where its first clause stands. */
function inProgramOrder(
  outputs: ReadonlyMap<string, Output>,
  bindings: readonly Bound[],
): ReadonlyMap<string, Output> {
  const places = new Map(bindings.map((binding, place) => [binding.name, place]));
  const place = ([name]: readonly [string, Output]): number =>
    name === "_" ? Infinity : (places.get(name) ?? 0);
  return new Map([...outputs].sort((a, b) => place(a) - place(b)));
}
