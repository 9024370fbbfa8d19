// One clause of a tensor, `let y[i, 0] = …;`. Its slots become coordinates or fixed positions, its
// body is elaborated to a scalar, and its ranges are inferred from the uses of its coordinates.
// Then the extents of the tensor grow to what the clause reaches.

import { cellHelp } from "../types/cells-are-scalars.ts";
import { after, fix, fixed, replace, write, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { castAllowed } from "../../scalar/casts.ts";
import { textOf, type Span } from "../../base/source.ts";
import {
  attempt,
  constant,
  constantOf,
  extremum,
  maximum,
  minimum,
  multiply,
  ofVariable,
  plus,
  subtract,
  type Term,
} from "../../affine/term.ts";
import { atMost, holds, lessThan, nonNegative, prove } from "../../affine/prove.ts";
import { mentions } from "../../affine/visit.ts";
import { extentFacts } from "./agree.ts";
import { annotation } from "../types/annotations.ts";
import { errorCount, lint, newFrame, refuse, report, type Frame, type Place } from "../context.ts";
import { declareCoordinate, setExplicitRange, newBinder } from "../ranges/coordinates.ts";
import { counted } from "../lints/count.ts";
import { namesReadIn, pathsIn } from "../names/free-names.ts";
import { indexedPart } from "../expressions/operators.ts";
import { packBinders, packRanks } from "../types/packs.ts";
import { integerTerm } from "../types/integers.ts";
import { inferRanges, rangeOfBinder } from "../ranges/ranges.ts";
import { lookUp, scopeInside, type Scope } from "../names/scope.ts";
import { sizesOnLeft } from "../ranges/size-on-left.ts";
import { isIntegerName } from "../ranges/undetermined.ts";
import { standsIn } from "../ranges/stands-in.ts";
import type { Binder, Clause, ClauseSlot, TensorBinding, Typed } from "../types/typed.ts";
import { decided, scalar, showType, tensor, unify, type Axis } from "../types/types.ts";
import { distribute, whereItems } from "./where.ts";
import { freshNames } from "../names/fresh-names.ts";
import type { DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { readAt } from "../ranges/reads.ts";
import { expression } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

/** Checks a clause. Gives `undefined` for a wrong clause, after a report. */
export function clauseOf(
  place: Place,
  binding: TensorBinding,
  statement: ast.IndexedLet,
): Clause | undefined {
  const frame = newFrame();
  const scope = scopeInside(place.scope);
  const slots = slotsOf(place, statement, frame, scope);
  if (!slots) return undefined;
  for (const slot of slots)
    if (slot.kind === "binder" && !slot.binder.pack) declareCoordinate(scope, slot.binder);
  if (!binding.ranked) {
    const axes = slots.map((slot): Axis =>
      slot.kind === "binder" ? { name: slot.binder.name } : {},
    );
    binding.type = tensor(binding.type.element, axes);
    binding.ranked = true;
  }
  const rank = binding.type.axes.length;
  if (slots.length !== rank && binding.broken) return undefined;
  if (slots.length !== rank) {
    report(
      place,
      "E0604",
      `this clause of \`${binding.name}\` has rank ${slots.length}, the first has rank ${rank}`,
      statement.name.span,
      {
        labels: [{ span: binding.span, text: "the first clause" }],
      },
    );
    return undefined;
  }

  const leftNames = slots.map((slot) => (slot.kind === "binder" ? slot.binder.name : ""));
  const inside: Place = { ...place, scope, frame, indexed: statement.span, leftNames, statement };
  const said = errorCount(place);
  const distributed = distribute(inside, statement.value, statement.where);
  const where = whereItems(inside, distributed.where?.items ?? []);
  const written = expression(where.place, distributed.value);
  const otherwise =
    distributed.where?.otherwise &&
    expression(placeOfElse(inside, where), distributed.where.otherwise);
  const body =
    written.kind === "wrong" ? written : completeBody(where.place, statement, written, frame.left);
  if (otherwise?.type.kind === "tensor" && otherwise.type.axes.length > 0) {
    report(place, "E0402", "the `else` value of a cell is one number", otherwise.span, {
      text: `this is ${showType(otherwise.type)}`,
    });
  }
  const failed = body.kind === "wrong" || otherwise?.kind === "wrong" || errorCount(place) > said;
  if (!failed) checkElementTypes(place, binding, statement, body, otherwise);
  // A wrong body may lack the use that determines a range. Ranges are then not inferred.
  if (!failed) inferRanges(inside, frame, binding.name);
  passOuterUses(place, frame);
  if (failed || errorCount(place) > said) return undefined;
  return {
    slots,
    items: where.items,
    body,
    ...(otherwise ? { otherwise } : {}),
    span: statement.span,
  };
}

/**
 * The place of the `else` value, where a guard fails. It sees the bindings before the first guard.
 * As under the guard, its uses are checked and do not determine ranges.
 */
function placeOfElse(place: Place, where: ReturnType<typeof whereItems>): Place {
  const scope = scopeInside(place.scope);
  for (const item of where.items) {
    if (item.kind === "guard") break;
    scope.names.set(item.binding.name, item.binding);
  }
  return { ...place, scope, guarded: where.place.guarded };
}

function slotsOf(
  place: Place,
  statement: ast.IndexedLet,
  frame: Frame,
  scope: Scope,
): readonly ClauseSlot[] | undefined {
  const said = errorCount(place);
  const ranks = statement.slots.some((slot) => slot.kind === "pack")
    ? packRanks(place, statement)
    : new Map<string, number>();
  if (errorCount(place) > said) return undefined;
  const names = new Set(
    statement.slots.flatMap((slot) => (slot.kind === "coordinate" ? [slot.name.text] : [])),
  );
  const slots: ClauseSlot[] = [];
  let areRight = true;
  const wrong = (): void => void (areRight = false);
  for (const slot of statement.slots) {
    switch (slot.kind) {
      case "coordinate": {
        const name = slot.name.text;
        if (frame.left.some((binder) => binder.name === name)) {
          const diagonal = `let ${statement.name.text}[i, j] = …`;
          report(place, "E0314", `\`${name}\` stands twice on the left`, slot.span, {
            ...(sizesOnLeft(statement, (each) => isIntegerName(place.scope, each)) ?? {
              help: `for a diagonal write two names and a guard: \`${diagonal} where i == j;\``,
            }),
          });
          wrong();
          break;
        }
        const binder = newBinder(name, slot.name.span, slot.range !== undefined);
        if (slot.range) {
          const other = [...namesReadIn(slot.range)].find(
            (used) => names.has(used) && used !== name,
          );
          if (other) {
            report(
              place,
              "E0309",
              `the range of \`${name}\` depends on the coordinate \`${other}\``,
              slot.range.span,
              {
                help:
                  `give \`${name}\` a range without \`${other}\`, ` +
                  `and write behind the right side \`where ${asGuards(name, slot.range)}\``,
              },
            );
            wrong();
            break;
          }
          if (!setExplicitRange(place, binder, slot.range)) wrong();
          else if (startsBelowZero(place, binder)) {
            report(
              place,
              "E0309",
              `the cells of \`${statement.name.text}\` are counted from 0, ` +
                `and \`${name}\` starts below`,
              slot.range.span,
              {
                help:
                  `shift the range and write the shift on the right: \`${name} - …\`; ` +
                  "or start at 0",
                ...(slot.range.kind === "range"
                  ? fixed("start at 0", replace(slot.range.from.span, "0"))
                  : {}),
              },
            );
            wrong();
          }
        }
        frame.left.push(binder);
        slots.push({ kind: "binder", binder });
        break;
      }
      case "expression": {
        const { value } = slot;
        if (value.kind === "number" && !value.float) {
          const at = Number(value.text.replaceAll("_", ""));
          if (at >= 2 ** 31) {
            report(place, "E0407", `${value.text} is too large for a position`, slot.span);
            wrong();
            break;
          }
          slots.push({ kind: "fixed", at: constant(at), span: slot.span });
          break;
        }
        slotExpression(place, statement, value);
        wrong();
        break;
      }
      case "pack": {
        const binders = packBinders(place, slot.name, slot.span, ranks, scope);
        if (!binders) wrong();
        for (const binder of binders ?? []) {
          frame.left.push(binder);
          slots.push({ kind: "binder", binder });
        }
        break;
      }
      default:
        slot satisfies never;
    }
  }
  return areRight ? slots : undefined;
}

function startsBelowZero(place: Place, binder: Binder): boolean {
  const from = rangeOfBinder(place.checker, binder)?.from;
  return (
    from !== undefined && prove(nonNegative(from), extentFacts(place.checker, [from])) === "false"
  );
}

/**
 * Reports `let y[t + 1] = …`. The help shifts the right side, so that `t` stands alone on the left.
 */
function slotExpression(place: Place, statement: ast.IndexedLet, value: ast.Expression): void {
  let help = "a slot is a name, a name with a range, or an integer";
  let fixes: DiagnosticParts["fixes"];
  const first =
    value.kind === "binary" && value.left.kind === "path"
      ? value.left.segments[0]!.text
      : undefined;
  const known = lookUp(
    place.scope,
    first ?? (value.kind === "path" ? value.segments[0]!.text : ""),
  );
  if (known?.kind === "value" || known?.kind === "const") {
    const text = textOf(value.span);
    const slot = `${freshNames(1, textOf(statement.span))[0]!} in ${text}..=${text}`;
    help =
      "for one position that is computed, give a coordinate that range: " +
      `\`let ${statement.name.text}[${slot}] = …;\``;
    fixes = [fix(`write \`${slot}\``, replace(value.span, slot))];
  } else if (
    value.kind === "binary" &&
    (value.operator === "+" || value.operator === "-") &&
    value.left.kind === "path" &&
    value.right.kind === "number"
  ) {
    const name = textOf(value.left.span);
    const opposite = value.operator === "+" ? "-" : "+";
    const shifted = `${name} ${opposite} ${textOf(value.right.span)}`;
    help =
      `put \`${name}\` alone on the left and \`${shifted}\` in place of \`${name}\` on the ` +
      "right";
    const uses = pathsIn([statement.value, statement.where ?? {}]).filter(
      ({ segments }) => segments.length === 1 && segments[0]!.text === name,
    );
    const moved = uses.map(({ span }) =>
      replace(span, isBracketed(span) ? shifted : `(${shifted})`),
    );
    fixes = [fix(`shift \`${name}\``, replace(value.span, name), ...moved)];
  }
  report(
    place,
    "E0310",
    `\`${textOf(value.span)}\` cannot stand on the left of \`${statement.name.text}[…] =\``,
    value.span,
    { help, fixes },
  );
}

/** Whether a span stands alone between brackets or commas, as `t` does in `x[t, 0]`. */
function isBracketed({ source: { text }, start, end }: Span): boolean {
  return /[[,]\s*$/.test(text.slice(0, start)) && /^\s*[\],]/.test(text.slice(end));
}

/**
 * Completion: a right side of rank r is indexed by the r left coordinates that do not occur in it.
 *
 *   let y[b, i] = x[b];   // for `x` of rank 2: x[b, i]
 */
function completeBody(
  place: Place,
  statement: ast.IndexedLet,
  body: Typed,
  left: readonly Binder[],
): Typed {
  if (body.type.kind !== "tensor") {
    const { type, span } = body;
    const help = cellHelp(statement, body);
    return refuse(
      place,
      "E0401",
      `the cells of a tensor are scalars, this is ${showType(type)}`,
      span,
      { help },
    );
  }
  const { axes } = body.type;
  if (axes.length === 0) return body;
  const omitted = left.filter((binder) => !standsIn(binder, body));
  const unused =
    omitted.length === axes.length ? omitted : withBoundInCall(statement, axes, left, omitted);
  if (unused.length !== axes.length) {
    const free = unused.map((binder) => `\`${binder.name}\``).join(", ") || "none";
    return refuse(
      place,
      "E0402",
      `the right side has rank ${axes.length}, ` +
        `but ${counted(unused.length, "coordinate")} of \`${statement.name.text}\` ` +
        `${unused.length === 1 ? "is" : "are"} left to address it`,
      body.span,
      {
        labels: [{ span: statement.name.span, text: `left over: ${free}` }],
        ...repairAddresses(statement, body, axes, unused),
      },
    );
  }
  warnOfRebound(place, statement, body, unused);
  // A left coordinate that has the name of an axis indexes that axis. The others follow in order.
  const rest = unused.filter(
    (binder) => axes.filter((axis) => axis.name === binder.name).length !== 1,
  );
  const indices = axes.map((axis): Typed => {
    const byName = unused.find((binder) => binder.name === axis.name && !rest.includes(binder));
    const binder = byName ?? rest.shift()!;
    return integerValue(ofVariable(binder.variable), binder.span);
  });
  return readAt(
    place,
    body,
    indices,
    body.span,
    indices.map((index) => index.span),
  );
}

/**
 * Adds left coordinates that occur in the right side but still index an axis of it. In
 * `p[b, c] = f[c](z[b, c]) * w[c]` the bracket of the call names the axis `c`.
 */
function withBoundInCall(
  { value }: ast.IndexedLet,
  axes: readonly Axis[],
  left: readonly Binder[],
  omitted: readonly Binder[],
): readonly Binder[] {
  const bound = new Set<string>();
  namesReadIn(value, ({ bracket }) => {
    for (const item of bracket ?? []) if (item.kind === "coordinate") bound.add(item.name.text);
  });
  const isAddress = ({ name }: Binder): boolean =>
    bound.has(name) && axes.filter((axis) => axis.name === name).length === 1;
  return left.filter((binder) => omitted.includes(binder) || isAddress(binder));
}

/**
 * The repair for a wrong number of left coordinates: new coordinates if there are too few, and a
 * range for one that is not needed.
 */
function repairAddresses(
  statement: ast.IndexedLet,
  body: Typed,
  axes: readonly Axis[],
  unused: readonly Binder[],
): Repair {
  const slots = statement.slots.map((slot) => textOf(slot.span));
  if (unused.length > axes.length) {
    const spare =
      unused.find((binder) => !axes.some((axis) => axis.name === binder.name)) ?? unused.at(-1)!;
    const ranged = slots.map((slot) => (slot === spare.name ? `${slot} in 0..…` : slot));
    const [name, part] = [
      statement.name.text,
      indexedPart(
        body,
        unused.filter((each) => each !== spare).map((each) => each.name),
      ),
    ];
    return {
      help:
        `to repeat it along \`${spare.name}\`, ` +
        `write \`let ${name}[${ranged.join(", ")}] = …;\`, ` +
        `with the number of its positions behind \`..\`, and index the right side: ${part}`,
    };
  }
  const taken = new Set([...slots, ...unused.map((binder) => binder.name)]);
  const added = axes.slice(unused.length).map((axis) => {
    const name =
      [axis.name, ..."ijklmnpq"].find((each) => each !== undefined && !taken.has(each)) ?? "k";
    taken.add(name);
    return name;
  });
  const left = `let ${statement.name.text}[${[...slots, ...added].join(", ")}]`;
  const lastSlot = statement.slots.at(-1);
  const whole = reducedWhole(body, [...taken]);
  const otherwise = whole === undefined ? "" : `; to reduce it too, write \`${whole}\``;
  const withPlace = (line: string): Repair => ({
    help: `give it a place on the left: \`${line}\`${otherwise}`,
    ...(lastSlot && added.length > 0
      ? fixed(`write \`${left}\``, after(lastSlot.span, `, ${added.join(", ")}`))
      : {}),
  });
  const names = [...unused.map((binder) => binder.name), ...added].join(", ");
  const text = textOf(body.span);
  if (body.kind === "read" && text.endsWith("]"))
    return withPlace(`${left} = ${text.slice(0, -1)}, ${names}];`);
  if (body.kind === "reference") return withPlace(`${left} = ${text}[${names}];`);
  return withPlace(`${left} = …;`);
}

/** A lint for `let m[i] = max[i](X[i]);`: the `i` on the left is not the `i` that is reduced. */
function warnOfRebound(
  place: Place,
  statement: ast.IndexedLet,
  body: Typed,
  unused: readonly Binder[],
): void {
  if (body.kind !== "reduce" || body.items.length > 0) return;
  const own = body.binders.find(({ name }) => unused.some((binder) => binder.name === name));
  if (!own) return;
  const { name, slots } = statement;
  const text = textOf(body.body.span);
  const taken = [textOf(body.span), ...slots.map((slot) => textOf(slot.span))].join(" ");
  const [other] = freshNames(1, taken);
  const isSole = unused.length === 1 && slots.length === 1 && body.binders.length === 1;
  const isPlain = /^\w+\[[^[\]]+\]$/.test(text) && slots[0]!.span.end === unused[0]!.span.end;
  const cell = `${text.slice(0, -1)}, ${other}]`;
  const [each, along] = [
    `${name.text}[${own.name}] = ${body.reduction}[${other}](${cell})`,
    `${name.text}[${other}] = ${body.reduction}[${own.name}](${cell})`,
  ];
  const isShown = isSole && isPlain;
  const edited = { ...body.span, start: name.span.start };
  const title = `\`${body.reduction}\` binds the coordinate \`${own.name}\` of the left again`;
  lint(place, "W0308", title, own.span, {
    text: `another \`${own.name}\` than that of the left, which no term mentions`,
    help: isShown
      ? `for each \`${own.name}\` write \`let ${each};\`; for what this gives, \`let ${along};\``
      : "give the reduction a coordinate with a name of its own",
    ...(isShown ? { fixes: [fix(`write \`${each}\``, replace(edited, each))] } : {}),
  });
}

/** For `mean[i](X[i])` with an axis left over: `mean[i, j](X[i, j])`. */
function reducedWhole(value: Typed, taken: readonly string[]): string | undefined {
  if (value.kind === "apply")
    return value.operands.reduce<string | undefined>(
      (found, operand) => found ?? reducedWhole(operand, taken),
      undefined,
    );
  if (value.kind !== "reduce" || value.type.axes.length === 0 || value.items.length > 0)
    return undefined;
  const text = textOf(value.body.span);
  if (!/^\w+(?:\[[^[\]]+\])?$/.test(text) || value.reduction.startsWith("arg")) return undefined;
  const own = value.binders.map(({ name }) => name);
  const added = freshNames(value.type.axes.length, [text, ...own, ...taken].join(" "));
  const cell = text.endsWith("]")
    ? `${text.slice(0, -1)}, ${added.join(", ")}]`
    : `${text}[${added.join(", ")}]`;
  return `${value.reduction}[${[...own, ...added].join(", ")}](${cell})`;
}

function checkElementTypes(
  place: Place,
  binding: TensorBinding,
  statement: ast.IndexedLet,
  body: Typed,
  otherwise: Typed | undefined,
): void {
  const cell = binding.type.element;
  if (statement.type) {
    const declared = annotation(place, statement.type);
    if (declared.kind === "tensor" && !unify(cell, declared.element)) {
      report(
        place,
        "E0411",
        `\`${binding.name}\` is declared with elements ${showType(scalar(declared.element))} ` +
          `and has ${decided(cell)}`,
        statement.type.span,
      );
    }
  }
  for (const value of [body, otherwise]) {
    if (!value || value.type.kind !== "tensor" || unify(cell, value.type.element)) continue;
    const [own, others] = [decided(value.type.element), decided(cell)];
    const cast = `(${textOf(value.span)}) as ${others}`;
    const help = castAllowed(own, others) ? write(value.span, cast) : {};
    if (value === body && binding.span === statement.name.span && !statement.type) {
      const title = `\`${binding.name}\` is ${own}, and what reads it takes it to be ${others}`;
      report(place, "E0401", title, value.span, help);
      continue;
    }
    report(
      place,
      "E0401",
      `this clause of \`${binding.name}\` is ${own}, the others are ${others}`,
      value.span,
      {
        labels: [{ span: binding.span, text: `\`${binding.name}\` begins here` }],
        ...help,
      },
    );
  }
}

/**
 * Hands the uses of outer coordinates to the enclosing statement, whose ranges they may determine.
 */
function passOuterUses(place: Place, frame: Frame): void {
  if (frame.spoiled) place.frame.spoiled = true;
  const own = [...frame.left, ...frame.reduced];
  for (const use of frame.uses) {
    if (!own.some((binder) => mentions(use.term, binder.variable))) place.frame.uses.push(use);
  }
}

/** Where the positions of a clause end along an axis. An empty range ends at 0. */
function endOfSlot(place: Place, slot: ClauseSlot): Term | undefined {
  if (slot.kind === "fixed") return plus(slot.at, 1);
  const range = rangeOfBinder(place.checker, slot.binder);
  if (!range) return undefined;
  return holds(atMost(range.to, range.from), extentFacts(place.checker, [range.from, range.to]))
    ? constant(0)
    : range.to;
}

/** Adds a clause to a tensor. Each axis extends to the furthest end of its clauses. */
export function addClause(
  place: Place,
  binding: TensorBinding,
  clause: Clause,
  index: number,
): void {
  binding.clauses[index] = clause;
  const axes = binding.type.axes.map((axis, k): Axis => {
    const ends: Term[] = [];
    let name = axis.name;
    let origin = axis.origin;
    let domain = axis.domain;
    for (const known of binding.clauses) {
      const slot = known?.slots[k];
      if (!slot) continue;
      const end = endOfSlot(place, slot);
      if (end) ends.push(end);
      if (slot.kind === "binder") {
        name ??= slot.binder.name;
        domain ??= slot.binder.domain ??= {};
        origin ??= {
          span: slot.binder.span,
          text: `\`${slot.binder.name}\` of \`${binding.name}\``,
        };
      }
    }
    if (ends.length === 0) return axis;
    return {
      ...(name ? { name } : {}),
      extent: furthest(place, ends),
      ...(domain ? { domain } : {}),
      ...(origin ? { origin } : {}),
    };
  });
  binding.type = tensor(binding.type.element, axes);
}

/**
 * Gives a tensor its final extents after its last clause. A range `a..b` may be empty; no other
 * clause may then reach a or b, and the axis ends at b or at 0. The end of such a range is b *
 * min(max(b - a, 0), 1).
 */
export function setFinalExtents(place: Place, binding: TensorBinding): void {
  const axes = binding.type.axes.map((axis, k): Axis => {
    const slots = binding.clauses.flatMap((clause) => clause?.slots[k] ?? []);
    if (slots.every((slot) => slot.kind === "fixed" || startsAtZero(place, slot.binder)))
      return axis;
    const ends = slots.map((slot) => endOfSlot(place, slot));
    if (!axis.extent || ends.some((end) => !end)) return axis;
    const exact = slots.map((slot, own) => {
      const others = ends.filter((_, other) => other !== own).map((end) => end!);
      return slot.kind === "fixed" ? ends[own]! : endOrZero(place, slot.binder, ends[own]!, others);
    });
    if (exact.every((end, own) => end === ends[own])) return axis;
    return { ...axis, extent: furthest(place, exact) };
  });
  if (axes.some((axis, k) => axis !== binding.type.axes[k]))
    binding.type = tensor(binding.type.element, axes);
}

/**
 * The greatest of some ends. An end that the solver proves to be no greater than another is left
 * out.
 */
function furthest({ checker }: Place, ends: readonly Term[]): Term {
  if (ends.length === 1) return ends[0]!;
  const facts = extentFacts(checker, ends);
  const kept = ends.reduce<readonly Term[]>((before, end) => {
    if (before.some((other) => holds(atMost(end, other), facts))) return before;
    return [...before.filter((other) => !holds(atMost(other, end), facts)), end];
  }, []);
  return kept.length === 1 ? kept[0]! : extremum("max", kept);
}

function startsAtZero({ checker }: Place, { from }: Binder): boolean {
  return from !== undefined && constantOf(integerTerm(checker, from)) === 0;
}

function endOrZero(place: Place, binder: Binder, end: Term, others: readonly Term[]): Term {
  const { from, to } = rangeOfBinder(place.checker, binder)!;
  const facts = extentFacts(place.checker, [from, to, ...others]);
  const isReached = [constant(0), ...others].some(
    (other) => holds(atMost(from, other), facts) || holds(atMost(to, other), facts),
  );
  if (isReached || constantOf(end) === 0 || holds(lessThan(from, to), facts)) return end;
  const isNotEmpty = minimum(maximum(subtract(to, from), constant(0)), constant(1));
  return attempt(() => multiply(end, isNotEmpty)) ?? end;
}

/** A range written as guards: `0..n` of `i` gives `i < n`. */
function asGuards(name: string, range: ast.Expression): string {
  if (range.kind !== "range") return `${name} in ${textOf(range.span)}`;
  const [from, to] = [textOf(range.from.span), textOf(range.to.span)];
  return from === "0" ? `${name} < ${to}` : `${from} <= ${name}, ${name} < ${to}`;
}
