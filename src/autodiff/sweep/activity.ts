// Finds the definitions that a derivative passes through: those that the numerator depends on and
// that depend on a denominator themselves.
//
//    let a = exp(x); let b = sin(z); let y = a * b;   for @y / @x:   a is active, b is not

import { components } from "../../base/components.ts";
import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import type { ReductionName } from "../../scalar/reductions.ts";
import { isFloat } from "../../scalar/types.ts";
import { asFormula } from "./formulas.ts";
import type { Graph } from "./graph.ts";
import { carriesTangents } from "../legality/handed-on.ts";
import { makingsOf, type Makings, type Stopped } from "../legality/stops.ts";
import { withoutDataReads } from "../data/through-data.ts";
import { isWinner } from "../rules/winners.ts";

export interface Activity {
  readonly isActive: (definition: Definition) => boolean;
  /** Which reads vary in the clauses of a definition. Inside a tangent rule, only tangents vary. */
  readonly variesFor: (reader: Definition) => (read: Definition) => boolean;
  /**
   * The operation without a derivative that makes an integer or bool from active floats. Inside a
   * tangent rule, such values are constants.
   */
  readonly stopsFor: (reader: Definition) => (read: Definition) => Stopped | undefined;
  /** Every definition that the numerator depends on. */
  readonly all: readonly Definition[];
}

export function activityOf(
  { all, ways, isTangent }: Pick<Graph, "all" | "ways" | "isTangent">,
  denominators: ReadonlySet<Definition>,
): Activity {
  const active = new Set<Definition>();
  /** Integers and bools that are made from active floats. */
  const tainted = new Set<Definition>();
  const indexOf = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) => ways(definition).map((read) => indexOf.get(read)!));
  // A component comes after the components that it reads. The members of a component are active
  // together.
  for (const group of components(all.length, (k) => edges[k]!)) {
    const members = group.map((k) => all[k]!);
    const reads = (definition: Definition, among: ReadonlySet<Definition>): boolean =>
      edges[indexOf.get(definition)!]!.some((k) => among.has(all[k]!));
    const carries = (definition: Definition): boolean => carriesTangents(definition, active);
    const isPassage = (definition: Definition): boolean =>
      denominators.has(definition) ||
      (carries(definition) &&
        (reads(definition, active) || usesTainted(definition, active, tainted)));
    if (members.some(isPassage))
      for (const definition of members) if (carries(definition)) active.add(definition);
    for (const definition of members) {
      if (!carries(definition) && (reads(definition, active) || reads(definition, tainted)))
        tainted.add(definition);
    }
  }
  const isActive = (definition: Definition): boolean => active.has(definition);
  const known = new Map<Definition, Stopped | undefined>();
  const stops = (definition: Definition): Stopped | undefined => {
    if (!known.has(definition)) known.set(definition, stopsApart(definition));
    return known.get(definition);
  };
  /** A definition that is visited twice on one way adds nothing the second time. */
  const stopsApart = (definition: Definition): Stopped | undefined => {
    const seen = new Set<Definition>();
    const further = (read: Definition): Stopped | undefined => {
      const { element, clauses } = read;
      if (
        seen.has(read) ||
        isFloat(element) ||
        element === "data" ||
        isWinner(read) ||
        isActive(read)
      )
        return undefined;
      seen.add(read);
      return clauses.map((clause) => stopIn(clause, ofScalar)).find((found) => found);
    };
    const { ofScalar } = makingsOf({ isActive, stops: further });
    return further(definition);
  };
  return {
    isActive,
    variesFor: (reader) =>
      isTangent(reader) ? (read) => isActive(read) && isTangent(read) : isActive,
    stopsFor: (reader) => (isTangent(reader) ? () => undefined : stops),
    all,
  };
}

/**
 * Does the definition use a tainted integer or bool as a number? Then the derivative passes through
 * the definition, to report why it ends there.
 */
function usesTainted(
  definition: Definition,
  active: ReadonlySet<Definition>,
  tainted: ReadonlySet<Definition>,
): boolean {
  if (tainted.size === 0) return false;
  const { ofScalar } = makingsOf({
    isActive: (read) => active.has(read),
    stops: (read) => (tainted.has(read) ? { operation: read.name } : undefined),
  });
  return definition.clauses.some((clause) =>
    valuesOf(clause).some((value) => ofScalar(value).stopped),
  );
}

/** The values that a clause may give to a cell. */
function valuesOf(clause: Clause): readonly Scalar[] {
  const { body, otherwise } = asFormula(clause);
  return [body.value, ...(otherwise ? [otherwise] : [])].map((value) => withoutDataReads(value));
}

/** Reductions whose result is a position, a truth value or a count, without a derivative. */
const withoutDerivative: ReadonlySet<ReductionName> = new Set([
  "argmax",
  "argmin",
  "any",
  "all",
  "count",
]);

function stopIn(clause: Clause, ofScalar: (scalar: Scalar) => Makings): Stopped | undefined {
  const { body } = clause;
  for (const value of valuesOf(clause)) {
    const makings = ofScalar(value);
    if (
      body.kind === "reduce" &&
      (makings.moves || (withoutDerivative.has(body.reduction) && makings.stopped))
    )
      return { operation: body.reduction, span: body.span };
    if (makings.stopped) return { span: clause.span, ...makings.stopped };
  }
  return undefined;
}
