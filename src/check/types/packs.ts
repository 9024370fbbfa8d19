// Packs: `..b` stands for zero or more neighbouring axes. Their number follows from the ranks of
// the tensors that the pack indexes, or from the signature of a function:
//
//   let y[..b] = sum[i](x[..b, i]);   // if `x` has rank 3, `..b` has two axes
//
// The brackets of reductions and calls are bound here too, because packs may stand in them.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { report, silent, type Place, refuse } from "../context.ts";
import { newBinder, setExplicitRange, declareCoordinate } from "../ranges/coordinates.ts";
import { fixed, replace, type Repair, repair, removeItem } from "../../diagnostics/fixes.ts";
import { counted } from "../lints/count.ts";
import { indexNodes, namesReadIn } from "../names/free-names.ts";
import { undefinedName } from "../names/names.ts";
import { freshNames } from "../names/fresh-names.ts";
import { extentRange, restrictDomain } from "../ranges/ranges.ts";
import { lookUp, type Scope, scopeInside } from "../names/scope.ts";
import type { Binder, TensorBinding } from "./typed.ts";
import { tensor, type Axis } from "./types.ts";

type PackRanks = ReadonlyMap<string, number>;

/** The rank of every pack in a syntax tree that its index expressions determine. */
export function packRanks(place: Place, syntax: object): PackRanks {
  const nodes = packedNodes(syntax);
  for (const { base } of nodes)
    if (rankOfBase(place, base) === undefined && isLost(place, base)) silent(place, base.span);
  const ranks = ranksFromReads(place, nodes);
  const around = { ...place, ...(isDeclaration(syntax) ? { statement: syntax } : {}) };
  for (const name of ranks.keys())
    if (!isBoundInside(syntax, name)) checkPackLength(around, name, nodes);
  return ranks;
}

function isDeclaration(syntax: object): syntax is ast.IndexedLet {
  return "kind" in syntax && syntax.kind === "indexed-let";
}

/** Whether a bracket inside binds the pack again, as in `mean[..b](x[..b])`. */
function isBoundInside(syntax: object, name: string): boolean {
  let found = false;
  namesReadIn(syntax, ({ bracket }) => {
    found ||= bracket?.some((item) => item.kind === "pack" && item.name.text === name) ?? false;
  });
  return found;
}

/** Reports a pack that would have different numbers of axes in two reads. */
function checkPackLength(place: Place, name: string, nodes: readonly ast.Index[]): void {
  const reads = nodes.flatMap((node) => {
    const packs = node.items.flatMap((item) => (item.kind === "pack" ? [item.name.text] : []));
    const rank = rankOfBase(place, node.base);
    const isOnly = packs.length === 1 && packs[0] === name;
    const isPinned = node.items.some((item) => item.kind === "pin");
    return isOnly && !isPinned && rank !== undefined
      ? [{ node, length: rank - node.items.length + 1 }]
      : [];
  });
  const [first] = reads;
  const other = reads.find(({ length }) => length !== first?.length);
  if (!first || !other || first.length < 0 || other.length < 0) return;
  const [short, long] = first.length < other.length ? [first, other] : [other, first];
  const texts = [long, short].map(
    ({ node, length }) => `for ${counted(length, "axis", "axes")} in \`${textOf(node.span)}\``,
  );
  report(place, "E0402", `\`..${name}\` stands ${texts.join(" and ")}`, short.node.span, {
    labels: [{ span: long.node.span, text: `${counted(long.length, "axis", "axes")} here` }],
    text: `${counted(short.length, "axis", "axes")} here`,
    ...repairMissingAxes(place, name, long.node, long.length - short.length),
  });
}

/**
 * The repair for `x[..b, k]` if `x` has further axes: `x[..b, j, k]`. It uses the left coordinates
 * that stand in no index.
 */
function repairMissingAxes(
  { statement }: Place,
  pack: string,
  node: ast.Index,
  count: number,
): Repair {
  const used = statement
    ? namesReadIn({ value: statement.value, where: statement.where })
    : new Set<string>();
  const free = (statement?.slots ?? []).flatMap((slot) =>
    slot.kind === "coordinate" && !used.has(slot.name.text) ? [slot.name.text] : [],
  );
  const item = node.items.find((each) => each.kind === "pack" && each.name.text === pack)!;
  const isExact = free.length === count;
  const names = isExact
    ? free
    : freshNames(count, statement ? textOf(statement.span) : textOf(node.span));
  const items = node.items.map(
    (each) => textOf(each.span) + (each === item ? `, ${names.join(", ")}` : ""),
  );
  const text = `${textOf(node.base.span)}[${items.join(", ")}]`;
  return {
    help: `name the axes that the other does not have: \`${text}\``,
    ...(isExact ? fixed(`write \`${text}\``, replace(node.span, text)) : {}),
  };
}

/**
 * Finds the ranks of tensors that read one another, before their clauses are checked. Each rank
 * found may determine the next. `clauses` holds the clauses with a pack on the left.
 */
export function rankAhead(
  place: Place,
  clauses: readonly (readonly [TensorBinding, ast.IndexedLet])[],
): void {
  for (let progress = true; progress;) {
    progress = false;
    for (const [binding, statement] of clauses) {
      if (binding.ranked) continue;
      const ranks = ranksFromReads(place, packedNodes(statement));
      const axes = statement.slots.map((slot): readonly Axis[] | undefined => {
        if (slot.kind !== "pack")
          return [slot.kind === "coordinate" ? { name: slot.name.text } : {}];
        const rank = knownRank(place, slot.name.text, ranks);
        return rank === undefined ? undefined : axesNamedByPack(slot.name.text, rank);
      });
      if (axes.includes(undefined)) continue;
      binding.type = tensor(
        binding.type.element,
        axes.flatMap((each) => each!),
      );
      binding.ranked = true;
      progress = true;
    }
  }
}

function packedNodes(syntax: object): readonly ast.Index[] {
  return indexNodes(syntax).filter((node) => node.items.some((item) => item.kind === "pack"));
}

function ranksFromReads(place: Place, nodes: readonly ast.Index[]): PackRanks {
  const ranks = new Map<string, number>();
  for (let progress = true; progress;) {
    progress = false;
    for (const node of nodes) {
      const rank = rankOfBase(place, node.base);
      if (rank === undefined) continue;
      const open = node.items.flatMap((item) =>
        item.kind === "pack" && knownRank(place, item.name.text, ranks) === undefined
          ? [item.name.text]
          : [],
      );
      if (new Set(open).size !== 1) continue;
      const taken = node.items.reduce(
        (sum, item) =>
          sum + (item.kind === "pack" ? (knownRank(place, item.name.text, ranks) ?? 0) : 1),
        0,
      );
      const left = rank - taken;
      if (left < 0 || left % open.length !== 0) continue;
      ranks.set(open[0]!, left / open.length);
      progress = true;
    }
  }
  return ranks;
}

function knownRank(place: Place, name: string, ranks: PackRanks): number | undefined {
  const binding = lookUp(place.scope, `..${name}`);
  if (binding?.kind === "pack") return binding.coordinates.length;
  return ranks.get(name) ?? (binding?.kind === "signature-pack" ? binding.axes.length : undefined);
}

function rankOfBase(place: Place, base: ast.Expression): number | undefined {
  if (base.kind !== "path" || base.segments.length !== 1) return undefined;
  const binding = lookUp(place.scope, base.segments[0]!.text);
  if (binding?.kind === "tensor") return binding.ranked ? binding.type.axes.length : undefined;
  return binding?.kind === "value" && binding.type.kind === "tensor"
    ? binding.type.axes.length
    : undefined;
}

/** Whether the rank of a tensor is unknown because of a mistake that has been reported. */
function isLost(place: Place, base: ast.Expression): boolean {
  if (base.kind !== "path" || base.segments.length !== 1) return false;
  const binding = lookUp(place.scope, base.segments[0]!.text);
  if (!binding) return undefinedName(place, base.segments[0]!).kind === "wrong";
  return binding.kind === "wrong" || (binding.kind === "tensor" && binding.broken === true);
}

/**
 * The axes for a pack of a signature on the left of a clause. They are needed before the clause is
 * checked, because reads above it rely on them.
 */
export function axesOfPack(place: Place, { text }: ast.Name): readonly Axis[] | undefined {
  const axes = signatureAxes(place.scope, text);
  return axes && axesNamedByPack(text, axes.length);
}

/**
 * The axes of a pack in the enclosing signature. A pack on the left may hide the coordinates of a
 * result under the same name, so outer scopes are searched too.
 */
function signatureAxes(scope: Scope, name: string): readonly Axis[] | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(`..${name}`);
    if (found?.kind === "signature-pack") return found.axes;
  }
  return undefined;
}

function axesNamedByPack(pack: string, rank: number): readonly Axis[] {
  return Array.from({ length: rank }, (_, k) => ({ name: memberName(pack, k, rank) }));
}

/** The name of one coordinate of a pack: `b` if it is the only one, `b0`, `b1`, … otherwise. */
function memberName(pack: string, k: number, rank: number): string {
  return rank === 1 ? pack : `${pack}${k}`;
}

/** Binds the coordinates of a pack. `undefined`, after a report, if its rank is not known. */
export function packBinders(
  place: Place,
  name: ast.Name,
  span: Span,
  ranks: PackRanks,
  scope: Scope,
): readonly Binder[] | undefined {
  const axes = signatureAxes(place.scope, name.text);
  const around = lookUp(place.scope, `..${name.text}`);
  const hidden = around?.kind === "pack" ? around.coordinates.length : undefined;
  const rank = axes?.length ?? ranks.get(name.text) ?? hidden;
  if (rank === undefined) {
    if (place.frame.spoiled) return undefined;
    report(place, "E0302", `nothing determines how many axes \`..${name.text}\` stands for`, span, {
      help: `index a tensor of known rank with it: \`x[..${name.text}, i]\``,
    });
    return undefined;
  }
  const binders = Array.from({ length: rank }, (_, k) => {
    const binder = newBinder(memberName(name.text, k, rank), name.span, false, name.text);
    const axis = axes?.[k];
    if (axis) {
      if (axis.domain) binder.domain = axis.domain;
      restrictDomain(place, binder, axis);
      extentRange(binder, axis);
    }
    return binder;
  });
  const coordinates = binders.map((binder) => ({
    kind: "coordinate" as const,
    name: binder.name,
    span: binder.span,
    binder,
  }));
  scope.names.set(`..${name.text}`, {
    kind: "pack",
    name: name.text,
    span: name.span,
    coordinates,
  });
  return binders;
}

/** Binds the coordinates of a call's bracket in a scope of their own. */
export function bracketBinders(
  place: Place,
  bracket: readonly ast.BracketItem[],
  ranks: PackRanks,
): { readonly binders: readonly Binder[]; readonly scope: Scope } | undefined {
  const scope = scopeInside(place.scope);
  const binders: Binder[] = [];
  let isRight = true;
  for (const item of bracket) {
    switch (item.kind) {
      case "coordinate": {
        if (binders.some((binder) => binder.name === item.name.text)) {
          const title = `\`${item.name.text}\` stands twice in one bracket`;
          report(place, "E0314", title, item.span, repair("leave one out", removeItem(item.span)));
          isRight = false;
          break;
        }
        const binder = newBinder(item.name.text, item.name.span, item.range !== undefined);
        // A range may depend on outer coordinates and on earlier ones of the same bracket.
        if (item.range && !setExplicitRange({ ...place, scope }, binder, item.range))
          isRight = false;
        declareCoordinate(scope, binder);
        binders.push(binder);
        break;
      }
      case "pack": {
        const found = packBinders(place, item.name, item.span, ranks, scope);
        if (found) binders.push(...found);
        else isRight = false;
        break;
      }
      case "group":
        refuse(place, "E0302", "a reduction names its coordinates one by one", item.span, {
          help: `write \`[${item.names.map((name) => name.text).join(", ")}]\``,
          ...fixed(
            "leave out the parentheses",
            replace(item.span, item.names.map((name) => name.text).join(", ")),
          ),
        });
        isRight = false;
        break;
      case "expression":
        refuse(
          place,
          "E0302",
          "a bracket before `(` binds coordinates, and this is not a name",
          item.span,
          {
            help: "write a name, or a name with its range: `[k in 0..n]`",
          },
        );
        isRight = false;
        break;
      default:
        item satisfies never;
    }
  }
  return isRight ? { binders, scope } : undefined;
}
