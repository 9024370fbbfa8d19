// From lines to entries. A line that leaves something open continues on the next line. Everything
// between `:{` and `:}` is one entry.

import { blockClosing, blockOpening, isCommand } from "./commands.ts";
import { isUnfinished } from "../syntax/parse/parser.ts";

/** The lines so far of an unfinished entry. */
export interface Reader {
  readonly lines: readonly string[];
  /** Whether the lines stand after `:{`. Then only `:}` ends the entry. */
  readonly isBlock: boolean;
}

export const emptyReader: Reader = { lines: [], isBlock: false };

interface Read {
  readonly reader: Reader;
  /** A whole entry or command. */
  readonly text?: string;
}

export function readLine(reader: Reader, line: string): Read {
  const { lines, isBlock } = reader;
  if (isBlock) {
    if (line.trim() === blockClosing) return { reader: emptyReader, text: lines.join("\n") };
    return { reader: { lines: [...lines, line], isBlock } };
  }
  if (lines.length === 0) {
    if (line.trim() === "") return { reader };
    if (line.trim() === blockOpening) return { reader: { lines: [], isBlock: true } };
    if (isCommand(line)) return { reader, text: line };
  }
  const text = [...lines, line].join("\n");
  if (isUnfinished({ name: "<entry>", text }))
    return { reader: { lines: [...lines, line], isBlock } };
  return { reader: emptyReader, text };
}

/** Whether the next line continues an entry. */
export function isOpen({ lines, isBlock }: Reader): boolean {
  return isBlock || lines.length > 0;
}

/** The unfinished entry at the end of the input. */
export function rest({ lines }: Reader): string | undefined {
  return lines.length > 0 ? lines.join("\n") : undefined;
}
