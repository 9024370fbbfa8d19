// Prepares units for kernels once sizes are numbers: which cells there are, how they lie in memory,
// and which calls of kernels compute them.

import { constant, type Variable } from "../../affine/term.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { scalarsIn, type Sized, type Sizing } from "../../plan/regions/regions.ts";
import type { Unit } from "../order.ts";
import { bytesOfCell } from "./code/kernel.ts";
import type { Layout } from "./code/kernels.ts";
import { makerOf } from "./memory/maker.ts";
import { readElsewhere } from "./rows/strips.ts";
import { runnerOf } from "./runners.ts";
import { planSteps } from "./units.ts";
import type { Setting, Prepared, GivenIntegers } from "./prepared.ts";
import { layoutIn, sizedMembers, readsBeside, refuseLookups, totalsIn } from "./members.ts";
import { isSurelyTooSmall, isTooSmall } from "./small.ts";
import { prepareGroup } from "./prepare-loop.ts";

/** The kernels of a unit; `undefined` if the unit is too small to be worth them. */
export function prepare(
  setting: Setting,
  unit: Unit,
  { fixed, read }: GivenIntegers,
): Prepared | undefined {
  const { machine, fused } = setting;
  const known = new Map<Variable, Scalar>();
  for (const [v, value] of fixed) known.set(v, integerScalar(constant(value)));
  for (const [v, definition] of read)
    known.set(v, { kind: "read", type: "i32", definition, indices: [], span: definition.span });
  const sizing: Sizing = {
    known,
    typeOf: machine.typeOf,
    clausesOf: fused.clausesOf,
    merged: fused.merged,
  };
  switch (unit.kind) {
    case "by step":
      return undefined;
    case "schedule":
      if (isSurelyTooSmall(setting, unit.schedule, setting.reads, fixed)) return undefined;
      return prepareSchedule(setting, unit, unit.schedule, sizing);
    case "group":
      return prepareGroup(setting, unit, sizing);
    default:
      return unit satisfies never;
  }
}

function prepareSchedule(
  setting: Setting,
  unit: Unit,
  schedule: Schedule,
  sizing: Sizing,
): Prepared | undefined {
  const members = sizedMembers(setting, schedule, sizing);
  const reads = readsBeside(members);
  if (isTooSmall(setting, members, reads)) return undefined;
  if (schedule.recurrent) refuseLookups(schedule, members);
  const shares = [...members.values()].flatMap(({ shares }) => shares ?? []);
  const own = [...members.values(), ...shares];
  const outputs = new Map(
    own.map(({ definition, shape }) => [definition, layoutIn(setting, definition, shape)]),
  );
  const scratch = totalsIn(members);
  const kernels = makerOf(setting, members, new Map([...outputs, ...scratch]), reads);
  const planned = planSteps(schedule.steps, members, kernels);
  const [only] = members.values();
  const single = members.size === 1 && !schedule.recurrent ? only : undefined;
  const mayFail = kernels.mayFail();
  const inPlace =
    single && !mayFail ? overwritable(setting, single, outputs.get(single.definition)!, reads) : [];
  const elsewhere = single ? readElsewhere(single) : reads;
  const work = { kind: "cells", runner: runnerOf(planned), elsewhere, inPlace } as const;
  return {
    unit,
    outputs,
    scratch: new Map([...scratch, ...kernels.workspaces]),
    reads,
    mayFail,
    work,
  };
}

/**
 * The operands that a result may overwrite: they lie as the result does, and each of their cells is
 * read only for the same cell of the result, as `x` in `let y[i] = 2.0 * x[i];`.
 */
function overwritable(
  { layoutOf }: Setting,
  { regions, contractions }: Sized,
  own: Layout,
  reads: ReadonlySet<Definition>,
): readonly Definition[] {
  const isMap = regions.every(
    ({ cases, scatters, scan }) =>
      !scatters && !scan && cases.every(({ reductions }) => reductions.length === 0),
  );
  if (!isMap || contractions) return [];
  return [...reads].filter((read) => {
    const layout = layoutOf(read);
    const liesAlike =
      !layout.window &&
      bytesOfCell(layout.element) === bytesOfCell(own.element) &&
      layout.shape.length === own.shape.length &&
      layout.shape.every((extent, axis) => extent === own.shape[axis]);
    return liesAlike && regions.every((region) => readsOwnCell(region, read));
  });
}

function readsOwnCell(
  { sides, cases, cells }: Sized["regions"][number],
  read: Definition,
): boolean {
  let isOwn = cells === undefined;
  for (const scalar of cases.flatMap(scalarsIn)) {
    eachScalar(scalar, (part) => {
      if (part.kind !== "read" || part.definition !== read) return;
      isOwn &&= part.indices.every((index, axis) => {
        if (index.kind !== "integer" || index.term.constant !== 0) return false;
        const [only, ...more] = index.term.parts;
        if (!only || more.length > 0 || only.coefficient !== 1) return false;
        const [atom, ...others] = only.factors;
        return (
          others.length === 0 &&
          atom?.kind === "variable" &&
          atom.variable === sides[axis]!.variable
        );
      });
    });
  }
  return isOwn;
}
