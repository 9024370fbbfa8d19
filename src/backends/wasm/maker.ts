// Makes the kernels and the products of a plan, and remembers what they will need: memory to work in, and another way out.

import type { Definition } from "../../ir/program.ts";
import { contractedSteps } from "../../optimise/contraction.ts";
import type { Sized } from "../../optimise/regions.ts";
import { formFor } from "./contract/form.ts";
import { planContraction, planStep } from "./contract/plan.ts";
import { withWorkspace } from "./contract/run.ts";
import { kernelFor, ownersKernel, recurrenceKernel, scatterKernel, type Layout, type Source } from "./kernels.ts";
import type { Setting } from "./prepared.ts";
import { readsIn, readsInTerms, type Kernels } from "./units.ts";

export interface Maker extends Kernels {
  /** The memory that contractions work in. */
  readonly workspaces: ReadonlyMap<Definition, Layout>;
  readonly mayFail: () => boolean;
}

/** Kernels for members and layouts, and whether one of them may stop. */
export function makerOf(
  { machine, layoutOf, leastProducts }: Setting,
  members: ReadonlyMap<Definition, Sized>,
  own: ReadonlyMap<Definition, Layout>,
  reads: ReadonlySet<Definition>,
): Maker {
  let mayFail = false;
  const workspaces = new Map<Definition, Layout>();
  const made = (source: Source): Source => {
    mayFail ||= source.imports.length > 0;
    return source;
  };
  const layout = (definition: Definition): Layout => own.get(definition) ?? layoutOf(definition);
  return {
    ofCells: (cells, axes) => made(kernelFor(cells, [...readsIn(cells)], axes, layout)),
    ofTerms: (scatter) => made(scatterKernel(scatter, [...readsInTerms(scatter)], layout)),
    ofOwners: (scatter, axis) => made(ownersKernel(scatter, [...readsInTerms(scatter)], layout, axis)),
    ofContraction(contraction) {
      const form = formFor(contraction.element);
      const planned = withWorkspace(planContraction(contraction, form, layout), form);
      workspaces.set(planned.workspace.definition, planned.workspace.layout);
      return planned;
    },
    ofSteps(cells, axes) {
      const keptSteps = layout(cells.definition).window?.steps ?? Infinity;
      const held = new Set(axes.map(({ axis }) => axis));
      const found = contractedSteps(cells, held, keptSteps, machine.typeOf, leastProducts);
      if (!found) return undefined;
      const products = found.steps.flatMap((contraction) => {
        const form = formFor(contraction.element);
        const plan = planStep(contraction, form, layout);
        if (!plan) return [];
        const planned = withWorkspace(plan, form, (definition) => !members.has(definition));
        workspaces.set(planned.workspace.definition, planned.workspace.layout);
        const between = axes.map(({ axis }) => contraction.held.get(axis)!);
        return [{ kind: "step contraction" as const, contraction: planned, axes, between }];
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
