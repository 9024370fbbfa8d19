// Advice for names of other languages and libraries, such as `np.sum(X, axis=0)` or `softmax(X)`.
// The advice comes from the functions that the language has built in, from the standard library,
// and from the table of foreign forms in `diagnostics/foreign/`.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import {
  adviceOnCall,
  adviceOnMember,
  adviceOnMethod,
  adviceOnValue,
  isForeignLibrary,
  replacing,
  type Advice,
  type Occurrence,
} from "../../diagnostics/foreign/advice.ts";
import type { Operand } from "../../diagnostics/foreign/pattern.ts";
import { atTop, fix } from "../../diagnostics/fixes.ts";
import { closest } from "../../diagnostics/suggest.ts";
import { operationOfFunction, arityOf } from "../../scalar/operations.ts";
import { isReductionName, reductionNames } from "../../scalar/reductions.ts";
import { builtins, isBuiltin } from "../calls/builtins.ts";
import { cellOfValue, coordinatesInSight } from "../expressions/condition-help.ts";
import { refuse, type Place } from "../context.ts";
import { ownType } from "../../diagnostics/foreign/dtypes.ts";
import { pythonRange } from "../../diagnostics/foreign/python-range.ts";
import { adviceOnBackward, adviceOnGrad } from "../derivatives/gradient-help.ts";
import { asDeclaration, type PlacedStatement } from "./as-declaration.ts";
import { freshNames } from "./fresh-names.ts";
import { maskedValue, type Masked } from "./masks.ts";
import { readFromFile } from "../lints/read-from-file.ts";
import { lookUp, lookUpFunction, type Scope } from "./scope.ts";
import type { Typed } from "../types/typed.ts";
import { isText, type Type } from "../types/types.ts";

// ── the library ─────────────────────────────────────────────────────────────────────────────────

/** The module of the library that declares a function or constant. */
export function libraryModuleWith({ checker }: Place, name: string): string | undefined {
  const declaration = new RegExp(`^pub (?:fn|const) ${name}\\b`, "m");
  return checker.library().find(([, text]) => declaration.test(text))?.[0];
}

/** The names of all functions and constants of the library. */
function libraryNames({ checker }: Place): readonly string[] {
  return checker
    .library()
    .flatMap(([, text]) =>
      [...text.matchAll(/^pub (?:fn|const) (\w+)/gm)].map(([, name]) => name!),
    );
}

/** Advice for a name of the library that no `use` brings. */
function adviceOnLibrary(place: Place, name: string, at: Span, e?: ast.Call): Advice | undefined {
  const module = libraryModuleWith(place, name);
  if (module === undefined) return undefined;
  const path = `std::${module}::${name}`;
  const whole = replacing(at, path);
  const use = atTop(at, `use ${path};`);
  const help = `it is in the library: \`use ${path};\``;
  if (isInModule(place.scope)) return { help, fixes: [whole] };
  const reductionCall = e && alongAxis(place, module, name, e);
  if (reductionCall) {
    const title = `add \`use ${path};\` and name the coordinate`;
    const fixes = reductionCall.edits.length === 0 ? [] : [fix(title, use, ...reductionCall.edits)];
    return { help: `${help}, then \`${reductionCall.text}\``, fixes };
  }
  return { help, fixes: [fix(`add \`use ${path};\``, use), whole] };
}

/**
 * For `softmax(X)` of a matrix: `softmax[j](X[i, j])`, along the last axis or the one of `axis=0`.
 */
function alongAxis(
  place: Place,
  module: string,
  name: string,
  e: ast.Call,
): PlacedStatement | undefined {
  const [, text = ""] = place.checker.library().find(([each]) => each === module) ?? [];
  const head = `^pub fn ${name}\\[j\\]\\(\\w+: \\[\\w+; \\.\\.left, j, \\.\\.right\\]`;
  const layout = "\\) -> \\[\\w+;\\s+\\.\\.left, (j, )?\\.\\.right\\]";
  const declared = new RegExp(`${head}${layout}`, "m").exec(text);
  const [first, ...others] = e.arguments;
  const rank = first && rankInSight(place, textOf(first.value.span));
  if (!declared || !first || e.bracket || rank === undefined || rank < 2) return undefined;
  const names = freshNames(rank, [textOf(e.span), ...coordinatesInSight(place.scope)].join(" "));
  const [axis = rank - 1] = axesMeant(others, rank) ?? [];
  const replacement = `${name}[${names[axis]!}](${cellOfValue(place, first.value, rank, names)})`;
  const kept = declared[1] === undefined ? names.filter((_, k) => k !== axis) : names;
  return asDeclaration(place, e.span, kept, replacement);
}

/** Whether a scope lies in a module. A `use` at the top of the file has no effect there. */
function isInModule(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent) if (at.outer) return true;
  return false;
}

// ── names that stand alone ──────────────────────────────────────────────────────────────────────

/** Advice for a call of an unknown function. */
export function adviceForCall(place: Place, name: ast.Name, e?: ast.Call): Advice | undefined {
  const own = closest(name.text, functionsInSight(place.scope));
  if (own !== undefined) return didYouMean(name, own);
  const { text } = name;
  return (
    (e ? readFromFile(text, e.span, e.arguments[0]?.value.span) : undefined) ??
    (e ? rangeOfPython(text, e) : undefined) ??
    adviceOnLibrary(place, text, name.span, e) ??
    (e && !e.bracket ? adviceOnCall(text, occurrence(place, e)) : undefined) ??
    (e?.bracket && text === "product" ? spelledProduct(name) : undefined) ??
    adviceOnCall(text, { span: name.span, operands: [] }) ??
    nearInLibrary(place, name)
  );
}

/** `i in range(n)` and `i in np.arange(n)`: behind `in` a range is written. */
function rangeOfPython(name: string, { span: at, arguments: given }: ast.Call): Advice | undefined {
  const [, walked] = /(\w+)\s+in\s+$/.exec(at.source.text.slice(0, at.start)) ?? [];
  if (!/^x?range$|^arange$/.test(name) || walked === undefined) return undefined;
  const range = pythonRange(given.map(({ value }) => textOf(value.span)));
  if (!range) return undefined;
  const { text, condition } = range;
  const meant = `write \`${walked} in ${text}\``;
  if (!condition) return { help: meant, fixes: [replacing(at, text)] };
  const which = `with the condition \`${condition(walked)}\``;
  return { help: `${meant}, ${which}: a range goes up by one` };
}

function spelledProduct(name: ast.Name): Advice {
  return { help: "write `prod[…](…)`", fixes: [replacing(name.span, "prod")] };
}

/** Advice for an unknown name where a value is expected. */
export function adviceForName(place: Place, name: ast.Name): Advice | undefined {
  const library = adviceOnLibrary(place, name.text, name.span);
  if (!library) return adviceOnValue(name.text, name.span);
  return libraryConstant(place, name.text) ? library : { help: `${library.help}, and call it` };
}

function libraryConstant({ checker }: Place, name: string): boolean {
  const declaration = new RegExp(`^pub const ${name}\\b`, "m");
  return checker.library().some(([, text]) => declaration.test(text));
}

function didYouMean(name: ast.Name, meant: string): Advice {
  return { help: `did you mean \`${meant}\`?`, fixes: [replacing(name.span, meant)] };
}

/**
 * Advice for a misspelled name such as `softMax`: the nearest name of the library, unless a
 * built-in name is just as near.
 */
function nearInLibrary(place: Place, name: ast.Name): Advice | undefined {
  const library = new Set(libraryNames(place));
  const near = closest(name.text, [
    ...operationOfFunction.keys(),
    ...builtins,
    ...reductionNames,
    ...library,
  ]);
  if (near === undefined) return undefined;
  if (!library.has(near)) return didYouMean(name, near);
  const path = `std::${libraryModuleWith(place, near)}::${near}`;
  return {
    help: `did you mean \`${near}\`? It is in the library: \`use ${path};\``,
    fixes: [replacing(name.span, path)],
  };
}

function* functionsInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) yield* at.functions.keys();
}

// ── members and methods ─────────────────────────────────────────────────────────────────────────

/** Advice for `x.name` of a tensor `x`. */
export function adviceForMember(e: ast.Member, type: Type): Advice {
  if (e.name.text === "grad") return adviceOnGrad(e);
  const member: Occurrence = {
    span: e.span,
    operands: [{ text: textOf(e.base.span) }],
    rank: () => tensorRank(type),
  };
  return adviceOnMember(e.name.text, member) ?? { help: "a tensor has `.shape`" };
}

/** Advice for `x.name(…)` of a tensor `x`. */
export function adviceForMethod(place: Place, callee: ast.Member, e: ast.Call, type: Type): Advice {
  const { text } = callee.name;
  const array = textOf(callee.base.span);
  const operands: readonly Operand[] = [{ text: array }, ...e.arguments.map(operandOf)];
  const rank = (own: string): number | undefined =>
    own === array ? tensorRank(type) : rankInSight(place, own);
  const method: Occurrence = { span: e.span, operands, rank };
  const cast = castMeant(callee, e);
  if (cast) return cast;
  if (text === "backward") return adviceOnBackward(place, callee.base, e);
  if (text === "join")
    return { help: `what stands between the texts comes first: \`", ".join(${array})\`` };
  const own = lookUpFunction(place.scope, text);
  const inFront = (name: string): Advice => {
    const texts = operands.map((each) => (each.name ? `${each.name} = ` : "") + each.text);
    const call = `${name}(${texts.join(", ")})`;
    return { help: `functions stand in front: \`${call}\``, fixes: [replacing(e.span, call)] };
  };
  if (own) return inFront(text);
  const isAxis = ({ name, value }: ast.Argument): boolean =>
    name !== undefined || /^[-\d]/.test(textOf(value.span)) || value.kind === "tuple";
  if (isReductionName(text) && e.arguments.every(isAxis))
    return namedReduction(place, "a reduction names what it walks", {
      reduction: text,
      value: callee.base,
      others: e.arguments,
      span: e.span,
      rank: tensorRank(type),
    });
  if (operationOfFunction.has(text) || isBuiltin(text)) return inFront(text);
  const advice = adviceOnMethod(text, method);
  if (advice?.fits) return advice;
  const module = libraryModuleWith(place, text);
  if (module !== undefined) return inFront(`std::${module}::${text}`);
  return (
    advice ??
    nearMethod(place, callee.name) ?? {
      help: "a tensor has no methods: functions stand in front, `f(x)`",
    }
  );
}

function nearMethod(place: Place, name: ast.Name): Advice | undefined {
  const help = nearInLibrary(place, name)?.help;
  return help === undefined ? undefined : { help };
}

/** `k.astype(np.float32)`, `k.to(torch.float64)`, where the type has a name here. */
function castMeant({ base, name }: ast.Member, e: ast.Call): Advice | undefined {
  const [first, ...others] = e.arguments;
  if (!/^(?:astype|to|type|cast)$/.test(name.text) || !first || others.length > 0) return undefined;
  const type = ownType(textOf(first.value.span));
  if (type === undefined) return undefined;
  const text = textOf(base.span);
  const isWhole = base.kind === "binary" && !/^\(.*\)$/s.test(text);
  const way = `${isWhole ? `(${text})` : text} as ${type}`;
  return { help: `write \`${way}\``, fixes: [replacing(e.span, way)] };
}

/**
 * For a cast of a value that is wrong itself: no value has such a method, unless data of the
 * program has a field of its name.
 */
export function castOfWrong(callee: ast.Member, e: ast.Call): Advice | undefined {
  const { source } = e.span;
  const isField = new RegExp(`\\b${callee.name.text}\\s*:`).test(source.text);
  return isField || callee.name.text !== "astype" ? undefined : castMeant(callee, e);
}

/** A reduction as other languages call it: `sum(X, axis=0)`, `np.sum(X)`, `X.sum(axis=1)`. */
interface ForeignReduction {
  readonly reduction: string;
  readonly value: ast.Expression;
  /** The arguments behind the value. */
  readonly others: readonly ast.Argument[];
  readonly span: Span;
  /** The rank of the value, if the caller knows it. */
  readonly rank?: number | undefined;
}

/** Advice that gives each axis of the value a coordinate: `let s[j] = sum[i](X[i, j]);`. */
export function namedReduction(
  place: Place,
  lead: string,
  { reduction, value, others, span: whole, rank: given }: ForeignReduction,
): Advice {
  const masked = maskedValue(place, value);
  const said = masked ? `${lead}, and the mask is a guard` : lead;
  const rank = masked?.rank ?? given ?? rankInSight(place, textOf(value.span));
  const around = [textOf(whole), ...coordinatesInSight(place.scope)].join(" ");
  const inner =
    masked && masked.written.length === rank ? masked.written : freshNames(rank ?? 1, around);
  const cell = (names: readonly string[]): string =>
    masked ? masked.cell(names) : cellOfValue(place, value, rank ?? 1, names);
  // If the rank is unknown or the value is a scalar, the advice shows only the form.
  if (rank === undefined || rank === 0) {
    const name = rank === undefined && value.kind === "path" ? textOf(value.span) : "x";
    const [coordinate] = freshNames(1, around);
    return { help: `${said}: \`${reduction}[${coordinate}](${name}[${coordinate}])\`` };
  }
  const isOfOne = reduction.startsWith("arg");
  const meant = masked ? maskedAxes(masked, others) : axesMeant(others, rank);
  const axes = meant ?? (isOfOne && rank > 1 ? [rank - 1] : [...inner.keys()]);
  const reduced = axes.map((axis) => inner[axis]!).join(", ");
  const kept = inner.filter((_, axis) => !axes.includes(axis));
  const replacement = `${reduction}[${reduced}](${cell(inner)})`;
  const isKept = others.some(({ name }) => name?.text.startsWith("keepdim"));
  const notes = [
    ...(isKept ? ["; no axis of extent 1 has to be kept, names say what meets"] : []),
    ...(masked && isOfOne ? ["; it counts all cells, not only the chosen ones"] : []),
  ];
  const note = notes.join("");
  if (masked && !masked.isWhole)
    return { help: `a mask is a guard of the reduction, as in \`${replacement}\`` };
  if (kept.length === 0) {
    const isExact = masked ? masked.isExact && !isOfOne : !isOfOne || axes.length === 1;
    const fixes = isExact ? [replacing(whole, replacement)] : [];
    return { help: `${said}: \`${replacement}\`${note}`, fixes };
  }
  const { text, edits } = asDeclaration(place, whole, kept, replacement);
  const isShown = edits.length === 0 || masked?.isExact === false;
  const fixes = isShown ? [] : [fix(`write \`${text}\``, ...edits)];
  return { help: `${said}: \`${text}\`${note}`, fixes };
}

/**
 * The axes that `axis=0` means where a mask has chosen cells. The cells that are chosen lie along
 * one axis.
 */
function maskedAxes(
  { rank, chosen }: Masked,
  others: readonly ast.Argument[],
): readonly number[] | undefined {
  const axes = axesMeant(others, rank - chosen + 1);
  return axes?.flatMap((axis) =>
    axis === 0 ? Array.from({ length: chosen }, (_, k) => k) : [axis + chosen - 1],
  );
}

/** The axes that `axis=0`, `dim=-1`, `axis=(0, 1)` or a second argument names. */
function axesMeant(others: readonly ast.Argument[], rank: number): readonly number[] | undefined {
  const isAxis = ({ name }: ast.Argument): boolean =>
    name === undefined || /^(?:axis|axes|dim|dims)$/.test(name.text);
  const value = others.find(isAxis)?.value;
  if (!value) return undefined;
  const members = value.kind === "tuple" ? value.members : [value];
  const axes = members.map((member) => {
    const text = textOf(member.span);
    const number = /^-?\d+$/.test(text) ? Number(text) : rank;
    return number < 0 ? number + rank : number;
  });
  const areAxes = axes.length > 0 && axes.every((axis) => axis >= 0 && axis < rank);
  return areAxes ? axes : undefined;
}

/** Advice for `p[0]` of a tuple with that many members: `p.0`. */
export function memberAdvice(
  { base, items, span: place }: ast.Index,
  members: number,
): Partial<Advice> {
  const [only] = items;
  const text = only && items.length === 1 ? textOf(only.span) : "";
  if (members === 0 || !/^\d+$/.test(text) || Number(text) >= members) return {};
  const memberText = `${textOf(base.span)}.${text}`;
  return {
    help: `the members of a tuple stand behind a dot: \`${memberText}\``,
    fixes: [replacing(place, memberText)],
  };
}

// ── other libraries ─────────────────────────────────────────────────────────────────────────────

/**
 * Refuses `np.sin(x)` or `np.pi` if `np` is unbound and the name of a library. Gives `undefined`
 * for other names.
 */
export function fromOtherLibrary(
  place: Place,
  member: ast.Member,
  e?: ast.Call,
): Typed | undefined {
  if (!isForeignLibrary(rootOf(member)!.text)) return undefined;
  const path = textOf(member.span);
  const advice = e ? foreignCall(place, member, e) : foreignValue(place, member);
  return refuse(place, "E0201", `\`${path}\` is not defined`, member.span, {
    text: `\`${rootOf(member)!.text}\` is no module here`,
    ...(advice ?? {
      help: "nothing here has this name; what there is comes from the library, `std`",
    }),
  });
}

/** The name at the start of a chain of members: `np` in `np.random.rand`. */
export function rootOf({ base }: ast.Member): ast.Name | undefined {
  if (base.kind === "member") return rootOf(base);
  return base.kind === "path" && base.segments.length === 1 ? base.segments[0] : undefined;
}

function foreignCall(
  place: Place,
  { name, span: path }: ast.Member,
  e: ast.Call,
): Advice | undefined {
  const { text } = name;
  const [first] = e.arguments;
  const given = readFromFile(text, e.span, first?.value.span) ?? rangeOfPython(text, e);
  if (given) return given;
  const callAdvice = /^console\b|\brandom\.\w+$/.test(textOf(path))
    ? adviceOnCall(text, occurrence(place, e))
    : undefined;
  if (callAdvice?.fits) return callAdvice;
  const operation = operationOfFunction.get(text);
  const isNamed = e.arguments.some((argument) => argument.name);
  const isOperation =
    operation !== undefined && arityOf(operation) === e.arguments.length && !isNamed;
  const reduction = { amax: "max", amin: "min", average: "mean" }[text] ?? text;
  if (!isOperation && isReductionName(reduction) && first)
    return namedReduction(place, "a reduction names what it walks", {
      reduction,
      value: first.value,
      others: e.arguments.slice(1),
      span: e.span,
    });
  if (isOperation || isBuiltin(text))
    return { help: `it is built in: write \`${text}(…)\``, fixes: [replacing(path, text)] };
  const at = occurrence(place, e);
  const advice = adviceOnCall(text, at);
  if (advice?.fits || (advice && libraryModuleWith(place, text) === undefined)) return advice;
  return inLibraryAs(place, path, text) ?? nearForeign(place, name, path);
}

function foreignValue(place: Place, { name, span: path }: ast.Member): Advice | undefined {
  const { text } = name;
  return (
    adviceOnValue(text, path) ?? inLibraryAs(place, path, text) ?? nearForeign(place, name, path)
  );
}

/** Advice to write the library's own function or constant of that name. */
function inLibraryAs(place: Place, path: Span, name: string): Advice | undefined {
  const module = libraryModuleWith(place, name);
  if (module === undefined) return undefined;
  const own = `std::${module}::${name}`;
  return { help: `write \`${own}\``, fixes: [replacing(path, own)] };
}

function nearForeign(place: Place, name: ast.Name, path: Span): Advice | undefined {
  const advice = nearInLibrary(place, name);
  const [fix] = advice?.fixes ?? [];
  return advice && fix
    ? { help: advice.help, fixes: [replacing(path, fix.edits[0]!.text)] }
    : undefined;
}

// ── operands ────────────────────────────────────────────────────────────────────────────────────

function occurrence(place: Place, e: ast.Call): Occurrence {
  return {
    span: e.span,
    operands: e.arguments.filter((each) => !isFirstAxis(e, each)).map(operandOf),
    rank: (text) => rankInSight(place, text),
  };
}

/** `axis=0` where arrays are put together: that is the axis at which they meet. */
function isFirstAxis({ callee }: ast.Call, { name, value }: ast.Argument): boolean {
  const isOfArrays = /\b(?:concatenate|concat|cat|stack|append|repeat)$/.test(textOf(callee.span));
  return isOfArrays && /^(?:axis|dim)$/.test(name?.text ?? "") && textOf(value.span) === "0";
}

function operandOf({ name, value }: ast.Argument): Operand {
  const text = textOf(value.span);
  const parts =
    value.kind === "tuple" ? value.members : value.kind === "array" ? value.elements : undefined;
  return {
    text,
    ...(name ? { name: name.text } : {}),
    ...(parts ? { members: parts.map((part) => textOf(part.span)) } : {}),
  };
}

/**
 * Whether the first argument is visibly a tensor: an array literal, or a name bound to a tensor.
 */
export function takesTensor(place: Place, { arguments: [first] }: ast.Call): boolean {
  if (!first) return false;
  const { kind, span: at } = first.value;
  return kind === "array" || rankInSight(place, textOf(at)) !== undefined;
}

function tensorRank(type: Type): number | undefined {
  return type.kind === "tensor" && !isText(type) ? type.axes.length : undefined;
}

/** The rank of a bound name or of a read of one. Other expressions are not analysed. */
function rankInSight({ scope }: Place, text: string): number | undefined {
  const [, name = "", indices] = /^(\w+)(?:\[([^[\]]*)\])?$/.exec(text) ?? [];
  const binding = lookUp(scope, name);
  if (binding?.kind !== "value" && binding?.kind !== "tensor") return undefined;
  const rank = tensorRank(binding.type);
  return rank === undefined || indices === undefined ? rank : rank - indices.split(",").length;
}
