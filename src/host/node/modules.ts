// Finds the file of `mod m;` in Node: `m.ein` or `m/mod.ein`, inside the folder of the program.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, isAbsolute, sep } from "node:path";
import type { ModuleText, ReadModule } from "../../check/names/modules.ts";
import type { Source } from "../../base/source.ts";
import { readText } from "./files.ts";

/**
 * Reads the modules of a program. `mod b;` in the program is `b.ein` or `b/mod.ein` beside it. In
 * its module `a.ein`, `a/b.ein` and `a/b/mod.ein` come first. A program that is not a file has its
 * modules in the working folder.
 */
export function modulesBeside(program: Source): ReadModule {
  const project = folderOf(program);
  return (name, from) => {
    const folders = from.name === program.name ? [folderOf(from)] : foldersOf(from);
    for (const folder of folders) {
      const [plain, inFolder] = [join(folder, `${name}.ein`), join(folder, name, "mod.ein")];
      const [isPlain, isInFolder] = [existsSync(plain), existsSync(inFolder)];
      if (isPlain && isInFolder)
        return { why: `both \`${plain}\` and \`${inFolder}\` are there; remove one of them` };
      if (isPlain || isInFolder) return moduleAt(isPlain ? plain : inFolder, project, program);
    }
    return moduleAt(join(folderOf(from), `${name}.ein`), project, program);
  };
}

/**
 * Reads the modules of a session. Each text that is not a module of another text counts as a
 * program.
 */
export function modulesOfSession(): ReadModule {
  const programs = new Map<string, Source>();
  return (name, from) => {
    const program = programs.get(from.name) ?? from;
    const found = modulesBeside(program)(name, from);
    if ("source" in found && found.source.name !== program.name)
      programs.set(found.source.name, program);
    return found;
  };
}

function moduleAt(path: string, project: string, program: Source): ModuleText {
  // A link may lead out of the folder, so real paths are compared.
  const [folder, target] = [realPath(project), realPath(path)];
  if (folder && target && !isInside(folder, target))
    return { why: `\`${path}\` leads out of the program's folder` };
  const text = readText(path);
  if (!text.ok) return { why: text.why };
  // The program keeps the name under which it was given.
  const isProgram = target !== undefined && target === realPath(program.name);
  return {
    source: { name: isProgram ? program.name : path, text: text.value.replace(/^\uFEFF/, "") },
  };
}

/**
 * The folders in which a module's own modules lie. For `a.ein` these are `a` and the folder of
 * `a.ein`; for `a/mod.ein`, only `a`.
 */
function foldersOf(module: Source): readonly string[] {
  const folder = folderOf(module);
  const own = /^(.+)\.ein\b/.exec(basename(module.name))?.[1];
  return own === undefined || own === "mod" ? [folder] : [join(folder, own), folder];
}

/** The folder of a text. Texts such as `<stdin>` use the working folder. */
function folderOf({ name }: Source): string {
  return name.startsWith("<") ? "." : dirname(name);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}
