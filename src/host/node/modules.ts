// `mod m;` for Node: the file `m.ein` or `m/mod.ein`, never outside the program's folder.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, isAbsolute, sep } from "node:path";
import type { ModuleText, ReadModule } from "../../check/names/modules.ts";
import type { Source } from "../../base/source.ts";
import { readText } from "./files.ts";

/**
 * Reads the modules of a program that is a file; one without a file has its modules in the working
 * folder. `mod b;` of the program is `b.ein` or `b/mod.ein` beside it; of its module `a.ein`, first
 * `a/b.ein` or `a/b/mod.ein`.
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

/** The modules of a session: a text that is no module of another is a program of its own. */
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
  // A link may lead anywhere.
  const [folder, target] = [realPath(project), realPath(path)];
  if (folder && target && !isInside(folder, target))
    return { why: `\`${path}\` leads out of the program's folder` };
  const text = readText(path);
  if (!text.ok) return { why: text.why };
  // The program itself goes by the name it was given.
  const isProgram = target !== undefined && target === realPath(program.name);
  return {
    source: { name: isProgram ? program.name : path, text: text.value.replace(/^\uFEFF/, "") },
  };
}

/**
 * Where the modules of a module lie: `a.ein` has its own in `a`, or beside it; `a/mod.ein` has them
 * beside it.
 */
function foldersOf(module: Source): readonly string[] {
  const folder = folderOf(module);
  const own = /^(.+)\.ein\b/.exec(basename(module.name))?.[1];
  return own === undefined || own === "mod" ? [folder] : [join(folder, own), folder];
}

/** Texts such as `<stdin>` and `<command line>` lie nowhere. */
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
