// Documents, and the printer that lays them out within a width. A document says where lines may
// break. A group is printed on one line if it fits; otherwise all of its own lines break.
//
// The algebra is Wadler's ("A prettier printer"), printed with an explicit stack in the manner of
// Oppen. Each group looks ahead at most the width of a line, so printing is linear in the size of
// the document.

export type Doc =
  | string
  | { readonly kind: "concat"; readonly parts: readonly Doc[]; readonly breaks: boolean }
  | { readonly kind: "indent"; readonly body: Doc; readonly breaks: boolean }
  | { readonly kind: "group"; readonly body: Doc; readonly breaks: boolean }
  | { readonly kind: "if-broken"; readonly text: string; readonly breaks: false }
  /**
   * `closing` marks the line before a closing bracket. Comments there belong to the inside of the
   * bracket.
   */
  | {
      readonly kind: "line";
      readonly flat: string;
      readonly closing: boolean;
      readonly breaks: boolean;
    }
  /** A text that waits for the end of its line. */
  | { readonly kind: "suffix"; readonly text: string; readonly breaks: false }
  /** Prints nothing, and breaks the groups around it. */
  | { readonly kind: "break"; readonly breaks: true };

const step = 2;

/** A space, or a line break if the group around it is broken. */
export const line: Doc = { kind: "line", flat: " ", closing: false, breaks: false };
/** Nothing, or a line break if the group around it is broken. */
export const softline: Doc = { kind: "line", flat: "", closing: false, breaks: false };
/** Always a line break. Only `layOutFlat` prints it as a space. */
export const hardline: Doc = { kind: "line", flat: " ", closing: false, breaks: true };
/** A second line break after a hard one. */
export const blankLine: Doc = { kind: "line", flat: "", closing: false, breaks: true };
export const closingLine: Doc = { kind: "line", flat: " ", closing: true, breaks: false };
export const closingSoftline: Doc = { kind: "line", flat: "", closing: true, breaks: false };
export const closingHardline: Doc = { kind: "line", flat: " ", closing: true, breaks: true };
export const forcedBreak: Doc = { kind: "break", breaks: true };

function breaks(doc: Doc): boolean {
  return typeof doc !== "string" && doc.breaks;
}

export function concat(...parts: readonly Doc[]): Doc {
  return concatAll(parts);
}

/** `concat` of a list. A long list cannot be passed as arguments. */
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

/** The text if the group around it is broken, otherwise nothing: trailing commas. */
export function ifBroken(text: string): Doc {
  return { kind: "if-broken", text, breaks: false };
}

/**
 * A text for the end of the line, after everything else on that line. Comments need this, because
 * they extend to the end of their line.
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

/**
 * The text of a document within a width. The text does not end with a line break, and no line ends
 * with a space.
 */
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
  // The first suffix ends the line. A line holds one comment, so each other suffix gets a line of
  // its own.
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
        const fitting = !broken || (!doc.breaks && fitsInto(flat, stack, width - column));
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

/** A position in a list of documents, and whether the group around the list is broken. */
interface Frame {
  readonly parts: readonly Doc[];
  readonly broken: boolean;
  at: number;
}

/**
 * Whether a command fits into the room, together with the text after it up to the next possible
 * line break. Lists are walked in place: a push of all parts of a long list would cost its length
 * for each group around it.
 */
function fitsInto(first: Command, rest: readonly Command[], room: number): boolean {
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

/** The text of a document on one line of any length. Suffixes are left out. */
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
