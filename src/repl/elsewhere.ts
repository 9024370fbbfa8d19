// What people type at a prompt who know another one: `help(x)`, `%time f(1)`, `whos`, `plot x`.

const pictures =
  "pictures are drawn of a file: `:save p.ein`, then `ein explain p.ein --heat NAME`";
const aboutNames = "`:type NAME` shows the type of a value or the signature of a function";
const quoted = (command: string): string => `the command is \`:${command}\``;

/** Words of other prompts, with and without their own sign in front, and what is nearest here. */
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

/** For the name of a command that is not there. */
export function commandElsewhere(word: string): string | undefined {
  return Object.hasOwn(elsewhere, word) ? elsewhere[word] : undefined;
}

/** What a line says in the language of another prompt, and what is written here. */
export interface Foreign {
  readonly form: string;
  readonly help: string;
}

/**
 * For a line that is no entry: one that is a word of another prompt, alone or before its operand.
 */
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
