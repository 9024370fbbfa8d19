// Open programs: a name that is read and never bound becomes an input. Its rank is that of the
// longest read, and its axes get names from the coordinates and packs that walk them:
//
//   let y[i] = sum[k](w[i, k] * x[k]);   // input w: [f32; i, k]; input x: [f32; k];

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Agreement } from "../../affine/agreement.ts";
import type { Term, Variable } from "../../affine/term.ts";
import { agreeing, asVariable } from "../../affine/agreeing.ts";
import { jointName } from "../names/joint-name.ts";
import { claim } from "../../base/claim.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { comparisons, indexNodes, namesReadIn, namesOf } from "../names/free-names.ts";

/** The module with an `input` for each name that a check reported as undefined. */
export function withOpenInputs(module: ast.Module, diagnostics: readonly Diagnostic[]): ast.Module {
  const bound = new Set(module.statements.flatMap(valueNames));
  const undefinedAt = diagnostics.flatMap(({ code, span }) =>
    code === "E0201" && span ? [textOf(span)] : [],
  );
  // `np.sin` is a function of another library. It is not the name of an input.
  const names = new Set(undefinedAt.filter((name) => /^\w+$/.test(name) && !bound.has(name)));
  if (names.size === 0) return module;
  const nodes = indexNodes(module.statements);
  // A value that is compared with a coordinate is an integer: `idx[k] == p`.
  const comparisonNodes = comparisons(module.statements);
  const coordinates = namesOf(module.statements).bound;
  const isCoordinate = (side: ast.Expression): boolean =>
    side.kind === "path" && coordinates.has(textOf(side.span)) && !bound.has(textOf(side.span));
  const inputs = [...names].map((name): ast.Input => {
    const reads = nodes.filter(({ base }) => base.kind === "path" && textOf(base.span) === name);
    const longest = reads.reduce<readonly ast.IndexItem[]>(
      (most, { items }) => (items.length > most.length ? items : most),
      [],
    );
    const isIndex = nodes.some(({ items }) =>
      items.some((item) => reads.some((read) => item.kind === "expression" && item.value === read)),
    );
    const isPosition = comparisonNodes.some(
      ({ left, right }) =>
        (reads.some((read) => read === left) && isCoordinate(right)) ||
        (reads.some((read) => read === right) && isCoordinate(left)),
    );
    return inputOf(name, isIndex || isPosition ? "i32" : "f32", longest, module.span);
  });
  return { ...module, statements: [...inputs, ...module.statements] };
}

/** What a checked program says about the axes of its inputs. */
interface Agreeing {
  readonly agreements: readonly Agreement[];
  readonly inputs: readonly {
    readonly name: string;
    readonly axes: readonly { readonly extent: Term }[];
  }[];
}

/**
 * The module with names for the axes of its open inputs. Axes that must be equally long share a
 * name.
 */
export function withDimensionNames(
  written: ast.Module,
  open: ast.Module,
  program: Agreeing,
): ast.Module {
  const representative = agreeing(program.agreements);
  const nodes = [...indexNodes(written.statements)].sort((a, b) => a.span.start - b.span.start);
  const taken = new Set(open.statements.flatMap(valueNames));
  const { read, bound } = namesOf(written.statements);
  const usedNames = new Set([...bound, ...read.map(({ text }) => text)]);
  const names = new Map<Variable, string>();
  const statements = open.statements.map((statement): ast.Statement => {
    if (statement.kind !== "input" || written.statements.includes(statement)) return statement;
    const { type, name: input } = statement;
    const axes = program.inputs.find((other) => other.name === input.text)?.axes;
    if (type.kind !== "tensor" || !type.dims || !axes) return statement;
    const packExcess = axes.length - type.dims.length;
    const pack = type.dims.findIndex(({ kind }) => kind === "pack");
    const dims = type.dims.map((dim, axis): ast.Dim => {
      if (dim.kind === "pack") return dim;
      const v = asVariable(axes[pack >= 0 && pack < axis ? axis + packExcess : axis]!.extent);
      const coordinate = nodes
        .filter(({ base }) => base.kind === "path" && textOf(base.span) === input.text)
        .map(({ items }) => coordinateIn(items[axis]))
        .find((found) => found !== undefined);
      if (!v) return dim;
      const group = representative(v);
      const free = letters.find((letter) => !usedNames.has(letter) && !taken.has(letter));
      if (!names.has(group)) names.set(group, claim(taken, coordinate ?? free ?? input.text));
      return { kind: "name", name: { text: names.get(group)!, span: dim.span }, span: dim.span };
    });
    return { ...statement, type: { ...type, dims } };
  });
  return { ...open, statements };
}

/** Names for axes that no single coordinate walks. */
const letters = ["i", "j", "k", "l", "m", "n", "p", "q"];

function valueNames(statement: ast.Statement): readonly string[] {
  switch (statement.kind) {
    case "indexed-let":
    case "const":
    case "input":
    case "fn":
      return [statement.name.text];
    case "let":
      return statement.pattern.kind === "name" ? [statement.pattern.name.text] : [];
    default:
      return [];
  }
}

/**
 * The coordinate or pack that an index consists of. A name made of several if it adds coordinates.
 */
function coordinateIn(item: ast.IndexItem | undefined): string | undefined {
  if (item?.kind === "pack") return item.name.text;
  if (item?.kind !== "expression") return undefined;
  const { value } = item;
  if (value.kind === "path")
    return value.segments.length === 1 ? value.segments[0]!.text : undefined;
  return value.kind === "binary" ? jointName([...namesReadIn(value)]) : undefined;
}

/**
 * An input with the axes of the given read. If the read has two packs, each stands for one axis.
 */
function inputOf(
  name: string,
  element: string,
  items: readonly ast.IndexItem[],
  span: Span,
): ast.Input {
  const scalar: ast.Type = { kind: "named", path: [{ text: element, span }], arguments: [], span };
  const isOnlyPack = items.filter(({ kind }) => kind === "pack").length === 1;
  const dims = items.map((item): ast.Dim =>
    item.kind === "pack" && isOnlyPack
      ? { kind: "pack", name: item.name, span }
      : { kind: "unknown", span },
  );
  const type: ast.Type =
    dims.length === 0 ? scalar : { kind: "tensor", element: scalar, dims, span };
  return { kind: "input", name: { text: name, span }, type, span, allow: [], public: false };
}
