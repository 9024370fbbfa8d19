// Names that a function with a rule reads from around it. The rule says how the result moves with
// the parameters and with nothing else: a path through such a name has no share in the derivative,
// which is seldom what was meant.

import { warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { eachScalar, partsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Program, Scalar } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";
import { textOf, type Span } from "../../base/source.ts";
import { dependents, graphOf, type Graph } from "../sweep/graph.ts";

/** A name that depends on a denominator, and the rule that leaves it out. */
interface LeftOut {
  readonly read: Definition;
  readonly rule: Span;
}

/** Warnings for requests about one numerator, each by its denominator and at its span. */
export function leftOutOf(
  program: Program,
  of: Definition,
): (wrt: Definition, span: Span) => readonly Diagnostic[] {
  const graph = graphOf(of);
  if (!graph.all.some((definition) => definition.rule || ruledCalls(definition).length > 0))
    return () => [];
  const named = new Set([
    ...program.inputs,
    ...[...program.outputs.values()].map(({ definition }) => definition),
  ]);
  return (wrt, span) =>
    leftOutBetween(graph, of, wrt, named).map(({ read, rule }) => {
      const [name, called] = [read.name, textOf(rule)];
      const title =
        `the rule of \`${called}\` leaves out \`${name}\`, ` +
        `which \`${called}\` reads from around it`;
      return warning("W0702", title, span, {
        labels: [
          { span: rule, text: "the rule says how the result moves with the parameters alone" },
          { span: read.span, text: `\`${name}\` counts as a constant there` },
        ],
        help:
          `pass \`${name}\` to \`${called}\` as a parameter, ` +
          `and let the rule say how the result moves with \`@${name}\``,
      });
    });
}

function leftOutBetween(
  { all, ways }: Graph,
  of: Definition,
  wrt: Definition,
  named: ReadonlySet<Definition>,
): readonly LeftOut[] {
  const moved = dependents(all, new Set([wrt]));
  const found: LeftOut[] = [];
  const passed = new Set([of]);
  for (const definition of passed) {
    for (const next of ways(definition)) if (moved.has(next)) passed.add(next);
    const { rule } = definition;
    if (rule && !rule.surrogate)
      for (const read of outsideOf(
        definition,
        new Set(rule.parameters.map(({ primal }) => primal)),
        named,
      ))
        if (moved.has(read)) found.push({ read, rule: rule.span });
    for (const { rule: span, reads } of ruledCalls(definition))
      for (const read of reads)
        if (moved.has(read) && named.has(read)) found.push({ read, rule: span });
  }
  return [...new Map(found.map((each) => [`${each.rule.start} ${each.read.name}`, each])).values()];
}

/** The named values that the body of a function moves with, beside its parameters. */
function outsideOf(
  result: Definition,
  parameters: ReadonlySet<Definition>,
  named: ReadonlySet<Definition>,
): readonly Definition[] {
  const inside = new Set([result]);
  const outside = new Set<Definition>();
  for (const definition of inside) {
    const reads = definition.clauses.flatMap((clause) => clausesReads(clause));
    for (const read of reads) {
      if (parameters.has(read)) continue;
      (named.has(read) ? outside : inside).add(read);
    }
  }
  return [...outside];
}

/** What a clause moves with: neither conditions nor indices. */
function clausesReads({ body, otherwise }: Clause): readonly Definition[] {
  const found: Definition[] = [];
  const visit = (scalar: Scalar): void => {
    if (!isFloat(scalar.type)) return;
    switch (scalar.kind) {
      case "read":
        found.push(scalar.definition);
        return;
      case "select":
        visit(scalar.then);
        visit(scalar.otherwise);
        return;
      case "apply":
        if (scalar.operation !== "stop") scalar.operands.forEach(visit);
        return;
      default:
        partsOf(scalar).forEach(visit);
    }
  };
  visit(body.value);
  if (otherwise) visit(otherwise);
  return found;
}

/** Calls of recursive functions with a rule, and what those read from around them. */
function ruledCalls({
  clauses,
}: Definition): readonly { readonly rule: Span; readonly reads: readonly Definition[] }[] {
  const found: { rule: Span; reads: readonly Definition[] }[] = [];
  for (const { body } of clauses)
    eachScalar(body.value, (part) => {
      if (part.kind !== "call") return;
      const { function: called, arguments: given } = part.invocation;
      const { rule } = called;
      if (!rule || rule.surrogate) return;
      // Scalars from around it are passed behind its own parameters.
      const own = rule.tangents.filter(({ type }) => isFloat(type)).length;
      const passed = given.filter(({ type }) => isFloat(type)).slice(own);
      const scalars = passed.flatMap((scalar) =>
        scalar.kind === "read" ? [scalar.definition] : [],
      );
      const tensors = [...readsOfFunction(called)].filter(({ element }) => isFloat(element));
      found.push({ rule: rule.span, reads: [...scalars, ...tensors] });
    });
  return found;
}
