// Colours for messages in a terminal: one palette with colours, and one without.

type Paint = (text: string) => string;

/** A paint for each part of a message that has a colour of its own. */
export interface Palette {
  readonly error: Paint;
  readonly warning: Paint;
  readonly gutter: Paint;
  readonly label: Paint;
  readonly strong: Paint;
}

const escape = "\u001b[";

/** Wraps a text in "select graphic rendition" codes. The empty text stays empty. */
const paint =
  (...attributes: readonly number[]): Paint =>
  (text) =>
    text === "" ? "" : `${escape}${attributes.join(";")}m${text}${escape}0m`;

const bold = 1;
// The bright variants are legible on dark and on light backgrounds.
const [red, yellow, blue] = [91, 93, 94];

export const coloured: Palette = {
  error: paint(bold, red),
  warning: paint(bold, yellow),
  gutter: paint(bold, blue),
  label: paint(bold, blue),
  strong: paint(bold),
};

const asIs: Paint = (text) => text;

export const plain: Palette = {
  error: asIs,
  warning: asIs,
  gutter: asIs,
  label: asIs,
  strong: asIs,
};
