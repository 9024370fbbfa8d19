// Commands of other prompts, such as `help(x)`, `%time f(1)`, `whos` and `plot x`, and what to type
// instead.

const pictures =
  "pictures are drawn of a file: `:save p.ein`, then `ein explain p.ein --heat NAME`";
const aboutNames = "`:type NAME` shows the type of a value or the signature of a function";
const quoted = (command: string): string => `the command is \`:${command}\``;

/**
 * Words of other prompts, each with the nearest thing to type here. Prefixes such as `%` are left
 * out.
 */
const elsewhere: Readonly<Record<string, string>> = {
  who: "`:names` lists what is bound, with its types",
  whos: "`:names` lists what is bound, with its types",
  vars: "`:names` lists what is bound, with its types",
  ls: "`:names` lists what is bound, with its types",
  dir: "`:names` lists what is bound, with its types",
  globals: "`:names` lists what is bound, with its types",
  browse: "`:names` lists what is bound, with its types",
  doc: `${aboutNames}; \`:help\` lists the commands`,
  info: aboutNames,
  describe: aboutNames,
  plot: pictures,
  heat: pictures,
  show: pictures,
  draw: pictures,
  timeit: quoted("time"),
  run: quoted("load"),
  source: quoted("load"),
  include: quoted("load"),
  reset: quoted("clear"),
  cls: quoted("clear"),
  clc: quoted("clear"),
  exit: quoted("quit"),
  bye: quoted("quit"),
  derive: quoted("grad"),
  diff: quoted("grad"),
  error: quoted("explain"),
};

/** What to type instead of an unknown command. */
export function commandElsewhere(word: string): string | undefined {
  return Object.hasOwn(elsewhere, word) ? elsewhere[word] : undefined;
}

/** A line in the language of another prompt, and what to type instead. */
export interface Foreign {
  readonly form: string;
  readonly help: string;
}

/** Recognises a line that is not an entry: a word of another prompt, alone or before an operand. */
export function foreignLine(
  line: string,
  commands: readonly string[],
  bound: readonly string[],
): Foreign | undefined {
  const text = line.trim().replace(/;$/, "");
  const [, asked] = /^(?:\?\s*|(?:help|doc)(?:\s+|\s*\())(\w+)\)?$/.exec(text) ?? [];
  const [, behind] = /^(\w+)\?$/.exec(text) ?? [];
  const about = asked ?? behind;
  const [, sign = "", word = "", rest = ""] =
    /^([%!.]?)([A-Za-z]\w*)(?:\(\)|\s+([\w"[(.~/-].*))?$/.exec(text) ?? [];
  if (bound.includes(word) || (asked !== undefined && bound.includes("help"))) return undefined;
  if (about !== undefined)
    return {
      form: text,
      help: `\`:type ${about}\` shows its type; \`:help\` lists the commands`,
    };
  const own = commands.find((command) => command === word);
  const isAlone = rest === "" && sign === "";
  if (own && !(isAlone && !text.endsWith(")") && own === "in"))
    return { form: text, help: `commands begin with a colon: \`:${`${own} ${rest}`.trim()}\`` };
  const help = commandElsewhere(word);
  return help === undefined ? undefined : { form: text, help };
}
