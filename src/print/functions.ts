// Recursive functions as source: one `fn` each. Its locals become `let`s, which a run computes only
// where they are needed.

import { claim, type Naming } from "./names.ts";
import { scalarText, type Names } from "./scalar.ts";
import { variable, type Variable } from "../affine/term.ts";
import { compared } from "../ir/integers.ts";
import { eachScalar, sharedInvocations } from "../ir/parts.ts";
import type {
  Definition,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../ir/program.ts";
import { zeroOf, type ElementType } from "../scalar/types.ts";
import { instantiate, coordinateScalar, atIndices } from "../ir/substitute.ts";

export function functionLines(
  naming: Naming,
  functions: readonly ScalarFunction[],
): readonly string[] {
  return functions.map((each) => functionText(naming, each));
}

function functionText(naming: Naming, of: ScalarFunction): string {
  const taken = new Set([
    ...naming.definitions.values(),
    ...naming.functions.values(),
    ...naming.words,
  ]);
  const parameters = new Map<Variable, string>(
    of.parameters.map(({ name, variable }) => [variable, claim(taken, name)]),
  );
  const steps = stepsOf(of.results);
  const used = membersUsed(of.results);
  const locals = new Map<Local, string>();
  const calls = new Map<Invocation, readonly string[]>();
  for (const step of steps) {
    if ("value" in step) locals.set(step, claim(taken, step.name));
    else
      calls.set(
        step,
        step.function.results.map((_, k) =>
          used.get(step)!.has(k) ? claim(taken, `${step.function.name}_${k}`) : "_",
        ),
      );
  }
  const names: Names = {
    definition: (other) => naming.definitions.get(other) ?? other.name,
    variable: (v) => parameters.get(v) ?? naming.outside.get(v)?.text ?? v.name,
    local: (local) => locals.get(local),
    function: (other) => naming.functions.get(other) ?? other.name,
    result: (invocation, member) => calls.get(invocation)?.[member],
    data: naming.data,
    facts: [],
  };
  const text = (scalar: Scalar): string => scalarText(names, scalar, "alone").text;
  const lines = steps.map((step) => {
    if ("value" in step) return `let ${locals.get(step)!} = ${text(step.value)};`;
    const given = step.arguments
      .map((argument) => scalarText(names, argument, "forced").text)
      .join(", ");
    const targets = calls.get(step)!;
    const pattern = targets.length === 1 ? targets[0]! : `(${targets.join(", ")})`;
    return `let ${pattern} = ${names.function(step.function)}(${given});`;
  });
  const typeText = (type: ElementType): string => naming.data?.type(type) ?? type;
  const head = of.parameters
    .map(({ type, variable }) => `${parameters.get(variable)!}: ${typeText(type)}`)
    .join(", ");
  const types = of.results.map(({ type }) => typeText(type)).join(", ");
  const values = of.results.map(text).join(", ");
  const [result, body] = of.results.length === 1 ? [types, values] : [`(${types})`, `(${values})`];
  return `fn ${naming.functions.get(of)!}(${head}) -> ${result} { ${[...lines, body].join(" ")} }`;
}

/** Cells of data as a function of their positions, because the source has no tensors of data. */
export function cellsText(naming: Naming, definition: Definition): string {
  const { name, axes, clauses, element, needs, span } = definition;
  const parameters = axes.map((axis, k): Parameter => {
    const named = axis.name ?? clauses[0]?.loops[k]?.variable.name ?? `at_${k}`;
    return { name: named, type: "i32", variable: variable(named) };
  });
  const positions = parameters.map(coordinateScalar);
  const nothing: Scalar = { kind: "constant", type: element, value: zeroOf(element) };
  const value = clauses.reduce<Scalar>((before, clause) => {
    const by = atIndices(clause.loops, positions);
    const inside = clause.loops.flatMap(({ from, to }, k) => [
      compared("lessEqual", from, positions[k]!, span),
      compared("less", positions[k]!, to, span),
    ]);
    const conditions = [...(clauses.length > 1 ? inside : []), ...clause.guards];
    return conditions.reduceRight<Scalar>(
      (then, condition) => ({
        kind: "select",
        type: element,
        condition: instantiate(condition, by),
        then,
        otherwise: before,
      }),
      instantiate(clause.body.value, by),
    );
  }, nothing);
  const scalarFunction: ScalarFunction = { name, parameters, results: [value], needs, span };
  const functions = new Map([
    ...naming.functions,
    [scalarFunction, naming.definitions.get(definition)!],
  ]);
  return functionText({ ...naming, functions }, scalarFunction);
}

/** Which results of each call are used. */
function membersUsed(results: readonly Scalar[]): ReadonlyMap<Invocation, ReadonlySet<number>> {
  const found = new Map<Invocation, Set<number>>();
  for (const result of results)
    eachScalar(result, (part) => {
      if (part.kind !== "call") return;
      found.set(part.invocation, (found.get(part.invocation) ?? new Set()).add(part.member));
    });
  return found;
}

/** Locals, and calls with several results or several uses. Each comes after those that it uses. */
function stepsOf(results: readonly Scalar[]): readonly (Local | Invocation)[] {
  const found = new Set<Local | Invocation>();
  const shared = sharedInvocations(results);
  const isPlain = (invocation: Invocation): boolean =>
    invocation.function.results.length === 1 && !shared.has(invocation);
  const gather = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => {
      if (part.kind === "local" && !found.has(part.local)) {
        gather(part.local.value);
        found.add(part.local);
      }
      if (part.kind !== "call" || isPlain(part.invocation) || found.has(part.invocation)) return;
      part.invocation.arguments.forEach(gather);
      found.add(part.invocation);
    });
  results.forEach(gather);
  return [...found];
}
