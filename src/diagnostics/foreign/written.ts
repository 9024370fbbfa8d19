// Fills in the right side of a row with the texts of the user.

/** A word of the language or a name. `x` in `std::math::x` or `p.x` is not matched. */
const word = /(?<![\w]|(?<!\.)\.|::)[A-Za-z_]\w*(?!\w|::)/g;

/**
 * With `a + i` for `x`, `mean[i](x[i])` becomes `mean[i1]((a + i)[i1])`. Coordinates get names that
 * occur in no operand. A declared tensor gets a name that occurs nowhere in the text.
 */
export function filledIn(
  template: string,
  operands: ReadonlyMap<string, string>,
  text = "",
): string {
  const taken = new Set([...operands.values()].flatMap((each) => each.match(word) ?? []));
  const everywhere = new Set(text.match(word) ?? []);
  const declared = new Set([...template.matchAll(/\blet (\w+)/g)].map(([, name]) => name!));
  const own = new Map<string, string>();
  const nameOf = (name: string): string => {
    const avoided = declared.has(name) && !operands.has(name) ? everywhere : taken;
    let free = name;
    for (let k = 1; avoided.has(free); k++) free = `${name}${k}`;
    return free;
  };
  return template.replace(word, (name, at: number) => {
    const operand = operands.get(name);
    if (operand !== undefined) return placed(operand, template, at, at + name.length);
    if (!/^\w$/.test(name) || template[at - 1] === '"') return name;
    if (!own.has(name)) own.set(name, nameOf(name));
    return own.get(name)!;
  });
}

/**
 * A text in the place of another. It gets parentheses if an operator beside it could take a part of
 * it.
 */
export function placed(own: string, around: string, start: number, end: number): string {
  const before = around.slice(0, start).trimEnd();
  const after = around.slice(end).trimStart();
  const isAlone =
    /(^|[([{,;=|])$/.test(before) && !/[=!<>]=$/.test(before) && /^($|[)\]},;|])/.test(after);
  return isAlone || isOperand(own) ? own : `(${own})`;
}

/** Whether a text is a name or literal with calls, indices and members after it, or one bracket. */
function isOperand(text: string): boolean {
  let rest = text.trim();
  const head = /^(?:[\w.:]+|"[^"{}]*")/.exec(rest)?.[0] ?? "";
  if (head === "if" || head === "match") return false;
  rest = rest.slice(head.length);
  if (head === "" && !/^[([{]/.test(rest)) return false;
  while (rest !== "") {
    const length = /^[([{]/.test(rest)
      ? bracketLength(rest)
      : (/^(?:\.\w+)+/.exec(rest)?.[0].length ?? 0);
    if (length === 0) return false;
    rest = rest.slice(length);
  }
  return true;
}

/** The length of a text up to the bracket that closes its first bracket. */
function bracketLength(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("([{".includes(text[at]!)) depth++;
    else if (")]}".includes(text[at]!) && --depth === 0) return at + 1;
  }
  return 0;
}
