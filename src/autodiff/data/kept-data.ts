// Data that a function gives whole and cells are read from: an array of all rows, the last state of
// a run. The calls that make it are kept once, beside the cells that read from it, and taken back
// once, with the cotangents that all of these cells have brought together.

import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Scalar, ScalarFunction } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import type { Define } from "../sweep/cells.ts";
import { setFormula } from "../sweep/formulas.ts";
import { withSharedCalls } from "./changer.ts";
import {
  boxOf,
  keptCall,
  nothing,
  newPlans,
  partAt,
  planOf,
  zeroScalar,
  type Plan,
  type Plans,
} from "./frames.ts";
import { pullbackOf, totalType } from "./pullbacks.ts";
import { withoutDataReads } from "./through-data.ts";

/** Data whose calls are kept: `kept` has it, and behind it their frame. */
export interface KeptData {
  readonly of: Definition;
  readonly kept: Definition;
  readonly plan: Plan;
  readonly plans: Plans;
}

const known = new WeakMap<Definition, KeptData>();

/**
 * The data that a scalar reads, itself or in the functions that it calls, which is the same for all
 * cells.
 */
export function wholeData(value: Scalar): readonly Definition[] {
  const found = new Set<Definition>();
  eachScalar(value, (part) => {
    if (part.kind === "read") found.add(part.definition);
    if (part.kind === "call")
      for (const each of readsOfFunction(part.invocation.function)) found.add(each);
  });
  return [...found].filter(isWhole);
}

function isWhole({ element, axes, clauses }: Definition): boolean {
  const [only, ...others] = clauses;
  return (
    element === "data" && axes.length === 0 && others.length === 0 && only?.guards.length === 0
  );
}

/** Keeps the calls that make some data: its clause is rewritten in place. */
export function keepData(of: Definition, define: Define): KeptData {
  const before = known.get(of);
  if (before) return before;
  const { name, needs, span } = of;
  const [clause] = of.clauses;
  const making = withSharedCalls(withoutDataReads(clause!.body.value));
  const made: ScalarFunction = {
    name,
    parameters: [],
    results: [making],
    needs: new Set(needs),
    span,
  };
  const plans = newPlans();
  const plan = planOf(made, plans);
  const invocation = keptCall(plan, [], span);
  const both = [0, 1].map((member): Scalar => ({ kind: "call", type: "data", invocation, member }));
  const ofBoth = {
    loops: [],
    guards: [],
    body: { kind: "map", value: boxOf(both) },
    span,
  } as const;
  const kept = define(`${name}_kept`, "data", [], [ofBoth], span);
  const read: Scalar = { kind: "read", type: "data", definition: kept, indices: [], span };
  const rewritten = { ...clause!, body: { kind: "map", value: partAt(read, 0, "data") } } as const;
  setFormula(rewritten, clause!);
  of.clauses = [rewritten];
  const found: KeptData = { of, kept, plan, plans };
  known.set(of, found);
  return found;
}

/** The total of what nothing has been added to. */
export function noTotal(of: Definition): Scalar {
  const type = totalType(of);
  return type === "data" ? nothing : zeroScalar(type);
}

/**
 * Behind the last cell, the cotangent of the data goes back to what it is made of: the totals are
 * replaced.
 */
export function takeDataBack(
  { of, kept, plan, plans }: KeptData,
  targets: readonly Definition[],
  totals: Map<Definition, Scalar>,
): void {
  const { function: pulled, captured } = pullbackOf(plan, plans, targets);
  const incoming = totals.get(of);
  if (!incoming || captured.length === 0) return;
  const { span } = of;
  const frame = partAt(
    { kind: "read", type: "data", definition: kept, indices: [], span },
    1,
    "data",
  );
  const given = [frame, incoming, ...captured.map((each) => totals.get(each) ?? noTotal(each))];
  const invocation = { function: pulled, arguments: given, span };
  for (const [member, each] of captured.entries())
    totals.set(each, { kind: "call", type: totalType(each), invocation, member });
}
