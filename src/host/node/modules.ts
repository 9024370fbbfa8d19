// `mod m;` for Node: the file `m.ein` beside the one that says so, never outside the program's folder.

import { realpathSync } from "node:fs";
import { dirname, join, relative, isAbsolute, sep } from "node:path";
import type { ModuleText, ReadModule } from "../../check/modules.ts";
import type { Source } from "../../syntax/source.ts";
import { readText } from "./files.ts";

/** Reads the modules of a program that is a file; one without a file has its modules in the working folder. */
export function modulesBeside(program: Source): ReadModule {
  const project = folderOf(program);
  return (name, from): ModuleText => {
    const path = join(folderOf(from), `${name}.ein`);
    // A link may lead anywhere.
    const [folder, target] = [realPath(project), realPath(path)];
    if (folder && target && !isInside(folder, target)) return { why: `\`${path}\` leads out of the program's folder` };
    const text = readText(path);
    if (!text.ok) return { why: text.why };
    // The program itself goes by the name it was given.
    const isProgram = target !== undefined && target === realPath(program.name);
    return { source: { name: isProgram ? program.name : path, text: text.value.replace(/^\uFEFF/, "") } };
  };
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
