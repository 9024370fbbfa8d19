// Reads a page of the documentation as prose and examples, and writes it back.
//
// An example is made of fenced blocks that follow one another. Their language says what they are:
//
//   input           before a program, the values of its inputs: a line `name = JSON` for each
//   ein             a program
//   output, error   what it writes to standard output and to standard error, after the program
//   ein NAME.ein    a file, for the programs and sessions further down the page
//   sh              a session: `$ npx ein …` (continued by `> …`), and its output below each line
//   ts              a program of the library; its imports are those of the package
//   python          the same program in Python; its results are recorded, see foreign.test.ts

export interface Block {
  readonly language: Language;
  /** The text after the language in the opening line: the name of a file. */
  readonly name: string;
  readonly text: string;
  readonly line: number;
}

export interface Example {
  /** The nearest heading above the example. */
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** A string is prose. */
export type Piece = string | Example;

const languages = ["input", "ein", "output", "error", "sh", "ts", "python"] as const;
type Language = (typeof languages)[number];

const isLanguage = (word: string): word is Language =>
  (languages as readonly string[]).includes(word);

/**
 * The pieces of a page, in order. A block of any other kind is refused, because no test would run
 * it.
 */
export function readPage(name: string, page: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let heading = "";
  let blocks: Block[] = [];
  let prose: string[] = [];
  const endExample = () => {
    if (blocks.length > 0) pieces.push({ heading, blocks });
    blocks = [];
  };
  const endProse = () => {
    if (prose.length > 0) pieces.push(prose.join("\n"));
    prose = [];
  };
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const fence = /^```(\w*) ?(.*)$/.exec(line);
    if (!fence) {
      // Blank lines between the blocks of one example belong to no block.
      if (blocks.length > 0 && line === "" && continues(lines[at + 1], blocks.at(-1)!)) continue;
      endExample();
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      prose.push(line);
      continue;
    }
    const [, language = "", file = ""] = fence;
    if (!isLanguage(language))
      throw new Error(`${name}:${at + 1}: nothing runs a block of the language "${language}"`);
    if (blocks.length > 0 && !continues(line, blocks.at(-1)!)) endExample();
    endProse();
    const end = lines.indexOf("```", at + 1);
    blocks.push({ language, name: file, text: lines.slice(at + 1, end).join("\n"), line: at + 1 });
    at = end;
  }
  endExample();
  endProse();
  return pieces;
}

/** Whether the block that a line opens belongs to the same example as the block before it. */
function continues(line: string | undefined, last: Block): boolean {
  const next = /^```(\w+)/.exec(line ?? "")?.[1];
  if (last.name !== "") return false;
  return (
    (last.language === "input" && next === "ein") ||
    ((last.language === "ein" || last.language === "ts") &&
      (next === "output" || next === "error")) ||
    (last.language === "output" && next === "error")
  );
}

export function writePage(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : writeExample(piece.blocks)))
    .join("\n");
}

export function writeExample(blocks: readonly Block[]): string {
  return blocks
    .map(({ language, name, text }) => `\`\`\`${`${language} ${name}`.trimEnd()}\n${text}\n\`\`\``)
    .join("\n\n");
}
