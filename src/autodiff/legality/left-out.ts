// Warns about names that a function with a rule reads from outside. The rule says how the result
// moves with the parameters alone. So a path through such a name does not count, which is seldom
// what the author meant:
//
//    fn f(x) = x * w;   let y = f(2.0);   with a rule for f, `@y / @w` misses the path through w

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

/**
 * Warnings for the requests of one numerator. Each request is given by its denominator and its
 * span.
 */
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
      for (const read of namesOutside(
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

/** The named values with which the body of a function moves, other than its parameters. */
function namesOutside(
  result: Definition,
  parameters: ReadonlySet<Definition>,
  named: ReadonlySet<Definition>,
): readonly Definition[] {
  const inside = new Set([result]);
  const outside = new Set<Definition>();
  for (const definition of inside) {
    const reads = definition.clauses.flatMap((clause) => movingReads(clause));
    for (const read of reads) {
      if (parameters.has(read)) continue;
      (named.has(read) ? outside : inside).add(read);
    }
  }
  return [...outside];
}

/** The reads with which a clause moves. Conditions and indices do not count. */
function movingReads({ body, otherwise }: Clause): readonly Definition[] {
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

/**
 * The calls of recursive functions with a rule, and the values that these functions read from
 * outside.
 */
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
      // Scalars from outside are passed as further arguments.
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
