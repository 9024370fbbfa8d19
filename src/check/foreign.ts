// Names that other languages have, where they stand in a program: the way here, by what the language has built in, by the
// library, and by the table of foreign forms.

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
import type { Operand } from "../diagnostics/foreign/pattern.ts";
import { atTop, fix } from "../diagnostics/fixes.ts";
import { closest } from "../diagnostics/suggest.ts";
import { operationOfFunction, arityOf } from "../scalar/operations.ts";
import { isReductionName, reductionNames } from "../scalar/reductions.ts";
import { builtins, isBuiltin } from "./builtins.ts";
import { refuse, type Place } from "./context.ts";
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
export function adviceOnLibrary(place: Place, name: string, at: Span): Advice | undefined {
  const module = libraryModule(place, name);
  if (module === undefined) return undefined;
  const path = `std::${module}::${name}`;
  const whole = replacing(at, path);
  const used = fix(`add \`use ${path};\``, atTop(at, `use ${path};`));
  return {
    help: `it is in the library: \`use ${path};\``,
    fixes: isInModule(place.scope) ? [whole] : [used, whole],
  };
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
    adviceOnLibrary(place, text, name.span) ??
    (e && !e.bracket ? adviceOnCall(text, occurrence(place, e)) : undefined) ??
    (e?.bracket && text === "product" ? spelledReduction(name, "prod") : undefined) ??
    adviceOnCall(text, { span: name.span, operands: [] }) ??
    nearInLibrary(place, name)
  );
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

/** `softMax` for `softmax`: the nearest name of the library, unless one that is here already is as near. */
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
  if (text === "join")
    return { help: `what stands between the texts comes first: \`", ".join(${array})\`` };
  const own = lookUpFunction(place.scope, text);
  const inFront = (name: string): Advice => {
    const call = `${name}(${operands.map((each) => (each.name ? `${each.name} = ` : "") + each.text).join(", ")})`;
    return { help: `functions stand in front: \`${call}\``, fixes: [replacing(e.span, call)] };
  };
  if (own) return inFront(text);
  if (isReductionName(text) && e.arguments.length === 0)
    return reductionOver(text, at, array, tensorRank(type));
  if (operationOfFunction.has(text) || isBuiltin(text)) return inFront(text);
  if (isReductionName(text))
    return { help: `a reduction names what it walks: \`${text}[i](${array}[i])\`` };
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

/** `x.sum()` and `np.sum(x)`: with a coordinate for each axis. */
function reductionOver(
  reduction: string,
  at: Occurrence,
  array: string,
  rank: number | undefined,
): Advice {
  const names = coordinates(array, rank ?? 1).join(", ");
  const base = /^[\w.]+$/.test(array) ? array : `(${array})`;
  const way = `${reduction}[${names}](${base}[${names}])`;
  const help = `a reduction names what it walks: \`${way}\``;
  const isExact = rank !== undefined && rank > 0 && !(rank > 1 && reduction.startsWith("arg"));
  return isExact ? { help, fixes: [replacing(at.span, way)] } : { help };
}

/** As many names as there are axes, none of which occurs in a text. */
function coordinates(text: string, count: number): readonly string[] {
  const free = [..."ijklabcdpquvst"].filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  return free.slice(0, count);
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

/** `np.sin(x)` and `np.pi`, where `np` stands for nothing: nothing if it is not the name of a library. */
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
  const drawn = /^console\b|\brandom\.\w+$/.test(textOf(path))
    ? adviceOnCall(text, occurrence(place, e))
    : undefined;
  if (drawn?.fits) return drawn;
  const operation = operationOfFunction.get(text);
  const isOperation = operation !== undefined && arityOf(operation) === e.arguments.length;
  if (!isOperation && isReductionName(text) && first) {
    const rank =
      e.arguments.length === 1 ? rankInSight(place, textOf(first.value.span)) : undefined;
    return reductionOver(text, { span: e.span, operands: [] }, textOf(first.value.span), rank);
  }
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
    operands: e.arguments.map(operandOf),
    rank: (text) => rankInSight(place, text),
  };
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

/** The rank of a name that is bound; what is computed from others is not looked into. */
function rankInSight({ scope }: Place, text: string): number | undefined {
  const binding = /^\w+$/.test(text) ? lookUp(scope, text) : undefined;
  return binding?.kind === "value" || binding?.kind === "tensor"
    ? tensorRank(binding.type)
    : undefined;
}
