// Emits integer terms and addresses. The parts of a linear term are added from the outermost
// coordinate inward, so that each loop computes only the parts that change in it. For a[i, j], the
// address of row i is computed once in the loop of i.

import { subtract, type Atom, type Part, type Term } from "../../../affine/term.ts";
import { constant, scale, sum } from "../../../affine/term.ts";
import type { Scalar } from "../../../ir/program.ts";
import { intervalOf, type Interval } from "../../../plan/regions/intervals.ts";
import { conditionalLevel, constI32, get, op, valueAt, type Slot } from "./emitter.ts";
import { slackBytes, bytesOfCell, type Cells, type Kernel } from "./kernel.ts";

/** The interval of a term that may be computed before the branch that it stands in. */
export function intervalAhead({ known, ahead }: Kernel, term: Term): Interval {
  return intervalOf(term, ahead.size === 0 ? known : new Map([...known, ...ahead]));
}

/** The level of the scope in which a part of a term is known. */
function levelOfPart(kernel: Kernel, part: Part): number {
  return Math.max(0, ...part.factors.map((atom) => levelOfAtom(kernel, atom)));
}

function levelOfAtom(kernel: Kernel, atom: Atom): number {
  switch (atom.kind) {
    case "variable":
      return coordinateOf(kernel, atom).level;
    case "floor":
      return Math.max(levelOfTerm(kernel, atom.dividend), levelOfDivisor(kernel, atom.divisor));
    case "min":
    case "max":
      return Math.max(...atom.members.map((member) => levelOfTerm(kernel, member)));
    default:
      return atom satisfies never;
  }
}

/**
 * A divisor that is not constant may be 0 where its quotient is not needed. So the quotient stays
 * in its branch.
 */
function levelOfDivisor(kernel: Kernel, divisor: Term): number {
  if (divisor.parts.length === 0) return 0;
  return Math.max(levelOfTerm(kernel, divisor), conditionalLevel(kernel.emitter));
}

function levelOfTerm(kernel: Kernel, term: Term): number {
  return Math.max(0, ...term.parts.map((part) => levelOfPart(kernel, part)));
}

function coordinateOf(kernel: Kernel, atom: Extract<Atom, { kind: "variable" }>): Slot {
  const slot = kernel.emitter.coordinates.get(atom.variable);
  if (!slot) throw new Error(`the coordinate \`${atom.variable.name}\` has no value here`);
  return slot;
}

/**
 * A key has the locals of coordinates, not their names, because a name may occur in several loops.
 */
function termKey(kernel: Kernel, term: Term): string {
  return `${term.constant}${term.parts.map((part) => partKey(kernel, part)).join("")}`;
}

function partKey(kernel: Kernel, { coefficient, factors }: Part): string {
  const product = factors.map((atom) => `*${atomKey(kernel, atom)}`).join("");
  return `${coefficient < 0 ? "" : "+"}${coefficient}${product}`;
}

function atomKey(kernel: Kernel, atom: Atom): string {
  switch (atom.kind) {
    case "variable":
      return `l${coordinateOf(kernel, atom).local}`;
    case "floor":
      return `(${termKey(kernel, atom.dividend)})/(${termKey(kernel, atom.divisor)})`;
    case "min":
    case "max":
      return `${atom.kind}(${atom.members.map((member) => termKey(kernel, member)).join()})`;
    default:
      return atom satisfies never;
  }
}

/** The value of a term, as an i32. */
export function emitTerm(kernel: Kernel, term: Term): Slot {
  return emitSum(kernel, undefined, term.constant, term.parts);
}

/** Emits `base + offset + Σ parts`; the parts of each level are added in the scope of the level. */
function emitSum(
  kernel: Kernel,
  base: Slot | undefined,
  offset: number,
  parts: readonly Part[],
): Slot {
  const { emitter } = kernel;
  const byLevel = new Map<number, Part[]>();
  for (const part of parts) {
    const level = levelOfPart(kernel, part);
    byLevel.set(level, [...(byLevel.get(level) ?? []), part]);
  }
  if (parts.length === 0 && !base)
    return valueAt(emitter, `i32:${offset}`, "i32", 0, (code) => constI32(code, offset));
  let total = base;
  let offsetLeft = offset;
  for (const level of [...byLevel.keys()].sort((a, b) => a - b)) {
    const group = byLevel.get(level)!;
    const before = total;
    const added = offsetLeft;
    offsetLeft = 0;
    const groupKey = termKey(kernel, { constant: added, parts: group });
    const key = `${before ? `l${before.local}` : ""}+${groupKey}`;
    const groupLevel = Math.max(level, before?.level ?? 0);
    const atoms = group.map((part) => part.factors.map((atom) => emitAtom(kernel, atom)));
    total = valueAt(emitter, key, "i32", groupLevel, (code) => {
      let started = false;
      if (before) {
        get(code, before);
        started = true;
      }
      group.forEach((part, k) => {
        const [head, ...rest] = atoms[k]!;
        get(code, head!);
        for (const factor of rest) {
          get(code, factor);
          op(code, "i32.mul");
        }
        if (part.coefficient !== 1) {
          const power = Math.log2(part.coefficient);
          if (Number.isInteger(power) && power > 0) {
            constI32(code, power);
            op(code, "i32.shl");
          } else {
            constI32(code, part.coefficient);
            op(code, "i32.mul");
          }
        }
        if (started) op(code, "i32.add");
        started = true;
      });
      if (added !== 0) {
        constI32(code, added);
        op(code, "i32.add");
      }
    });
  }
  if (offsetLeft !== 0 && total) {
    const before = total;
    const rest = offsetLeft;
    total = valueAt(emitter, `l${before.local}+${rest}`, "i32", before.level, (code) => {
      get(code, before);
      constI32(code, rest);
      op(code, "i32.add");
    });
  }
  return total!;
}

function emitAtom(kernel: Kernel, atom: Atom): Slot {
  const { emitter } = kernel;
  switch (atom.kind) {
    case "variable":
      return coordinateOf(kernel, atom);
    case "floor": {
      const dividend = emitTerm(kernel, atom.dividend);
      const divisor = emitTerm(kernel, atom.divisor);
      const level = Math.max(dividend.level, divisor.level, levelOfDivisor(kernel, atom.divisor));
      const isNatural = intervalAhead(kernel, atom.dividend).least >= 0;
      return valueAt(
        emitter,
        `floor:l${dividend.local}/l${divisor.local}`,
        "i32",
        level,
        (code) => {
          if (isNatural) {
            get(code, dividend);
            get(code, divisor);
            op(code, "i32.div_u");
            return;
          }
          // ⌊a/b⌋ = (a - ((a mod b + b) mod b)) / b for b > 0.
          get(code, dividend);
          get(code, dividend);
          get(code, divisor);
          op(code, "i32.rem_s");
          get(code, divisor);
          op(code, "i32.add");
          get(code, divisor);
          op(code, "i32.rem_s");
          op(code, "i32.sub");
          get(code, divisor);
          op(code, "i32.div_s");
        },
      );
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => emitTerm(kernel, member));
      return members.reduce((best, member) => emitExtreme(kernel, atom.kind, best, member));
    }
    default:
      return atom satisfies never;
  }
}

export function emitExtreme(kernel: Kernel, kind: "min" | "max", a: Slot, b: Slot): Slot {
  const level = Math.max(a.level, b.level);
  return valueAt(kernel.emitter, `${kind}:l${a.local},l${b.local}`, "i32", level, (code) => {
    get(code, a);
    get(code, b);
    get(code, a);
    get(code, b);
    op(code, kind === "min" ? "i32.lt_s" : "i32.gt_s");
    op(code, "select");
  });
}

// ── addresses ───────────────────────────────────────────────────────────────────────────────────

/** The address of a cell: a pointer, and a number of bytes that the instruction adds. */
export interface Address {
  readonly pointer: Slot;
  readonly offset: number;
}

/** The position of a cell in its tensor as one term, if its indices are terms. */
export function positionTerm(
  cells: Pick<Cells, "strides" | "window">,
  indices: readonly Scalar[],
): Term | undefined {
  const terms: Term[] = [];
  for (const [axis, index] of indices.entries()) {
    if (index.kind !== "integer" || cells.window?.axis === axis) return undefined;
    terms.push(scale(index.term, cells.strides[axis]!));
  }
  return sum(terms);
}

/** The address of a cell. `emitIndex` gives the indices that are no terms. */
export function emitAddress(
  kernel: Kernel,
  cells: Cells,
  indices: readonly Scalar[],
  emitIndex: (index: Scalar) => Slot,
): Address {
  const width = bytesOfCell(cells.element);
  let pointer = cells.base;
  const terms: Term[] = [];
  for (const [axis, index] of indices.entries()) {
    const stride = cells.strides[axis]! * width;
    const isWindow = cells.window?.axis === axis;
    if (index.kind === "integer" && !isWindow) {
      terms.push(scale(index.term, stride));
      continue;
    }
    const position = index.kind === "integer" ? emitTerm(kernel, index.term) : emitIndex(index);
    const slot = isWindow ? emitWrapped(kernel, position, cells.window.steps) : position;
    const before = pointer;
    pointer = valueAt(
      kernel.emitter,
      `l${before.local}+l${slot.local}*${stride}`,
      "i32",
      Math.max(before.level, slot.level),
      (code) => {
        get(code, slot);
        constI32(code, stride);
        op(code, "i32.mul");
        get(code, before);
        op(code, "i32.add");
      },
    );
  }
  const total = sum(terms);
  // The addition of an offset does not wrap around, so the rest of the address must not be
  // negative.
  const ownOffset = Math.max(0, Math.min(total.constant, slackBytes));
  const rest = subtract(total, constant(ownOffset));
  if (rest.parts.length === 0 && rest.constant === 0) return { pointer, offset: ownOffset };
  return { pointer: emitSum(kernel, pointer, rest.constant, rest.parts), offset: ownOffset };
}

/** A position modulo the length of a window. Positions before the first step are never read. */
function emitWrapped(kernel: Kernel, at: Slot, steps: number): Slot {
  return valueAt(kernel.emitter, `l${at.local}%${steps}`, "i32", at.level, (code) => {
    get(code, at);
    constI32(code, steps);
    op(code, "i32.rem_s");
    constI32(code, steps);
    op(code, "i32.add");
    constI32(code, steps);
    op(code, "i32.rem_s");
  });
}
