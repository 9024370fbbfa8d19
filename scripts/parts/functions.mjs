// Texts of modules, divided at their functions: some of a module's functions can be moved to a
// module of their own, whoever imports them.

import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

/**
 * A function of a module, as esbuild prints it: from the start of a line to the first brace that
 * begins one.
 */
const declaration = /^(?:export )?(?:async )?function\*? (\w+)\(.*\) \{\n[^]*?^\}$/gm;

/** The JavaScript of a file. */
export function codeOf(path) {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return transformSync(readFileSync(path, "utf8"), { loader: "ts", target: "es2022", tsconfigRaw })
    .code;
}

/** The same module, each of whose functions first does what `says` writes for its name. */
export function withProbes(code, says) {
  return code.replace(declaration, (text, name) =>
    text.replace(/\{\n/, (open) => `${open}${says(name)}\n`),
  );
}

/**
 * A module without some of its functions, and a module of these, which import from one another as
 * `names` says: who imports them from the module finds functions there that do the same, though not
 * the same functions. Those stay that wait, or that know a variable of the module that changes.
 */
export function divided(code, isMoved, names) {
  const variables = [...code.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name]) => name);
  // Constants that are taken out of something have no names that are seen here.
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

/** Whether a text says a name that is no property: after `...` it is none. */
const mentions = (code, name) =>
  new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$])`).test(code);
