// Guesses ranks for inputs whose types leave them open, such as `[f32; ..batch, n]`, so that a
// program can be checked before its values arrive. A pack gets as many axes as another read or
// declaration of known rank shows, and otherwise a number that the caller chooses:
//
//   input x: [f32; ..b];
//   let y[..b] = sum[i, j](w[..b, i, j]);   // if `w` has rank 3, `..b` has one axis

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { indexNodes } from "../names/free-names.ts";
import { isOpenRank } from "./open-ranks.ts";

export type Ranks = ReadonlyMap<string, number>;

/**
 * A rank for each input of a module that does not say its own. Ranks in `given` are kept. A pack
 * that nothing else determines gets `length` axes.
 */
export function assumedRanks(module: ast.Module, given: Ranks, length = 1): Ranks {
  const nodes = indexNodes(module.statements);
  const known = new Map([...module.statements.flatMap(writtenRank), ...given]);
  const readsOf = (name: string): readonly ast.Index[] =>
    nodes.filter(({ base }) => textOf(base.span) === name);
  const packs = new Map<string, number>();
  const setPackLength = (
    items: readonly (ast.Dim | ast.IndexItem)[],
    rank: number | undefined,
  ): void => {
    const open = items.flatMap((item) => (item.kind === "pack" ? [item.name.text] : []));
    const [pack] = open;
    if (rank === undefined || open.length !== 1 || packs.has(pack!)) return;
    packs.set(pack!, Math.max(0, rank - items.length + 1));
  };
  const inputs = module.statements.filter(isOpenInput);
  for (const { name, type } of inputs)
    setPackLength(type.kind === "tensor" ? (type.dims ?? []) : [], known.get(name.text));
  for (const { base, items } of nodes) setPackLength(items, known.get(textOf(base.span)));
  // An index without a pack gives a lower bound for the number of axes.
  for (const { name, type } of inputs) {
    const dims = type.kind === "tensor" ? (type.dims ?? []) : [];
    const written = readsOf(name.text).filter(({ items }) =>
      items.every(({ kind }) => kind !== "pack"),
    );
    const least = Math.max(0, ...written.map(({ items }) => items.length));
    if (least - dims.length + 1 > length) setPackLength(dims, least);
  }
  const countAxes = (items: readonly (ast.Dim | ast.IndexItem)[]): number =>
    items.reduce(
      (total, item) => total + (item.kind === "pack" ? (packs.get(item.name.text) ?? length) : 1),
      0,
    );
  return new Map(
    inputs.map(({ name, type }) => {
      const dims = type.kind === "tensor" ? (type.dims ?? []) : [];
      const hasAnyRank = dims.some(({ kind }) => kind === "any-rank");
      const rank = hasAnyRank
        ? Math.max(length, ...readsOf(name.text).map(({ items }) => countAxes(items)))
        : countAxes(dims);
      return [name.text, given.get(name.text) ?? rank];
    }),
  );
}

function isOpenInput(statement: ast.Statement): statement is ast.Input {
  return statement.kind === "input" && isOpenRank(statement.type);
}

/** The rank that a statement states for its name by its type, its slots or its brackets. */
function writtenRank(statement: ast.Statement): readonly (readonly [string, number])[] {
  switch (statement.kind) {
    case "input":
      if (isOpenRank(statement.type)) return [];
      return [
        [
          statement.name.text,
          statement.type.kind === "tensor" ? (statement.type.dims?.length ?? 1) : 0,
        ],
      ];
    case "indexed-let":
      if (statement.slots.some(({ kind }) => kind === "pack")) return [];
      return [[statement.name.text, statement.slots.length]];
    case "let":
      if (statement.pattern.kind !== "name" || statement.value.kind !== "array") return [];
      return [[statement.pattern.name.text, depthOf(statement.value)]];
    default:
      return [];
  }
}

/** How deep the brackets of an array literal nest: its rank. */
function depthOf(value: ast.Expression): number {
  return value.kind === "array" ? 1 + Math.max(0, ...value.elements.slice(0, 1).map(depthOf)) : 0;
}
