// A small algebra of documents and the printer that lays them out within a width. A document says
// where lines may break; the printer keeps a group on one line if it fits and breaks all of its own
// lines otherwise.
//
// The algebra is Wadler's ("A prettier printer"), printed with an explicit stack in the manner of
// Oppen: each group looks ahead at most one line's width, so printing is linear in the size of the
// document for a fixed width.

export type Doc =
  | string
  | { readonly kind: "concat"; readonly parts: readonly Doc[]; readonly breaks: boolean }
  | { readonly kind: "indent"; readonly body: Doc; readonly breaks: boolean }
  | { readonly kind: "group"; readonly body: Doc; readonly breaks: boolean }
  | { readonly kind: "if-broken"; readonly text: string; readonly breaks: false }
  /**
   * `closing` marks the line before a closing bracket, whose comments still belong to what is
   * inside.
   */
  | {
      readonly kind: "line";
      readonly flat: string;
      readonly closing: boolean;
      readonly breaks: boolean;
    }
  /** Text held back until the end of the current line. */
  | { readonly kind: "suffix"; readonly text: string; readonly breaks: false }
  /** Takes no room; the groups around it break. */
  | { readonly kind: "break"; readonly breaks: true };

const step = 2;

/** A space, or a line break if the group around it is broken. */
export const line: Doc = { kind: "line", flat: " ", closing: false, breaks: false };
/** Nothing, or a line break. */
export const softline: Doc = { kind: "line", flat: "", closing: false, breaks: false };
/** Always a line break; a space only where a whole text is asked for on one line. */
export const hardline: Doc = { kind: "line", flat: " ", closing: false, breaks: true };
/** A second line break after a hard one. */
export const blankLine: Doc = { kind: "line", flat: "", closing: false, breaks: true };
export const closingLine: Doc = { kind: "line", flat: " ", closing: true, breaks: false };
export const closingSoftline: Doc = { kind: "line", flat: "", closing: true, breaks: false };
export const closingHardline: Doc = { kind: "line", flat: " ", closing: true, breaks: true };
export const forcedBreak: Doc = { kind: "break", breaks: true };

export function breaks(doc: Doc): boolean {
  return typeof doc !== "string" && doc.breaks;
}

export function concat(...parts: readonly Doc[]): Doc {
  return concatAll(parts);
}

/** `concat` of a list that may be too long to pass as arguments. */
export function concatAll(parts: readonly Doc[]): Doc {
  return { kind: "concat", parts, breaks: parts.some(breaks) };
}

export function indent(...parts: readonly Doc[]): Doc {
  const body = concat(...parts);
  return { kind: "indent", body, breaks: breaks(body) };
}

export function group(...parts: readonly Doc[]): Doc {
  const body = concat(...parts);
  return { kind: "group", body, breaks: breaks(body) };
}

/** The text if the group around it is broken, else nothing: trailing commas. */
export function ifBroken(text: string): Doc {
  return { kind: "if-broken", text, breaks: false };
}

/**
 * Text for the end of the line, behind whatever else comes on it: comments, which would swallow it.
 */
export function suffix(text: string): Doc {
  return { kind: "suffix", text, breaks: false };
}

export function join(separator: Doc, parts: readonly Doc[]): Doc {
  return concatAll(parts.flatMap((part, k) => (k === 0 ? [part] : [separator, part])));
}

interface Command {
  readonly indentation: number;
  readonly broken: boolean;
  readonly doc: Doc;
}

/** The text of a document within a width. Ends without a line break; no line ends in a space. */
export function layOut(doc: Doc, width: number): string {
  const out: string[] = [];
  const stack: Command[] = [{ indentation: 0, broken: true, doc }];
  let suffixes: string[] = [];
  let column = 0;
  // Indentation is written with the first text of its line, so that blank lines stay empty.
  let owed = 0;

  const write = (text: string): void => {
    if (text === "") return;
    if (owed > 0) out.push(" ".repeat(owed));
    owed = 0;
    out.push(text);
    column += text.length;
  };
  // The first suffix ends the line; a line holds one comment, so the others get lines of their own.
  const flush = (indentation: number): void => {
    suffixes.forEach((text, k) => {
      if (k === 0) out.push(" " + text);
      else out.push("\n", " ".repeat(indentation), text);
    });
    suffixes = [];
  };

  for (let command = stack.pop(); command; command = stack.pop()) {
    const { indentation, broken } = command;
    const doc = command.doc;
    if (typeof doc === "string") {
      write(doc);
      continue;
    }
    switch (doc.kind) {
      case "concat":
        for (let k = doc.parts.length - 1; k >= 0; k--)
          stack.push({ indentation, broken, doc: doc.parts[k]! });
        break;
      case "indent":
        stack.push({ indentation: indentation + step, broken, doc: doc.body });
        break;
      case "group": {
        const flat: Command = { indentation, broken: false, doc: doc.body };
        const fitting = !broken || (!doc.breaks && fits(flat, stack, width - column));
        stack.push(fitting ? flat : { indentation, broken: true, doc: doc.body });
        break;
      }
      case "if-broken":
        if (broken) write(doc.text);
        break;
      case "line":
        if (!broken) {
          write(doc.flat);
          break;
        }
        flush(doc.closing ? indentation + step : indentation);
        out.push("\n");
        owed = indentation;
        column = indentation;
        break;
      case "suffix":
        suffixes.push(doc.text);
        break;
      case "break":
        break;
      default:
        doc satisfies never;
    }
  }
  flush(0);
  return out.join("");
}

/** A place in a list of documents, with the mode they are printed in. */
interface Frame {
  readonly parts: readonly Doc[];
  readonly broken: boolean;
  at: number;
}

/**
 * Whether a command, and what follows it up to the next possible line break, fits into the room.
 * Lists are walked in place: pushing all parts of a long one would cost its length for each group
 * around it.
 */
function fits(first: Command, rest: readonly Command[], room: number): boolean {
  const stack: Frame[] = [{ parts: [first.doc], broken: first.broken, at: 0 }];
  let next = rest.length;
  let left = room;
  while (left >= 0) {
    let frame = stack.at(-1);
    if (!frame) {
      const command = rest[--next];
      if (!command) return true;
      frame = { parts: [command.doc], broken: command.broken, at: 0 };
      stack.push(frame);
    }
    const { broken } = frame;
    const doc = frame.parts[frame.at++];
    if (frame.at >= frame.parts.length) stack.pop();
    if (doc === undefined) continue;
    if (typeof doc === "string") {
      left -= doc.length;
      continue;
    }
    switch (doc.kind) {
      case "concat":
        stack.push({ parts: doc.parts, broken, at: 0 });
        break;
      case "indent":
      case "group":
        stack.push({ parts: [doc.body], broken, at: 0 });
        break;
      case "if-broken":
        if (broken) left -= doc.text.length;
        break;
      case "line":
        if (broken) return true;
        left -= doc.flat.length;
        break;
      case "suffix":
      case "break":
        break;
      default:
        doc satisfies never;
    }
  }
  return false;
}

/** The text of a document on one line, whatever its length; suffixes are left out. */
export function layOutFlat(doc: Doc): string {
  const out: string[] = [];
  const stack: Doc[] = [doc];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === "string") out.push(next);
    else if (next.kind === "concat")
      for (let k = next.parts.length - 1; k >= 0; k--) stack.push(next.parts[k]!);
    else if (next.kind === "indent" || next.kind === "group") stack.push(next.body);
    else if (next.kind === "line") out.push(next.flat);
  }
  return out.join("");
}
