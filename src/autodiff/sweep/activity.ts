// Which definitions a derivative passes through: those that the numerator needs and that need a
// denominator, by value.

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
  /** Which reads vary, for the clauses of a definition: inside a tangent rule only tangents do. */
  readonly variesFor: (reader: Definition) => (read: Definition) => boolean;
  /**
   * What an integer or bool definition made of active floats does to them that has no derivative;
   * inside a tangent rule they are constants.
   */
  readonly stopsFor: (reader: Definition) => (read: Definition) => Stopped | undefined;
  /** Every definition that the numerator needs. */
  readonly all: readonly Definition[];
}

export function activityOf(
  { all, ways, isTangent }: Pick<Graph, "all" | "ways" | "isTangent">,
  denominators: ReadonlySet<Definition>,
): Activity {
  const active = new Set<Definition>();
  /** Integers and bools that were made from active floats. */
  const tainted = new Set<Definition>();
  const at = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) => ways(definition).map((read) => at.get(read)!));
  // Components come after what they read; members of one are active together.
  for (const group of components(all.length, (k) => edges[k]!)) {
    const members = group.map((k) => all[k]!);
    const reads = (definition: Definition, among: ReadonlySet<Definition>): boolean =>
      edges[at.get(definition)!]!.some((k) => among.has(all[k]!));
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
  /** A definition that is met again on the way has nothing to add. */
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
 * Does the definition use a tainted integer or bool as a number? Then the derivative has to be told
 * why it ends there.
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

/** What a clause may give. */
function valuesOf(clause: Clause): readonly Scalar[] {
  const { body, otherwise } = asFormula(clause);
  return [body.value, ...(otherwise ? [otherwise] : [])].map((value) => withoutDataReads(value));
}

/** Reductions that find something out. */
const findings: ReadonlySet<ReductionName> = new Set(["argmax", "argmin", "any", "all", "count"]);

function stopIn(clause: Clause, ofScalar: (scalar: Scalar) => Makings): Stopped | undefined {
  const { body } = clause;
  for (const value of valuesOf(clause)) {
    const made = ofScalar(value);
    if (body.kind === "reduce" && (made.moves || (findings.has(body.reduction) && made.stopped)))
      return { operation: body.reduction, span: body.span };
    if (made.stopped) return { span: clause.span, ...made.stopped };
  }
  return undefined;
}
