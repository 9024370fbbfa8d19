// Completion at the prompt: the words that fit before the cursor, judged by the text before it.

import { codes } from "../diagnostics/codes.ts";
import { isForeignLibrary, namesFor } from "../diagnostics/foreign/advice.ts";
import { textMethods } from "../scalar/texts.ts";
import { blockClosing, blockOpening, readCommand, sessionCommands } from "./commands.ts";
import { languageWords, type Vocabulary } from "./vocabulary.ts";

interface Completion {
  /** Whole words, in alphabetical order. */
  readonly words: readonly string[];
  /** The end of the line that a chosen word replaces. */
  readonly replaced: string;
}

/** A completion, or the path of a file that the host completes. */
type Completed = Completion | { readonly path: string };

/**
 * `before` is the line up to the cursor. `earlier` holds the previous lines of an unfinished entry.
 */
export function complete(vocabulary: Vocabulary, before: string, earlier = ""): Completed {
  if (earlier === "" && before.trimStart().startsWith(":")) return inCommand(vocabulary, before);
  return inSource(vocabulary, before, earlier);
}

function inCommand(vocabulary: Vocabulary, before: string): Completed {
  const [, name = "", rest] = /^\s*:\s*(\{|\}|\w*)(\s+[\s\S]*)?$/.exec(before) ?? [];
  if (rest === undefined) {
    const words = [
      ...sessionCommands.map((command) => `:${command.name}`),
      blockOpening,
      blockClosing,
    ];
    return startingWith(words, `:${name}`);
  }
  const command = readCommand(before);
  const row =
    "problem" in command ? undefined : sessionCommands.find((each) => each.name === command.name);
  const last = /\S*$/.exec(rest)![0];
  const completes = row?.completes;
  switch (completes) {
    case "expression":
      return inSource(vocabulary, rest, "");
    case "file":
      return { path: rest.trimStart() };
    case "name":
      return startingWith(vocabulary.names, last);
    case "code":
      return startingWith(Object.keys(codes), last.toUpperCase(), last);
    case "input": {
      const [, path] = /=(.*)$/.exec(rest) ?? [];
      if (path !== undefined) return row?.name === "in" ? { path } : { words: [], replaced: "" };
      return startingWith(
        vocabulary.inputs.map((input) => `${input}=`),
        last,
      );
    }
    case undefined:
      return { words: [], replaced: "" };
    default:
      return completes satisfies never;
  }
}

function inSource(vocabulary: Vocabulary, before: string, earlier: string): Completion {
  // Comments and the texts of strings are not completed.
  if (/\/\/[^\n]*$/.test(withoutStrings(before)) || isInString(before))
    return { words: [], replaced: "" };
  const [, group, path, word = ""] =
    /(?:((?:\w+::)+)\{[^}]*?|((?:\w+::)+))?([A-Za-z_]\w*)?$/.exec(before) ?? [];
  const module = (group ?? path)?.replace(/::$/, "");
  if (module !== undefined) return startingWith(vocabulary.members.get(module) ?? [], word);
  const [, owner] = /(?:^|[^\w.])([A-Za-z_]\w*)\.(\w*)$/.exec(before) ?? [];
  const fields = owner === undefined ? undefined : vocabulary.fields.get(owner);
  if (owner !== undefined && !fields && isForeignLibrary(owner))
    return libraryNames(vocabulary, owner, word);
  if (owner !== undefined) return startingWith(fields ?? [], word);
  const [, method] = /"\.(\w*)$/.exec(before) ?? [];
  if (method !== undefined) return startingWith(textMethods, method);
  if (/\buse\s+\w*$/.test(before)) return startingWith([...topModules(vocabulary)], word);
  // After a `[`, the next word is most often a coordinate.
  if (word === "")
    return /\[(?:\s*\w+\s*,)*\s*$/.test(before)
      ? startingWith(vocabulary.coordinates, "")
      : { words: [], replaced: "" };
  const written = wordsIn(`${earlier}\n${before.slice(0, before.length - word.length)}`);
  const known = [...vocabulary.names, ...vocabulary.coordinates, ...written, ...languageWords];
  const found = startingWith([...known, ...topModules(vocabulary)], word);
  return found.words.length > 0 || known.includes(word) ? found : foreignNames(word, word);
}

/**
 * Names of another library: `np.sin` is `sin`, `np.cosh` is `std::math::cosh`, `np.arctan` is
 * `std::math::atan`.
 */
function libraryNames({ members }: Vocabulary, library: string, name: string): Completion {
  const foreign = foreignNames(name, `${library}.${name}`);
  if (foreign.words.length > 0) return foreign;
  if (languageWords.includes(name)) return { ...foreign, words: [name] };
  const modules = [...members].filter(
    ([path, names]) => path.startsWith("std::") && names.includes(name),
  );
  return { ...foreign, words: modules.map(([path]) => `${path}::${name}`) };
}

/** The name in Einlang for a function of another language: `log` for `ln`. */
function foreignNames(name: string, replaced: string): Completion {
  return { words: namesFor(name), replaced };
}

function topModules({ members }: Vocabulary): readonly string[] {
  return [...members.keys()].filter((path) => !path.includes("::")).map((path) => `${path}::`);
}

/** The words of the entry, which include its own coordinates and parameters. */
function wordsIn(text: string): readonly string[] {
  return withoutStrings(text).match(/\b[A-Za-z_]\w+\b/g) ?? [];
}

function withoutStrings(text: string): string {
  return text.replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""');
}

function isInString(text: string): boolean {
  const rest = withoutStrings(text.split("\n").at(-1)!).replaceAll('""', "");
  // Within `{…}` of a string, an expression stands.
  return /"[^"]*$/.test(rest) && !/\{[^}"]*$/.test(rest);
}

function startingWith(words: readonly string[], start: string, replaced = start): Completion {
  const found = [...new Set(words)].filter((word) => word.startsWith(start) && word !== replaced);
  return { words: found.sort(), replaced };
}
