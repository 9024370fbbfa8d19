// Makes the kernels and the products of a plan. It remembers what they need when they run: memory
// to work in, and whether one of them may stop.

import type { Definition } from "../../../ir/program.ts";
import { constantOf, ofVariable, subtract } from "../../../affine/term.ts";
import { contractedSteps, type StepContraction } from "../../../plan/reductions/contraction.ts";
import { cellsIn, type Sized } from "../../../plan/regions/regions.ts";
import { planContraction, planStep } from "../contract/plan.ts";
import { withWorkspace } from "../contract/run.ts";
import {
  kernelFor,
  ownersKernel,
  partAxisOf,
  recurrenceKernel,
  scatterKernel,
  type Layout,
  type Source,
} from "../code/kernels.ts";
import { layoutsOf } from "../members.ts";
import type { Setting } from "../prepared.ts";
import { readsOfSized, readsInTerms, type Kernels } from "../units.ts";

interface Maker extends Kernels {
  /** The memory in which contractions work. */
  readonly workspaces: ReadonlyMap<Definition, Layout>;
  readonly mayFail: () => boolean;
}

/**
 * Makes kernels for given members and layouts. `planned` holds the layouts that decide which
 * products a step can have; `own` may hold wider windows, for the sake of threads.
 */
export function makerOf(
  { machine, layoutOf, leastProducts }: Setting,
  members: ReadonlyMap<Definition, Sized>,
  own: ReadonlyMap<Definition, Layout>,
  reads: ReadonlySet<Definition>,
  planned: ReadonlyMap<Definition, Layout> = own,
): Maker {
  let mayFail = false;
  const workspaces = new Map<Definition, Layout>();
  const noteImports = (source: Source): Source => {
    mayFail ||= source.imports.length > 0;
    return source;
  };
  const layout = (definition: Definition): Layout =>
    own.get(definition) ?? workspaces.get(definition) ?? layoutOf(definition);
  return {
    ofCells: (cells, axes) => noteImports(kernelFor(cells, [...readsOfSized(cells)], axes, layout)),
    ofTerms: (scatter) => noteImports(scatterKernel(scatter, [...readsInTerms(scatter)], layout)),
    ofOwners: (scatter, axis) =>
      noteImports(ownersKernel(scatter, [...readsInTerms(scatter)], layout, axis)),
    ofContraction(contraction, isFollowed) {
      const planned = withWorkspace(planContraction(contraction, layout), { isFollowed });
      workspaces.set(planned.workspace.definition, planned.workspace.layout);
      return planned;
    },
    ofSteps(cells, axes) {
      const keptSteps = planned.get(cells.definition)?.window?.steps ?? Infinity;
      const held = new Set(axes.map(({ axis }) => axis));
      const found = contractedSteps(cells, held, keptSteps, machine.typeOf, leastProducts);
      if (!found) return undefined;
      for (const [definition, besideLayout] of layoutsOf(found.beside))
        workspaces.set(definition, besideLayout);
      const products = found.steps.flatMap((contraction) => {
        const plan = planStep(contraction, layout);
        if (!plan) return [];
        const planned = withWorkspace(plan, {
          isFixed: (definition) => !members.has(definition),
          isFollowed: true,
        });
        workspaces.set(planned.workspace.definition, planned.workspace.layout);
        const between = axes.map(({ axis }) => contraction.held.get(axis)!);
        return [
          {
            kind: "step contraction" as const,
            definition: cells.definition,
            contraction: planned,
            isByRows: isByRows(contraction, cells, held),
            axes,
            between,
          },
        ];
      });
      return products.length === found.steps.length ? { rest: found.rest, products } : undefined;
    },
    ofRecurrence(step, held) {
      const inside = new Map([...members].filter(([definition]) => step.axes.has(definition)));
      return noteImports(
        recurrenceKernel(
          step,
          inside,
          [...reads, ...members.keys()].filter((each) => !inside.has(each)),
          layout,
          held,
        ),
      );
    },
    workspaces,
    mayFail: () => mayFail,
  };
}

/**
 * Whether a row of a step's products is a position of the definition's kernel, so that a part of
 * the kernel needs a part of the rows.
 */
function isByRows(
  { batch, rows, indices }: StepContraction,
  cells: Sized,
  held: ReadonlySet<number>,
): boolean {
  const axis = partAxisOf(cells, [...held]);
  const [row, ...more] = rows.filter((side) => cellsIn([side]) > 1);
  const index = indices[axis];
  if (!row || more.length > 0 || cellsIn(batch) > 1 || index?.kind !== "integer") return false;
  return (
    constantOf(subtract(index.term, ofVariable(row.variable))) === 0 &&
    row.from === 0 &&
    row.to === cells.shape[axis]
  );
}
