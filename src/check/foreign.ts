// Names that other languages have, where they stand in a program: the way here, by what the
// language has built in, by the library, and by the table of foreign forms.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../base/source.ts";
import {
  adviceOnCall,
  adviceOnMember,
  adviceOnMethod,
  adviceOnValue,
  isForeignLibrary,
  replacing,
  type Advice,
  type Occurrence,
} from "../diagnostics/foreign/advice.ts";
import { ownType } from "../diagnostics/foreign/dtypes.ts";
import type { Operand } from "../diagnostics/foreign/pattern.ts";
import type { Edit } from "../diagnostics/diagnostic.ts";
import { atTop, fix, replace } from "../diagnostics/fixes.ts";
import { pythonRange } from "../diagnostics/foreign/python-range.ts";
import { closest } from "../diagnostics/suggest.ts";
import { operationOfFunction, arityOf } from "../scalar/operations.ts";
import { isReductionName, reductionNames } from "../scalar/reductions.ts";
import { builtins, isBuiltin } from "./builtins.ts";
import { cellText, coordinatesInSight } from "./condition-help.ts";
import { refuse, type Place } from "./context.ts";
import { adviceOnBackward, adviceOnGrad } from "./gradient-help.ts";
import { freshNames } from "./fresh-names.ts";
import { readFromFile } from "./read-from-file.ts";
import { lookUp, lookUpFunction, type Scope } from "./scope.ts";
import type { Typed } from "./typed.ts";
import { isText, type Type } from "./types.ts";

// ── the library ─────────────────────────────────────────────────────────────────────────────────

/** The module of the library that has a function or a constant. */
export function libraryModule({ checker }: Place, name: string): string | undefined {
  const declaration = new RegExp(`^pub (?:fn|const) ${name}\\b`, "m");
  return checker.library().find(([, text]) => declaration.test(text))?.[0];
}

/** Every function and constant of the library. */
function libraryNames({ checker }: Place): readonly string[] {
  return checker
    .library()
    .flatMap(([, text]) =>
      [...text.matchAll(/^pub (?:fn|const) (\w+)/gm)].map(([, name]) => name!),
    );
}

/** For a name of the library that nothing brings here. */
export function adviceOnLibrary(
  place: Place,
  name: string,
  at: Span,
  e?: ast.Call,
): Advice | undefined {
  const module = libraryModule(place, name);
  if (module === undefined) return undefined;
  const path = `std::${module}::${name}`;
  const whole = replacing(at, path);
  const use = atTop(at, `use ${path};`);
  const help = `it is in the library: \`use ${path};\``;
  if (isInModule(place.scope)) return { help, fixes: [whole] };
  const along = e && alongAxis(place, module, name, e);
  if (along) {
    const title = `add \`use ${path};\` and name the coordinate`;
    const fixes = along.edits.length === 0 ? [] : [fix(title, use, ...along.edits)];
    return { help: `${help}, then \`${along.text}\``, fixes };
  }
  return { help, fixes: [fix(`add \`use ${path};\``, use), whole] };
}

/** `softmax(X)` of a matrix, along its last axis or that of `axis=0`: `softmax[j](X[i, j])`. */
function alongAxis(place: Place, module: string, name: string, e: ast.Call): Placed | undefined {
  const [, text = ""] = place.checker.library().find(([each]) => each === module) ?? [];
  const head = `^pub fn ${name}\\[j\\]\\(\\w+: \\[\\w+; \\.\\.left, j, \\.\\.right\\]`;
  const layout = "\\) -> \\[\\w+;\\s+\\.\\.left, (j, )?\\.\\.right\\]";
  const declared = new RegExp(`${head}${layout}`, "m").exec(text);
  const [first, ...others] = e.arguments;
  const rank = first && rankInSight(place, textOf(first.value.span));
  if (!declared || !first || e.bracket || rank === undefined || rank < 2) return undefined;
  const names = freshNames(rank, [textOf(e.span), ...coordinatesInSight(place.scope)].join(" "));
  const [axis = rank - 1] = axesMeant(others, rank) ?? [];
  const way = `${name}[${names[axis]!}](${cellOfValue(place, first.value, rank, names)})`;
  const kept = declared[1] === undefined ? names.filter((_, k) => k !== axis) : names;
  return asDeclaration(place, e.span, kept, way);
}

/** A module sees no names around it: a `use` at the top of the file is none of its own. */
function isInModule(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent) if (at.outer) return true;
  return false;
}

// ── names that stand alone ──────────────────────────────────────────────────────────────────────

/** For a call of a function that is not there. */
export function adviceForCall(place: Place, name: ast.Name, e?: ast.Call): Advice | undefined {
  const own = closest(name.text, functionsInSight(place.scope));
  if (own !== undefined) return spelled(name, own);
  const { text } = name;
  return (
    (e ? readFromFile(text, e.span, e.arguments[0]?.value.span) : undefined) ??
    (e ? rangeOfPython(text, e) : undefined) ??
    adviceOnLibrary(place, text, name.span, e) ??
    (e && !e.bracket ? adviceOnCall(text, occurrence(place, e)) : undefined) ??
    (e?.bracket && text === "product" ? spelledReduction(name, "prod") : undefined) ??
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

function spelledReduction(name: ast.Name, reduction: string): Advice {
  return { help: `write \`${reduction}[…](…)\``, fixes: [replacing(name.span, reduction)] };
}

/** For a name that stands for nothing where a value is wanted. */
export function adviceForName(place: Place, name: ast.Name): Advice | undefined {
  const library = adviceOnLibrary(place, name.text, name.span);
  if (!library) return adviceOnValue(name.text, name.span);
  return libraryConstant(place, name.text) ? library : { help: `${library.help}, and call it` };
}

function libraryConstant({ checker }: Place, name: string): boolean {
  const declaration = new RegExp(`^pub const ${name}\\b`, "m");
  return checker.library().some(([, text]) => declaration.test(text));
}

function spelled(name: ast.Name, meant: string): Advice {
  return { help: `did you mean \`${meant}\`?`, fixes: [replacing(name.span, meant)] };
}

/**
 * `softMax` for `softmax`: the nearest name of the library, unless one that is here already is as
 * near.
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
  if (!library.has(near)) return spelled(name, near);
  const path = `std::${libraryModule(place, near)}::${near}`;
  return {
    help: `did you mean \`${near}\`? It is in the library: \`use ${path};\``,
    fixes: [replacing(name.span, path)],
  };
}

function* functionsInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) yield* at.functions.keys();
}

// ── members and methods ─────────────────────────────────────────────────────────────────────────

/** For `x.name` of a tensor. */
export function adviceForMember(e: ast.Member, type: Type): Advice {
  if (e.name.text === "grad") return adviceOnGrad(e);
  const at: Occurrence = {
    span: e.span,
    operands: [{ text: textOf(e.base.span) }],
    rank: () => tensorRank(type),
  };
  return adviceOnMember(e.name.text, at) ?? { help: "a tensor has `.shape`" };
}

/** For `x.name(…)` of a tensor. */
export function adviceForMethod(place: Place, callee: ast.Member, e: ast.Call, type: Type): Advice {
  const { text } = callee.name;
  const array = textOf(callee.base.span);
  const operands: readonly Operand[] = [{ text: array }, ...e.arguments.map(operandOf)];
  const rank = (own: string): number | undefined =>
    own === array ? tensorRank(type) : rankInSight(place, own);
  const at: Occurrence = { span: e.span, operands, rank };
  const cast = castMeant(callee, e);
  if (cast) return cast;
  if (text === "backward") return adviceOnBackward(place, callee.base, e);
  if (text === "join")
    return { help: `what stands between the texts comes first: \`", ".join(${array})\`` };
  const own = lookUpFunction(place.scope, text);
  const inFront = (name: string): Advice => {
    const call = `${name}(${operands.map((each) => (each.name ? `${each.name} = ` : "") + each.text).join(", ")})`;
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
  const advice = adviceOnMethod(text, at);
  if (advice?.fits) return advice;
  const module = libraryModule(place, text);
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
export interface ForeignReduction {
  readonly reduction: string;
  readonly value: ast.Expression;
  /** What stands behind the value. */
  readonly others: readonly ast.Argument[];
  readonly span: Span;
  /** Of the value, where the caller knows it. */
  readonly rank?: number | undefined;
}

/** "name them: `let s[j] = sum[i](X[i, j]);`": with a coordinate for each axis of the value. */
export function namedReduction(
  place: Place,
  said: string,
  { reduction, value, others, span: whole, rank: given }: ForeignReduction,
): Advice {
  const rank = given ?? rankInSight(place, textOf(value.span));
  const around = [textOf(whole), ...coordinatesInSight(place.scope)].join(" ");
  const inner = freshNames(rank ?? 1, around);
  const cell = (names: readonly string[]): string => cellOfValue(place, value, rank ?? 1, names);
  // What is no tensor, or of unknown rank, shows the form alone.
  if (rank === undefined || rank === 0) {
    const name = rank === undefined && value.kind === "path" ? textOf(value.span) : "x";
    const [coordinate] = freshNames(1, around);
    return { help: `${said}: \`${reduction}[${coordinate}](${name}[${coordinate}])\`` };
  }
  const isOfOne = reduction.startsWith("arg");
  const axes = axesMeant(others, rank) ?? (isOfOne && rank > 1 ? [rank - 1] : [...inner.keys()]);
  const reduced = axes.map((axis) => inner[axis]!).join(", ");
  const kept = inner.filter((_, axis) => !axes.includes(axis));
  const way = `${reduction}[${reduced}](${cell(inner)})`;
  const isKept = others.some(({ name }) => name?.text.startsWith("keepdim"));
  const note = isKept ? "; no axis of extent 1 has to be kept, names say what meets" : "";
  if (kept.length === 0) {
    const isExact = !isOfOne || axes.length === 1;
    const fixes = isExact ? [replacing(whole, way)] : [];
    return { help: `${said}: \`${way}\`${note}`, fixes };
  }
  const { text, edits } = asDeclaration(place, whole, kept, way);
  const fixes = edits.length === 0 ? [] : [fix(`write \`${text}\``, ...edits)];
  return { help: `${said}: \`${text}\`${note}`, fixes };
}

/** A statement, and the edits with which it stands in the program. */
interface Placed {
  readonly text: string;
  readonly edits: readonly Edit[];
}

/** A tensor in the place of an expression: by the name that a `let` gives it, or in a block. */
function asDeclaration(
  place: Place,
  whole: Span,
  coordinates: readonly string[],
  value: string,
): Placed {
  const { text } = whole.source;
  const bound = /\blet\s+((\w+)\s*=\s*)$/.exec(text.slice(0, whole.start));
  const isAlone = bound !== null && /^\s*;/.test(text.slice(whole.end));
  const around = [textOf(whole), value, ...coordinatesInSight(place.scope)].join(" ");
  const [name = "r"] = isAlone ? [bound[2]!] : freshNames(1, around, "rsyz");
  const declared = `${name}[${coordinates.join(", ")}] = ${value}`;
  const start = isAlone ? whole.start - bound[1]!.length : whole.start;
  const own = isAlone ? declared : `{ let ${declared}; ${name} }`;
  const edits = isAlone || !place.indexed ? [replace({ ...whole, start }, own)] : [];
  return { text: `let ${declared};`, edits };
}

/** Which axes `axis=0`, `dim=-1`, `axis=(0, 1)` or a second argument names, if one does. */
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
  const isThere = axes.length > 0 && axes.every((axis) => axis >= 0 && axis < rank);
  return isThere ? axes : undefined;
}

/** One cell of a value: `X[i, j]`, of `X[i]` too. */
function cellOfValue(
  place: Place,
  e: ast.Expression,
  rank: number,
  names: readonly string[],
): string {
  const text = textOf(e.span);
  if (e.kind === "index" && text.endsWith("]")) return `${text.slice(0, -1)}, ${names.join(", ")}]`;
  return cellText(place, e, rank, names);
}

/** For `p[0]` of a tuple, which has `members`: `p.0`. */
export function memberAdvice(
  { base, items, span: place }: ast.Index,
  members: number,
): Partial<Advice> {
  const [only] = items;
  const text = only && items.length === 1 ? textOf(only.span) : "";
  if (members === 0 || !/^\d+$/.test(text) || Number(text) >= members) return {};
  const way = `${textOf(base.span)}.${text}`;
  return {
    help: `the members of a tuple stand behind a dot: \`${way}\``,
    fixes: [replacing(place, way)],
  };
}

// ── other libraries ─────────────────────────────────────────────────────────────────────────────

/**
 * `np.sin(x)` and `np.pi`, where `np` stands for nothing: nothing if it is not the name of a
 * library.
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

/** The name that a chain of members begins with. */
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
  const drawn = /^console\b|\brandom\.\w+$/.test(textOf(path))
    ? adviceOnCall(text, occurrence(place, e))
    : undefined;
  if (drawn?.fits) return drawn;
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
  if (advice?.fits || (advice && libraryModule(place, text) === undefined)) return advice;
  return inLibraryAs(place, path, text) ?? nearForeign(place, name, path);
}

function foreignValue(place: Place, { name, span: path }: ast.Member): Advice | undefined {
  const { text } = name;
  return (
    adviceOnValue(text, path) ?? inLibraryAs(place, path, text) ?? nearForeign(place, name, path)
  );
}

/** The same name in the library. */
function inLibraryAs(place: Place, path: Span, name: string): Advice | undefined {
  const module = libraryModule(place, name);
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

/** Whether the first argument is seen to be a tensor: an array that is written out, or a name. */
export function takesTensor(place: Place, { arguments: [first] }: ast.Call): boolean {
  if (!first) return false;
  const { kind, span: at } = first.value;
  return kind === "array" || rankInSight(place, textOf(at)) !== undefined;
}

function tensorRank(type: Type): number | undefined {
  return type.kind === "tensor" && !isText(type) ? type.axes.length : undefined;
}

/** The rank of a name that is bound, or of a read of it; what is computed is not looked into. */
function rankInSight({ scope }: Place, text: string): number | undefined {
  const [, name = "", indices] = /^(\w+)(?:\[([^[\]]*)\])?$/.exec(text) ?? [];
  const binding = lookUp(scope, name);
  if (binding?.kind !== "value" && binding?.kind !== "tensor") return undefined;
  const rank = tensorRank(binding.type);
  return rank === undefined || indices === undefined ? rank : rank - indices.split(",").length;
}
