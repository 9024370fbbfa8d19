// The style of explanations on this terminal.

import { plain, type Style } from "../../explain/ledger/text.ts";
import { highlight } from "./highlight.ts";
import { wantsColour, type Io } from "../io.ts";

export function styleFor(io: Io): Style {
  if (!wantsColour(io.out, io.env)) return plain;
  return {
    heading: (text) => `\u001b[1m${text}\u001b[0m`,
    code: highlight,
    faint: (text) => `\u001b[2m${text}\u001b[0m`,
  };
}
