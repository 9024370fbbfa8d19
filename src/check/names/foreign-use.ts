// Advice for a `use` or path whose name the library has in another module, or only another language
// has. For example, `use std::linalg::softmax;` is answered with the module that has `softmax`.

import type * as ast from "../../syntax/tree/ast.ts";
import { span, type Span } from "../../base/source.ts";
import { adviceOnModule, adviceOnUse, type Advice } from "../../diagnostics/foreign/advice.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { atTop, fix, type Repair } from "../../diagnostics/fixes.ts";
import { closest } from "../../diagnostics/suggest.ts";
import { builtinNames } from "./builtin-modules.ts";
import { isBuiltin } from "../calls/builtins.ts";
import type { Place } from "../context.ts";
import { libraryModuleWith } from "./foreign.ts";
import type { ModuleBinding } from "./scope.ts";

/** Advice for a name that a module of the library lacks, as in `use std::linalg::transpose;`. */
export function adviceOnLibraryName(
  place: Place,
  module: ModuleBinding,
  name: ast.Name,
): Advice | undefined {
  const { text } = name;
  const path = module.name === "std" ? `std::${text}` : `std::${module.name}::${text}`;
  const foreign = adviceOnModule(path);
  if (foreign !== undefined) return { help: foreign };
  if (isBuiltin(text) || builtinNames().includes(text))
    return {
      help: `\`${text}\` is there without \`use\`: leave it out`,
      fixes: leavingOut(name, ""),
    };
  const home = libraryModuleWith(place, text);
  if (home !== undefined) {
    const right = `std::${home}::${text}`;
    const isInGroup = !/\buse\s+[\w:\s]*$/.test(name.span.source.text.slice(0, name.span.start));
    const way = isInGroup
      ? `take it out of the braces, and write \`use ${right};\``
      : `\`use ${right};\``;
    return { help: `it is in \`std::${home}\`: ${way}`, fixes: leavingOut(name, right) };
  }
  const near = closest(text, module.public);
  if (near !== undefined && near.replaceAll("_", "") === text.toLowerCase().replaceAll("_", ""))
    return undefined;
  if (isModuleOfLibrary(place, text))
    return { help: `\`${text}\` is a module: \`use std::${text}::…;\`` };
  const help = adviceOnUse(text) ?? (near ? undefined : adviceOnInner(place, name));
  return help === undefined ? undefined : { help };
}

/**
 * Advice for a module inside a module of the library, which has none:
 * `use std::ml::activations::silu;`.
 */
function adviceOnInner(place: Place, { span: { source, end } }: ast.Name): string | undefined {
  const inner = /^\s*::\s*(\w+)/.exec(source.text.slice(end))?.[1];
  if (inner === undefined) return undefined;
  if (isBuiltin(inner) || builtinNames().includes(inner))
    return `\`${inner}\` is there without \`use\`: leave it out`;
  const home = libraryModuleWith(place, inner);
  return home && `it is in \`std::${home}\` itself: \`use std::${home}::${inner};\``;
}

function isModuleOfLibrary({ checker }: Place, name: string): boolean {
  return checker.library().some(([module]) => module === name);
}

/** Advice for a path whose last part but one is a function, as in `use std::math::exp::exp;`. */
export function adviceOnPath(place: Place, path: readonly ast.Name[]): Advice | undefined {
  const name = path.at(-1)!.text;
  const foreign = adviceOnModule(path.map((each) => each.text).join("::"));
  if (foreign !== undefined) return { help: foreign };
  const home = libraryModuleWith(place, name);
  if (home !== undefined)
    return { help: `it is a function of \`std::${home}\`: \`use std::${home}::${name};\`` };
  if (builtinNames().includes(name))
    return { help: `\`${name}\` is a function, and there without \`use\`` };
  return undefined;
}

/**
 * An edit that takes a name out of its `use`, and writes a `use` of the right path instead if there
 * is one.
 */
function leavingOut(name: ast.Name, right: string): readonly Fix[] {
  const { source, start, end } = name.span;
  const { text } = source;
  const use = /\buse\s+[\w:\s]*$/.exec(text.slice(0, start));
  const title = right === "" ? `leave out \`${name.text}\`` : `write \`use ${right};\``;
  const newUse = right === "" ? "" : `use ${right};`;
  // A name that stands alone in its `use` leaves with the whole statement.
  if (use && /^\s*;/.test(text.slice(end))) {
    const from = use.index;
    return [
      { title, edits: [{ span: span(source, from, text.indexOf(";", end) + 1), text: newUse }] },
    ];
  }
  const group = /\buse\s+[\w:\s]*\{[\w\s,]*$/.exec(text.slice(0, start));
  const close = /^[\w\s,]*\}\s*;/.exec(text.slice(end));
  if (!group || !close) return [];
  const whole: Span = span(source, group.index, end + close[0].length);
  const head = text.slice(group.index, text.indexOf("{", group.index) + 1);
  const names = text.slice(group.index + head.length, text.indexOf("}", end)).split(",");
  const others = names
    .map((each) => each.trim())
    .filter((each) => each !== "" && each !== name.text);
  const kept = others.length === 0 ? "" : `${head}${others.join(", ")}};`;
  const both = [kept, newUse].filter((each) => each !== "").join(" ");
  return [{ title, edits: [{ span: whole, text: both }] }];
}

/** Advice for a missing module: the file in which it would be found. */
export function declareModule({ checker }: Place, { text: name, span: at }: ast.Name): Repair {
  const declared = `declare it, \`mod ${name};\``;
  const found = checker.readModule?.(name, at.source);
  if (found && "source" in found) {
    const file = found.source.name.endsWith("mod.ein") ? `${name}/mod.ein` : `${name}.ein`;
    const help = `${declared}: the file \`${file}\` is beside this one`;
    return { help, fixes: [fix(`add \`mod ${name};\``, atTop(at, `mod ${name};`))] };
  }
  const file = `for the file \`${name}.ein\` beside this one`;
  return { help: `${declared} ${file}; the library begins with \`std::\`` };
}
