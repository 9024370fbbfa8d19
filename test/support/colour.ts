// Text of a terminal without its colours.

/** The text without the codes of a palette. */
export function withoutColour(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character is what this looks for
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
