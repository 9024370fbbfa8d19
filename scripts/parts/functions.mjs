// Divides the texts of modules at their functions. Some functions can so be moved to a module of
// their own, without a change of the modules that import them.

import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

/**
 * A function of a module as esbuild prints it: from the start of a line to the first brace at the
 * start of a line.
 */
const declaration = /^(?:export )?(?:async )?function\*? (\w+)\(.*\) \{\n[^]*?^\}$/gm;

/** The JavaScript of a file. */
export function codeOf(path) {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return transformSync(readFileSync(path, "utf8"), { loader: "ts", target: "es2022", tsconfigRaw })
    .code;
}

/**
 * The module with an additional first statement in each function. `says` writes that statement for
 * the name of the function.
 */
export function withProbes(code, says) {
  return code.replace(declaration, (text, name) =>
    text.replace(/\{\n/, (open) => `${open}${says(name)}\n`),
  );
}

/**
 * A module without some of its functions, and a module of those functions. The two import from each
 * other as `names` says. An importer of the first module finds functions there that do the same,
 * though not the same objects. Two kinds of functions stay: those that are async, and those that
 * read a variable of the module that changes.
 */
export function divided(code, isMoved, names) {
  const variables = [...code.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name]) => name);
  // Constants that a pattern takes apart are treated like variables, because their names are not
  // found by `own`.
  for (const [, names] of code.matchAll(/^(?:export )?const [[{]([^=]*)[\]}] =/gm))
    variables.push(...names.match(/\w+/g));
  const moved = new Map();
  const kept = code.replace(declaration, (text, name) => {
    if (
      !isMoved(name) ||
      /^(?:export )?async /.test(text) ||
      variables.some((each) => mentions(text, each))
    )
      return text;
    moved.set(name, text);
    return "";
  });
  if (moved.size === 0) return { kept: code, moved: undefined, names: [] };

  const exported = [...moved]
    .filter(([, text]) => text.startsWith("export "))
    .map(([name]) => name);
  const functions = [...moved.values()].map((text) => text.replace(/^export /, "")).join("\n");
  const own = [...kept.matchAll(/^(?:export )?(?:const|class|(?:async )?function\*?) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const needed = own.filter((name) => mentions(functions, name));
  const alreadyExported = (name) =>
    new RegExp(`^export (?:const|class|(?:async )?function\\*?) ${name}\\b`, "m").test(kept);
  const called = [...moved.keys()].filter(
    (name) => exported.includes(name) || mentions(kept, name),
  );
  const imports = [...code.matchAll(/^import [^;]*;$/gm)].map(([text]) => text);
  return {
    kept: [
      `import { ${called.join(", ")} } from "${names.moved}";`,
      kept,
      `export { ${[...exported, ...needed.filter((name) => !alreadyExported(name))].join(", ")} };`,
    ].join("\n"),
    moved: [
      ...imports,
      needed.length > 0 ? `import { ${needed.join(", ")} } from "${names.kept}";` : "",
      functions,
      `export { ${called.join(", ")} };`,
    ].join("\n"),
    names: called,
  };
}

/** Whether a text contains a name that is no property. After `...` it is no property. */
const mentions = (code, name) =>
  new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$])`).test(code);
