// A Jacobian as source: one expression for all cells. A condition says that two coordinates are
// equal:
//
//    let y[i] = 2.0 * x[i];   gives   let d_y_d_x[i, p] = if i == p { 2.0 } else { 0.0 };

import { asFormulas } from "../../autodiff/sweep/formulas.ts";
import { cellOf, jacobianOf } from "../../autodiff/requests/requests.ts";
import { newDefinition, wholeLoops } from "../../autodiff/sweep/cells.ts";
import { chosen } from "../../autodiff/requests/deltas.ts";
import { variable, type Variable } from "../../affine/term.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import type { Clause, Definition, Program, Scalar } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { instantiate, atIndices } from "../../ir/substitute.ts";
import { reachable } from "../../analyse/schedule.ts";
import type { Module } from "../../syntax/tree/ast.ts";
import { problemDiagnostic, sourceOf, topNames, type Derived } from "./derived-source.ts";

/** `names` are the names of the coordinates, where the program gives them names. */
export function jacobianSource(
  module: Module,
  program: Program,
  of: Definition,
  wrt: Definition,
  names: readonly (string | undefined)[],
  extents: Iterable<Variable>,
): Derived {
  return asFormulas([of, wrt], () => {
    const taken = new Set([
      ...topNames(module),
      ...reachable([of, wrt]).map((definition) => definition.name),
    ]);
    const workshop = {
      claim: (wanted: string) => claim(taken, wanted),
      known: knownOfSizes(program, extents),
    };
    const name = workshop.claim(`d_${of.name}_d_${wrt.name}`);
    const { answer, problems } = jacobianOf(of, wrt, workshop);
    if (problems.length > 0)
      return { diagnostics: problems.map((problem) => problemDiagnostic(problem, of, wrt)) };
    if (!answer)
      return {
        source: `// \`${of.name}\` does not depend on \`${wrt.name}\`: its derivative is 0\n`,
        derivatives: [],
        independent: [wrt],
      };
    const axes = [...of.axes, ...wrt.axes];
    const coordinates = coordinateNames(axes, names);
    const loops = wholeLoops({ axes }).map((loop, k) => ({
      ...loop,
      variable: variable(coordinates[k]!),
    }));
    const cell = cellOf(answer, loops, wrt, of.span);
    const clause: Clause = {
      loops,
      guards: [],
      body: { kind: "map", value: writtenOut(cell) },
      span: of.span,
    };
    const jacobian = newDefinition(name, answer.definition.element, axes, [clause], of.span);
    const written = sourceOf(module, program, { answers: [jacobian], primal: [of, wrt] });
    if ("diagnostics" in written) return written;
    const derivatives = [written.names.get(jacobian) ?? name];
    return { source: `${written.lines.join("\n")}\n`, derivatives, independent: [] };
  });
}

/** The expression behind a read, if one expression gives all cells. */
function writtenOut(cell: Scalar): Scalar {
  if (cell.kind !== "read") return cell;
  const [clause, ...others] = cell.definition.clauses;
  if (!clause || others.length > 0 || clause.otherwise || clause.body.kind !== "map") return cell;
  const by = atIndices(clause.loops, cell.indices);
  return instantiate(chosen(clause.guards, clause.body.value, cell.span), by);
}

const letters = ["p", "q", "r", "s", "u", "v", "w"];

/**
 * The given names. An axis without a given name takes its own name, or a letter if that is taken.
 */
function coordinateNames(
  axes: Definition["axes"],
  given: readonly (string | undefined)[],
): readonly string[] {
  const taken = new Set(given.filter((name) => name !== undefined));
  return axes.map((axis, k) => {
    const named = given[k];
    if (named !== undefined) return named;
    const own = axis.name !== undefined && !taken.has(axis.name) ? axis.name : undefined;
    const name = own ?? letters.find((letter) => !taken.has(letter)) ?? `i${k}`;
    taken.add(name);
    return name;
  });
}
