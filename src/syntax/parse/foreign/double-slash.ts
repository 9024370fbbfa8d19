// Finds comments that were meant as divisions. Python divides integers with `7 // 2`; in Einlang a
// comment begins at `//`.
//
// In `print(n // 2);` the bracket is never closed: the message explains why, and its first fix
// writes `/`. At the end of a file `n // 2` is legal and has the value `n`: only a lint can warn.

import type { Diagnostic, Edit } from "../../../diagnostics/diagnostic.ts";
import { after, fix, replace } from "../../../diagnostics/fixes.ts";
import type { Module } from "../../tree/ast.ts";
import { lex } from "../../lex/lexer.ts";
import { span, type Source } from "../../../base/source.ts";
import { isKeyword } from "../../lex/tokens.ts";

export const divisionHelp =
  "`//` starts a comment; integer division is `/`, which rounds toward 0, where Python rounds " +
  "down: for `a // b` with a negative operand write `(a - (a % b + b) % b) / b`, of floats " +
  "`floor(a / b)`";

const divisionTitle = "`//` starts a comment and does not divide";

/** The plain division first, and then what rounds down, as Python does. */
function helpFor(left: string | undefined, right: string, rounded: string | undefined): string {
  if (rounded?.startsWith("floor")) return `write \`${rounded}\``;
  const plain = left === undefined ? "`/`" : `\`${left} / ${right}\``;
  const down =
    rounded === undefined
      ? "`(a - (a % b + b) % b) / b` for integers `a // b`, or `floor(a / b)` for floats"
      : /^-?\d+$/.test(left ?? "")
        ? `\`${rounded}\``
        : `\`${rounded}\`, or for floats \`floor(${left} / ${right})\``;
  return (
    `write ${plain}, which rounds toward 0. ` +
    `To round a negative quotient down, as Python does, write ${down}`
  );
}

/** Parses a text. This file only asks whether the text has errors. */
type Read = (source: Source) => {
  readonly module: Module;
  readonly diagnostics: readonly Diagnostic[];
};

/** A comment whose text reads as an operand: `// 2`, `// n);`. */
interface Division {
  /** The offset of `//`. */
  readonly at: number;
  /** The end of the line, without trailing blanks and without a further comment. */
  readonly end: number;
  /** The text of the comment up to `end`. */
  readonly rest: string;
  readonly operand: string;
}

/**
 * Changes the messages about an unfinished statement before `//`: they explain the comment, and the
 * first fix makes it a division. `halved` are the places of the left operands. The value there is
 * half of a division, and says nothing about the program.
 */
export function withDivisions(
  module: Module,
  diagnostics: readonly Diagnostic[],
  read: Read,
): { readonly explained: Diagnostic[]; readonly halved: readonly number[] } {
  const { source } = module;
  const names = identifiersAround(source);
  const halved: number[] = [];
  const explained = diagnostics.map((said) => {
    const isUnfinished = said.code === "E0110" || said.code === "E0111" || said.code === "E0112";
    const found = isUnfinished && said.span ? divisionAt(source, said.span.end, read) : undefined;
    const edits = found && repairOf(module, found, names, read);
    if (!edits) return said;
    const before = source.text.slice(Math.max(0, found.at - 200), found.at);
    halved.push(found.at - before.length + before.trimEnd().length - 1);
    const left = leftOperand(before);
    const right = found.operand.replace(/;$/, "");
    const rounded = left && roundedDown(left.trim(), right);
    const down = rounded ? [roundingDown(source, found, [left, right, rounded], edits)] : [];
    return {
      ...said,
      title: divisionTitle,
      span: span(source, found.at, found.at + 2),
      text: "the rest of the line is a comment",
      labels: [],
      help: helpFor(rounded && left?.trim(), right, rounded),
      fixes: [
        fix("write `/`", ...edits),
        ...down.map((each) => fix(`write \`${rounded}\``, ...each)),
        ...(said.fixes ?? []),
      ],
    };
  });
  return { explained, halved };
}

/**
 * What stands before a division as one operand, with a sign in front: `-7`, `x[i]`, `len(x)`.
 * Nothing behind another `*` or `/`, which would be divided as well.
 */
function leftOperand(before: string): string | undefined {
  const operand = /(?:\w[\w.]*(?:\[[^[\]]*\]|\([^()]*\))?|\([^()]*\))\s*$/.exec(before);
  if (!operand) return undefined;
  const front = before.slice(0, operand.index);
  const [sign = ""] = /(?<=(?:^|[=([{,;]|\breturn)\s*)-\s*$/.exec(front) ?? [];
  const rest = front.slice(0, front.length - sign.length).trimEnd();
  return /[*/%.\w)\]-]$/.test(rest) ? undefined : `${sign}${operand[0]}`;
}

/** The quotient that Python gives, of any signs. */
function roundedDown(left: string, right: string): string | undefined {
  const isWord = /^-?\w[\w.]*(?:\[[^[\]]*\]|\([^()]*\))?$/;
  if (!isWord.test(right) || left.length + right.length > 40) return undefined;
  if (/^-?\d+\.\d*$/.test(left) || /^-?\d+\.\d*$/.test(right)) return `floor(${left} / ${right})`;
  const divisor = right.startsWith("-") ? `(${right})` : right;
  return `(${left} - (${left} % ${divisor} + ${divisor}) % ${divisor}) / ${divisor}`;
}

/** The edits that make a division, with its operands in the text that rounds down. */
function roundingDown(
  source: Source,
  { at }: Division,
  [left, right, rounded]: readonly [string, string, string],
  edits: readonly Edit[],
): readonly Edit[] {
  const end = source.text.indexOf(right, at + 2) + right.length;
  return [replace(span(source, at - left.length, end), rounded), ...edits.slice(1)];
}

/** The edits that turn comments into divisions, in a text without errors. */
export function silentDivisions(module: Module, read: Read): readonly Edit[] {
  const { source, comments } = module;
  const names = identifiersAround(source);
  return comments.flatMap(({ doc, span: comment }) => {
    // The last item of a list over several lines has a comment that explains it.
    if (doc || nextSign(source.text, comment.end) === "]") return [];
    const found = divisionAt(source, comment.start, read);
    return (found && repairOf(module, found, names, read)?.slice(0, 1)) ?? [];
  });
}

/** The names in a text outside of its comments. They are found on the first call. */
function identifiersAround({ text }: Source): () => ReadonlySet<string> {
  let known: ReadonlySet<string> | undefined;
  return () => (known ??= new Set(identifiersOf(text)));
}

function identifiersOf(text: string): readonly string[] {
  return lex({ name: "words", text }).tokens.flatMap(({ kind, text: word }) =>
    kind === "name" ? [word] : [],
  );
}

/** The first character at or after an offset that is no blank and stands in no comment. */
function nextSign(text: string, from: number): string | undefined {
  const blanks = /(?:\s|\/\/[^\n]*)*/y;
  blanks.lastIndex = from;
  blanks.exec(text);
  return text[blanks.lastIndex];
}

/** The comment after an operand on the same line, if the comment itself reads as an operand. */
function divisionAt(source: Source, from: number, read: Read): Division | undefined {
  const { text } = source;
  const [blanks] = /^[ \t]*/.exec(text.slice(from, from + 200))!;
  const at = from + blanks.length;
  if (!text.startsWith("//", at) || text[at + 2] === "/") return undefined;
  const before = /(\w+|[)\]])[ \t]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[1];
  if (before === undefined || isKeyword(before)) return undefined;
  const [rest] = /^(?:(?!\/\/)[^\r\n])*/.exec(text.slice(at + 2, at + 202))!;
  const operand = operandIn(rest.trim(), read);
  if (operand === undefined) return undefined;
  return { at, end: at + 2 + rest.trimEnd().length, rest: rest.trim(), operand };
}

/**
 * The operand with which a comment begins. After it may follow closing brackets, or whole
 * statements behind a `;`: `// 2; print(half);`.
 */
function operandIn(rest: string, read: Read): string | undefined {
  if (!/^-?[\w.(]/.test(rest)) return undefined;
  const [, first, others = ""] = /^([^;]*);(.*\S.*)$/.exec(rest) ?? [];
  if (first !== undefined && isExpression(first, read)) {
    const { diagnostics } = read({ name: "comment", text: others });
    return diagnostics.length === 0 ? first.trim() : undefined;
  }
  for (let end = rest.length; end > 0; end--) {
    const operand = rest.slice(0, end);
    if (isExpression(operand, read)) return operand.trim();
    if (!/[;,)\]}\s]/.test(rest[end - 1]!)) return undefined;
  }
  return undefined;
}

function isExpression(text: string, read: Read): boolean {
  const { module, diagnostics } = read({ name: "comment", text: `0 / ${text};` });
  return diagnostics.length === 0 && module.statements.length === 1;
}

/**
 * Whether the comment was meant as a division. It was if the comment closes a bracket that was
 * opened before it. Otherwise all its names must stand elsewhere in the program too: other words
 * are prose.
 */
function isMeant({ rest, operand }: Division, names: () => ReadonlySet<string>): boolean {
  if (/^[\s)\]}]*[)\]}]/.test(rest.slice(operand.length))) return true;
  return identifiersOf(operand).every((word) => names().has(word));
}

/** The edits after which the statement has no errors. */
function repairOf(
  module: Module,
  found: Division,
  names: () => ReadonlySet<string>,
  read: Read,
): readonly Edit[] | undefined {
  if (!isMeant(found, names)) return undefined;
  const { name, text } = module.source;
  const { at, end } = found;
  const division = replace(span(module.source, at, at + 2), "/");
  const semicolon = after(span(module.source, at, end), ";");
  const sign = nextSign(text, end);
  const next = sign === undefined || sign === "}" ? "" : "\nlet after = 0;";
  const tries = found.rest.endsWith(";") ? [[division]] : [[division], [division, semicolon]];
  return tries.find((edits) =>
    stretches(module, found).some(([from, to]) => {
      const last = edits.length > 1 ? ";" : "";
      const divided = `${text.slice(from, at)}/${text.slice(at + 2, end)}${last}`;
      return (
        read({ name, text: `${divided}${text.slice(end, to)}${next}` }).diagnostics.length === 0
      );
    }),
  );
}

/**
 * Three pieces of the text: the line, the statement up to the end of the line, and the whole
 * statement.
 */
function stretches(
  { source, statements }: Module,
  { at, end }: Division,
): readonly (readonly [number, number])[] {
  const line = source.text.lastIndexOf("\n", at) + 1;
  const around = statements.findLast((statement) => statement.span.start <= at);
  const from = around?.span.start ?? 0;
  return [
    [line, end],
    [from, end],
    [from, Math.max(end, around?.span.end ?? 0)],
  ];
}
