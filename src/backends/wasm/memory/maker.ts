// Makes the kernels and the products of a plan, and remembers what they will need: memory to work
// in, and another way out.

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
import { readsIn, readsInTerms, type Kernels } from "../units.ts";

export interface Maker extends Kernels {
  /** The memory that contractions work in. */
  readonly workspaces: ReadonlyMap<Definition, Layout>;
  readonly mayFail: () => boolean;
}

/**
 * Kernels for members and layouts, and whether one of them may stop. `planned` has the windows that
 * say which products a step can have, whatever has been made of them for the sake of threads.
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
  const made = (source: Source): Source => {
    mayFail ||= source.imports.length > 0;
    return source;
  };
  const layout = (definition: Definition): Layout =>
    own.get(definition) ?? workspaces.get(definition) ?? layoutOf(definition);
  return {
    ofCells: (cells, axes) => made(kernelFor(cells, [...readsIn(cells)], axes, layout)),
    ofTerms: (scatter) => made(scatterKernel(scatter, [...readsInTerms(scatter)], layout)),
    ofOwners: (scatter, axis) =>
      made(ownersKernel(scatter, [...readsInTerms(scatter)], layout, axis)),
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
      for (const [definition, beside] of layoutsOf(found.beside))
        workspaces.set(definition, beside);
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
      return made(
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
 * Whether the rows of a step's products are the positions of which a call of the definition's
 * kernel does a part.
 */
function isByRows(
  { batch, rows, indices }: StepContraction,
  cells: Sized,
  held: ReadonlySet<number>,
): boolean {
  const axis = partAxisOf(cells, [...held]);
  const [row, ...more] = rows.filter((side) => cellsIn([side]) > 1);
  const at = indices[axis];
  if (!row || more.length > 0 || cellsIn(batch) > 1 || at?.kind !== "integer") return false;
  return (
    constantOf(subtract(at.term, ofVariable(row.variable))) === 0 &&
    row.from === 0 &&
    row.to === cells.shape[axis]
  );
}
