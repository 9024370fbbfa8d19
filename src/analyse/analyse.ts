// Analyses of the indexed IR: this folder finds out what is wrong with a program and in which order
// its definitions are computed; nothing here changes the program.
//
// This file asks the questions that need the whole program: do all reads stay inside their tensors,
// are all cells defined, has every recurrence an order?

import { atCall } from "../diagnostics/at-call.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { textOf } from "../base/source.ts";
import { constant, ofVariable, type Variable } from "../affine/term.ts";
import { show } from "../affine/show.ts";
import { sameValue, type Fact } from "../affine/prove.ts";
import { knownOfSizes } from "../affine/agreeing.ts";
import { checkBounds, type RunCheck } from "./cells/bounds.ts";
import { coverage, showBox } from "./cells/coverage.ts";
import { newOpaque, type Opaque } from "./facts.ts";
import { gapMessage } from "./cells/gaps.ts";
import { nameInSource } from "./name-in-source.ts";
import type { Definition, Program } from "../ir/program.ts";
import { rootsOf } from "../ir/roots.ts";
import { checkStarts } from "./cells/starts.ts";
import { reachable, scheduleAll, type Schedule, type Unordered } from "./schedule.ts";
import { shortened } from "./cells/stencils.ts";

export interface Analysis {
  readonly diagnostics: readonly Diagnostic[];
  readonly checks: readonly RunCheck[];
  /**
   * The definitions that some of the checks are about. The reads and cells of all others are right
   * for all sizes.
   */
  readonly undecided: readonly Definition[];
  /** How to compute each definition. A definition comes after all definitions that it reads. */
  readonly schedules: readonly Schedule[];
}

/** `extents` are known not to be negative. */
export function analyse(program: Program, extents: Iterable<Variable>): Analysis {
  const sizes = new Set(extents);
  const roots = rootsOf(program);
  const readers = reachable(roots);
  const known = knownOfSizes(program, sizes);
  const knowledge: Knowledge = { opaque: newOpaque(), known, sizes, pinned: new Map(), readers };
  const found = examine(knowledge, readers);
  const diagnostics = [...found.diagnostics];
  const checks = program.agreements.map((each): RunCheck => ({
    text: `${each.text}: ${show(each.left)} == ${show(each.right)}`,
    span: each.span,
  }));
  checks.push(...found.checks);
  const schedules: Schedule[] = [];
  for (const ordered of scheduleAll(knowledge.opaque, roots, knowledge.known)) {
    if ("schedule" in ordered) schedules.push(ordered.schedule);
    else {
      const message = noOrder(ordered.unordered);
      // A read ahead that also leaves the tensor is one mistake, and its direction is the cause. A
      // read of a missing cell is another mistake.
      const same = diagnostics.findIndex(({ span }) => span?.start === message.span?.start);
      if (same < 0) diagnostics.push(message);
      else if (diagnostics[same]!.code === "E0305") diagnostics[same] = message;
    }
  }
  return { diagnostics, checks, undecided: found.undecided, schedules };
}

/** Checks the undecided definitions again, once sizes are known. */
export function wrongWith(
  program: Program,
  { undecided }: Analysis,
  pinned: ReadonlyMap<Variable, number>,
): readonly Diagnostic[] {
  const values = [...pinned].map(([v, value]) => sameValue(ofVariable(v), constant(value)));
  const known = [...values, ...knownOfSizes(program, [])];
  return examine({ opaque: newOpaque(), known, sizes: new Set(), pinned }, undecided).diagnostics;
}

/** Checks that all reads stay inside and that all cells are defined. */
function examine(
  knowledge: Knowledge,
  definitions: readonly Definition[],
): Omit<Analysis, "schedules"> {
  const { opaque, known, pinned } = knowledge;
  const undecided = new Set<Definition>();
  const diagnostics: Diagnostic[] = [];
  const checks: RunCheck[] = [];
  const add = (definition: Definition, found: Found): void => {
    diagnostics.push(...found.diagnostics.map((each) => atCall(each, definition.call)));
    checks.push(...found.checks);
    if (found.checks.length > 0) undecided.add(definition);
  };
  const withoutStart = new Set<Definition>();
  for (const definition of definitions) {
    const bounds = checkBounds(opaque, definition, known, pinned);
    if (bounds.diagnostics.some(({ code }) => code === "E0602")) withoutStart.add(definition);
    add(definition, bounds);
  }
  for (const definition of definitions) {
    if (definition.origin !== "declared") continue;
    add(definition, checkStarts(opaque, definition, known, pinned));
    const cells = checkCells(knowledge, definition);
    // That a base case is missing is said once.
    const isSaid = withoutStart.has(definition);
    const diagnostics = cells.diagnostics.filter(({ code }) => !isSaid || code !== "E0602");
    add(definition, { ...cells, diagnostics });
  }
  return { diagnostics, checks, undecided: definitions.filter((each) => undecided.has(each)) };
}

/** The mistakes of a definition, and the checks that are left for a run. */
type Found = Pick<Analysis, "diagnostics" | "checks">;

/** What is known about cells: facts, and the variables that are extents. */
interface Knowledge {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly sizes: ReadonlySet<Variable>;
  /** The variables whose values are known. */
  readonly pinned: ReadonlyMap<Variable, number>;
  /** All definitions. Undefined if only some of them are examined. */
  readonly readers?: readonly Definition[];
}

function checkCells({ opaque, known, sizes, readers }: Knowledge, definition: Definition): Found {
  const { missing, doubtful } = coverage(opaque, definition, known);
  if (missing.length > 0) {
    return {
      diagnostics: [gapMessage({ opaque, known, sizes, readers }, definition, missing)],
      checks: [],
    };
  }
  // A run marks where each row ends.
  const open = definition.axes.some((axis) => axis.ragged) ? [] : doubtful;
  const checks = open.map((box) => ({
    text: `\`${showBox(definition, box)}\` is empty`,
    span: definition.span,
  }));
  return { diagnostics: shortened(opaque, definition, known, sizes), checks };
}

function noOrder(unordered: Unordered): Diagnostic {
  const { reader, access } = unordered;
  const names = unordered.definitions
    .map((definition) => `\`${nameInSource(definition)}\``)
    .join(", ");
  if (!access)
    return error("E0603", `no order was found for the recurrence of ${names}`, reader.span);
  const text = textOf(access.read.span);
  return error("E0603", `\`${text}\` may read a cell that is not computed yet`, access.read.span, {
    text: "not proved to come before the cell that reads it",
    labels: [{ span: reader.span, text: `\`${nameInSource(reader)}\` is computed here` }],
    help:
      "read an earlier position, such as `[t - 1]`; " +
      "for a downward order write `t in rev(a..b)`",
  });
}
