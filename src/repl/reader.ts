// From lines to entries: a line that leaves something open goes on in the next, and `:{ … :}` holds
// several statements together.

import { blockClosing, blockOpening, isCommand } from "./commands.ts";
import { isUnfinished } from "../syntax/parse/parser.ts";

/** The lines of an entry that is not finished. */
export interface Reader {
  readonly lines: readonly string[];
  /** Inside `:{ … :}`, where only `:}` ends an entry. */
  readonly isBlock: boolean;
}

export const emptyReader: Reader = { lines: [], isBlock: false };

export interface Read {
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

/** Whether the next line goes on with an entry. */
export function isOpen({ lines, isBlock }: Reader): boolean {
  return isBlock || lines.length > 0;
}

/** What is left when no line comes any more. */
export function rest({ lines }: Reader): string | undefined {
  return lines.length > 0 ? lines.join("\n") : undefined;
}
