// The tensors that a block declares by clauses: found before its first statement is checked, with
// the groups that read one another.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import { components } from "../../base/components.ts";
import { report, type Place } from "../context.ts";
import { isDamaged, meantNames, wordsOf } from "./damaged.ts";
import { namesIn } from "../names/free-names.ts";
import { isGlobal } from "../types/integers.ts";
import { axesOfPack } from "../types/packs.ts";
import { lookUp, lookUpFunction } from "../names/scope.ts";
import type { TensorBinding } from "../types/typed.ts";
import { openElement, tensor, type Axis } from "../types/types.ts";

/** The tensors that a block declares by clauses, and which of them read one another. */
export interface Block {
  readonly tensors: ReadonlyMap<string, TensorBinding>;
  readonly groupOf: ReadonlyMap<TensorBinding, ReadonlySet<TensorBinding>>;
  readonly clausesLeft: Map<TensorBinding, number>;
  /** Clauses with a pack on the left. */
  readonly packed: readonly (readonly [TensorBinding, ast.IndexedLet])[];
  /** Clauses that wait for a tensor below them to get its extents. */
  readonly waiting: (() => boolean)[];
}

/**
 * Finds the tensors of the block before its first statement is checked: an indexed `let` hides
 * outer names everywhere in it.
 */
export function gather(place: Place, list: readonly ast.Statement[]): Block {
  const names: string[] = [];
  const tensors = new Map<string, TensorBinding>();
  const clausesLeft = new Map<TensorBinding, number>();
  const packed: [TensorBinding, ast.IndexedLet][] = [];
  const reads: Set<string>[] = [];
  const positions = new Map<string, number>();
  const damaged = new Set(
    list.filter((statement) => statement.kind !== "fn" && isDamaged(place.checker, statement.span)),
  );
  const whole = list.filter((statement) => !damaged.has(statement));
  // The clauses that could be read say what rank the tensor has.
  for (const statement of [...whole, ...damaged]) {
    if (statement.kind !== "indexed-let") continue;
    const { name } = statement;
    let binding = tensors.get(name.text);
    if (!binding) {
      const axes = statement.slots.map((slot): readonly Axis[] | undefined =>
        slot.kind === "pack"
          ? axesOfPack(place, slot.name)
          : [slot.kind === "coordinate" ? { name: slot.name.text } : {}],
      );
      binding = {
        kind: "tensor",
        name: name.text,
        span: name.span,
        clauses: [],
        declared: [],
        type: tensor(
          openElement(),
          axes.flatMap((each) => each ?? []),
        ),
        complete: false,
        ...(isGlobal(place) ? { global: true } : {}),
        ...(place.call ? { call: place.call } : {}),
        ranked: axes.every((each) => each !== undefined),
      };
      const parameter = place.scope.parent?.names.get(name.text);
      if (place.inner && parameter?.kind === "value" && parameter.role === "parameter")
        redefined(place, name, parameter.span);
      tensors.set(name.text, binding);
      positions.set(name.text, names.length);
      names.push(name.text);
      reads.push(new Set());
      place.scope.names.set(name.text, binding);
    }
    binding.declared?.push(statement);
    if (statement.checkpoint) binding.checkpoint = true;
    if (statement.slots.some(({ kind }) => kind === "pack")) packed.push([binding, statement]);
    clausesLeft.set(binding, (clausesLeft.get(binding) ?? 0) + (damaged.has(statement) ? 0 : 1));
    for (const read of namesIn(statement)) reads[positions.get(name.text)!]!.add(read);
  }
  for (const statement of damaged) {
    const { certain, likely } = meantNames(statement);
    // A clause that has lost its name is likely one of a tensor that it reads or that its
    // neighbours declare.
    if (statement.kind === "indexed-let" && statement.name.text === "") {
      const at = list.indexOf(statement);
      const beside = [list[at - 1], list[at + 1]].flatMap((each) =>
        each?.kind === "indexed-let" ? [each.name.text] : [],
      );
      for (const [name, binding] of tensors)
        if (beside.includes(name) || wordsOf(statement).includes(name)) binding.broken = true;
    }
    for (const name of [...certain, likely[0] ?? ""]) {
      const binding = tensors.get(name);
      if (binding) binding.broken = true;
      else if (name !== "" && !lookUp(place.scope, name) && !lookUpFunction(place.scope, name))
        spoilName(place, name, statement.span);
      // It may have been the link that makes a recurrence of others.
      if (!names.includes(name)) {
        names.push(name);
        reads.push(new Set());
      }
      for (const read of wordsOf(statement)) reads[names.indexOf(name)]!.add(read);
    }
  }
  const groupOf = new Map<TensorBinding, ReadonlySet<TensorBinding>>();
  for (const group of components(names.length, (k) =>
    [...reads[k]!].flatMap((name) => positions.get(name) ?? []),
  )) {
    const members = new Set(group.flatMap((k) => tensors.get(names[k]!) ?? []));
    for (const member of members) groupOf.set(member, members);
  }
  return { tensors, groupOf, clausesLeft, packed, waiting: [] };
}

/** A name that the block's clauses declare cannot also be a plain binding there. */
export function clashes(place: Place, name: ast.Name, block: Block): boolean {
  const tensor = block.tensors.get(name.text);
  if (!tensor) return false;
  const [first, second] =
    tensor.span.start < name.span.start ? [tensor.span, name.span] : [name.span, tensor.span];
  const isCell = second === tensor.span;
  const help =
    "a finished tensor is not changed: declare another one, " +
    `\`let ${name.text}_new[i] = ${name.text}[i];\`, with a later clause for the cell`;
  redefined(place, { ...name, span: second }, first, isCell ? { help } : {});
  tensor.broken = true;
  return true;
}

export function redefined(
  place: Place,
  name: ast.Name,
  first: Span,
  repair: { readonly help?: string } = {},
): void {
  report(place, "E0203", `\`${name.text}\` is defined twice`, name.span, {
    labels: [{ span: first, text: "first defined here" }],
    ...repair,
  });
}

/** Readers of the name say nothing more. */
export function spoilName(place: Place, name: string, span: Span): void {
  if (place.scope.names.get(name)?.kind !== "tensor")
    place.scope.names.set(name, { kind: "wrong", name, span });
}

/**
 * A `const` or an `input` never takes a name that its block has bound already; a plain `let` would
 * only hide it.
 */
export function isTaken(place: Place, name: ast.Name): boolean {
  const own = place.scope.names.get(name.text);
  const around = place.inner ? place.scope.parent?.names.get(name.text) : undefined;
  const parameter = around?.kind === "value" && around.role === "parameter" ? around : undefined;
  const known = own ?? parameter;
  if (!known || known.kind === "wrong" || known.kind === "dimension") return false;
  redefined(place, name, known.span);
  return true;
}
