// The tensors that a block declares by clauses. They are found before the first statement is
// checked, because an indexed `let` hides an outer name in the whole block. Tensors that read one
// another form a group:
//
//   let h[0] = 1.0;
//   let h[t in 1..4] = h[t - 1] + g[t - 1];
//   let g[t in 0..4] = h[t];                  // `h` and `g` form one group

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import { components } from "../../base/components.ts";
import { report, type Place } from "../context.ts";
import { isDamaged, meantNames, wordsOfStatement } from "./damaged.ts";
import { namesReadIn } from "../names/free-names.ts";
import { isGlobal } from "../types/integers.ts";
import { axesOfPack } from "../types/packs.ts";
import { lookUp, lookUpFunction } from "../names/scope.ts";
import type { TensorBinding } from "../types/typed.ts";
import { openElement, tensor, type Axis } from "../types/types.ts";

/** The tensors that a block declares by clauses, and the group of each. */
export interface Block {
  readonly tensors: ReadonlyMap<string, TensorBinding>;
  readonly groupOf: ReadonlyMap<TensorBinding, ReadonlySet<TensorBinding>>;
  readonly clausesLeft: Map<TensorBinding, number>;
  /** Clauses with a pack on the left. */
  readonly packed: readonly (readonly [TensorBinding, ast.IndexedLet])[];
  /** Clauses that wait for the extents of a tensor declared below them. */
  readonly waiting: (() => boolean)[];
}

/** Finds the tensors of a block and their groups, before any statement is checked. */
export function gatherTensors(place: Place, list: readonly ast.Statement[]): Block {
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
  // The undamaged clauses come first: they determine the rank of the tensor.
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
          axes.flatMap((axesOfSlot) => axesOfSlot ?? []),
        ),
        complete: false,
        ...(isGlobal(place) ? { global: true } : {}),
        ...(place.call ? { call: place.call } : {}),
        ranked: axes.every((axesOfSlot) => axesOfSlot !== undefined),
      };
      const parameter = place.scope.parent?.names.get(name.text);
      if (place.inner && parameter?.kind === "value" && parameter.role === "parameter")
        reportRedefinition(place, name, parameter.span);
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
    for (const read of namesReadIn(statement)) reads[positions.get(name.text)!]!.add(read);
  }
  for (const statement of damaged) {
    const { certain, likely } = meantNames(statement);
    // A clause that has lost its name probably belongs to a tensor that it reads, or to the tensor
    // of a neighbouring clause.
    if (statement.kind === "indexed-let" && statement.name.text === "") {
      const position = list.indexOf(statement);
      const neighbours = [list[position - 1], list[position + 1]].flatMap((neighbour) =>
        neighbour?.kind === "indexed-let" ? [neighbour.name.text] : [],
      );
      for (const [name, binding] of tensors)
        if (neighbours.includes(name) || wordsOfStatement(statement).includes(name))
          binding.broken = true;
    }
    for (const name of [...certain, likely[0] ?? ""]) {
      const binding = tensors.get(name);
      if (binding) binding.broken = true;
      else if (name !== "" && !lookUp(place.scope, name) && !lookUpFunction(place.scope, name))
        spoilName(place, name, statement.span);
      // The damaged statement may have been the link that makes other tensors a recurrence.
      if (!names.includes(name)) {
        names.push(name);
        reads.push(new Set());
      }
      for (const read of wordsOfStatement(statement)) reads[names.indexOf(name)]!.add(read);
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

/** Reports a plain binding of a name that the block also declares by clauses. */
export function reportClash(place: Place, name: ast.Name, block: Block): boolean {
  const tensor = block.tensors.get(name.text);
  if (!tensor) return false;
  const [first, second] =
    tensor.span.start < name.span.start ? [tensor.span, name.span] : [name.span, tensor.span];
  const isCell = second === tensor.span;
  const help =
    "a finished tensor is not changed: declare another one, " +
    `\`let ${name.text}_new[i] = ${name.text}[i];\`, with a later clause for the cell`;
  reportRedefinition(place, { ...name, span: second }, first, isCell ? { help } : {});
  tensor.broken = true;
  return true;
}

export function reportRedefinition(
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

/** Marks a name as wrong. Readers of it report nothing more. */
export function spoilName(place: Place, name: string, span: Span): void {
  if (place.scope.names.get(name)?.kind !== "tensor")
    place.scope.names.set(name, { kind: "wrong", name, span });
}

/**
 * Reports a `const` or `input` whose name its block has bound already. A plain `let` may hide an
 * earlier binding; a `const` or `input` may not.
 */
export function reportIfTaken(place: Place, name: ast.Name): boolean {
  const own = place.scope.names.get(name.text);
  const around = place.inner ? place.scope.parent?.names.get(name.text) : undefined;
  const parameter = around?.kind === "value" && around.role === "parameter" ? around : undefined;
  const known = own ?? parameter;
  if (!known || known.kind === "wrong" || known.kind === "dimension") return false;
  reportRedefinition(place, name, known.span);
  return true;
}
