// Ranks for inputs whose types leave them open, so that a program can be looked at before its
// values have come: a pack stands for as many axes as something of known rank says, and for as many
// as one likes where nothing does.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { indexNodes } from "../names/free-names.ts";
import { isOpenRank } from "./open-ranks.ts";

/** Ranks of inputs, by name. */
export type Ranks = ReadonlyMap<string, number>;

/**
 * A rank for every input of a module that does not say its own; those that are given stay. A pack
 * has `length` axes where nothing says more.
 */
export function assumedRanks(module: ast.Module, given: Ranks, length = 1): Ranks {
  const nodes = indexNodes(module.statements);
  const known = new Map([...module.statements.flatMap(writtenRank), ...given]);
  const readsOf = (name: string): readonly ast.Index[] =>
    nodes.filter(({ base }) => textOf(base.span) === name);
  const packs = new Map<string, number>();
  const settle = (items: readonly (ast.Dim | ast.IndexItem)[], rank: number | undefined): void => {
    const open = items.flatMap((item) => (item.kind === "pack" ? [item.name.text] : []));
    const [pack] = open;
    if (rank === undefined || open.length !== 1 || packs.has(pack!)) return;
    packs.set(pack!, Math.max(0, rank - items.length + 1));
  };
  const inputs = module.statements.filter(isOpenInput);
  for (const { name, type } of inputs)
    settle(type.kind === "tensor" ? (type.dims ?? []) : [], known.get(name.text));
  for (const { base, items } of nodes) settle(items, known.get(textOf(base.span)));
  // Indices without a pack say how many axes there are at least.
  for (const { name, type } of inputs) {
    const dims = type.kind === "tensor" ? (type.dims ?? []) : [];
    const written = readsOf(name.text).filter(({ items }) =>
      items.every(({ kind }) => kind !== "pack"),
    );
    const least = Math.max(0, ...written.map(({ items }) => items.length));
    if (least - dims.length + 1 > length) settle(dims, least);
  }
  const lengthOf = (items: readonly (ast.Dim | ast.IndexItem)[]): number =>
    items.reduce(
      (total, item) => total + (item.kind === "pack" ? (packs.get(item.name.text) ?? length) : 1),
      0,
    );
  return new Map(
    inputs.map(({ name, type }) => {
      const dims = type.kind === "tensor" ? (type.dims ?? []) : [];
      const isLoose = dims.some(({ kind }) => kind === "any-rank");
      const rank = isLoose
        ? Math.max(length, ...readsOf(name.text).map(({ items }) => lengthOf(items)))
        : lengthOf(dims);
      return [name.text, given.get(name.text) ?? rank];
    }),
  );
}

function isOpenInput(statement: ast.Statement): statement is ast.Input {
  return statement.kind === "input" && isOpenRank(statement.type);
}

/** The rank that a statement gives its name in so many words. */
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

/** How deep brackets nest: the rank of an array literal. */
function depthOf(value: ast.Expression): number {
  return value.kind === "array" ? 1 + Math.max(0, ...value.elements.slice(0, 1).map(depthOf)) : 0;
}
