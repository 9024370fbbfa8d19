// Draws a tensor as a heat map. Rows and columns are the last two axes. Numbers below 0 are blue,
// numbers above 0 are red, 0 is white, and numbers that are not finite are grey. Without colours, a
// cell is its sign and a character: the larger the number, the heavier the character.

import { writePng } from "../../host/png.ts";
import { showScalar } from "../../scalar/values/show.ts";
import { at, sizeOf, type TensorValue } from "../../scalar/values/value.ts";

interface HeatOptions {
  readonly name: string;
  readonly axes: readonly (string | undefined)[];
  /** Whether cells are 24-bit colours. Otherwise they are characters. */
  readonly colour: boolean;
  readonly columns: number;
}

type Colour = readonly [number, number, number];

/**
 * The most slices that a terminal shows. There is a slice for each position of the axes before the
 * last two.
 */
const mostSlices = 8;
const weights = ".:=*%#@";

export function heatText(value: TensorValue, { name, axes, colour, columns }: HeatOptions): string {
  const { rows, width, slices } = layout(value);
  const largest = largestIn(value);
  const lines = [
    `${name}: ${value.dtype} [${value.shape.join(", ")}]${legend(value, largest, colour)}`,
  ];
  const shown = Math.min(width, Math.max(1, Math.floor((columns - 4) / 2)));
  for (let slice = 0; slice < Math.min(slices, mostSlices); slice++) {
    if (slices > 1) lines.push("", sliceText(value.shape, axes, slice));
    for (let row = 0; row < rows; row++) {
      let line = "";
      for (let column = 0; column < shown; column++) {
        const cell = numberAt(value, (slice * rows + row) * width + column);
        line += colour ? colouredCell(cell, largest) : signAndWeight(cell, largest);
      }
      lines.push(`  ${line}${shown < width ? " …" : ""}`.replace(/ +$/, ""));
    }
  }
  if (slices > mostSlices) lines.push("", `… ${slices - mostSlices} more slices`);
  return `${lines.join("\n")}\n`;
}

/** The heat map as a PNG picture. The slices stand below one another. */
export function heatPng(value: TensorValue): Uint8Array {
  const { rows, width, slices } = layout(value);
  const largest = largestIn(value);
  const scale = Math.max(1, Math.min(24, Math.floor(960 / Math.max(1, width))));
  const tall = rows * scale;
  const gap = slices > 1 ? Math.max(2, Math.floor(scale / 2)) : 0;
  return writePng(
    Math.max(1, width * scale),
    Math.max(1, slices * tall + (slices - 1) * gap),
    (x, y) => {
      const slice = Math.floor(y / (tall + gap));
      const inside = y - slice * (tall + gap);
      if (inside >= tall || width === 0) return [255, 255, 255];
      const offset = (slice * rows + Math.floor(inside / scale)) * width + Math.floor(x / scale);
      return colourOf(numberAt(value, offset), largest);
    },
  );
}

function layout({ shape }: TensorValue): {
  readonly rows: number;
  readonly width: number;
  readonly slices: number;
} {
  const width = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  return { rows, width, slices: sizeOf(shape.slice(0, -2)) };
}

function numberAt(value: TensorValue, offset: number): number {
  return Number(at(value, offset));
}

function largestIn(value: TensorValue): number {
  let largest = 0;
  for (let k = 0; k < value.data.length; k++) {
    const size = Math.abs(numberAt(value, k));
    if (Number.isFinite(size)) largest = Math.max(largest, size);
  }
  return largest;
}

function legend(value: TensorValue, largest: number, colour: boolean): string {
  const heaviest = weights.at(-1)!;
  const [below, above] = colour ? ["blue", "red"] : [`-${heaviest}`, `+${heaviest}`];
  return (
    `, from ${showScalar(value.dtype, -largest)} (${below}) through 0 to ` +
    `${showScalar(value.dtype, largest)} (${above})`
  );
}

function sliceText(
  shape: readonly number[],
  axes: readonly (string | undefined)[],
  slice: number,
): string {
  const outer = shape.slice(0, -2);
  let rest = slice;
  const positions = outer.map(() => 0);
  for (let axis = outer.length - 1; axis >= 0; axis--) {
    positions[axis] = rest % outer[axis]!;
    rest = Math.floor(rest / outer[axis]!);
  }
  return (
    "  " +
    positions.map((position, axis) => `${axes[axis] ?? `axis ${axis}`} = ${position}`).join(", ")
  );
}

/** White for 0, towards red above 0 and towards blue below 0. */
function colourOf(cell: number, largest: number): Colour {
  if (!Number.isFinite(cell)) return [128, 128, 128];
  const share = largest === 0 ? 0 : Math.min(1, Math.abs(cell) / largest);
  const [end, start]: readonly [Colour, Colour] = [
    cell < 0 ? [37, 99, 235] : [220, 38, 38],
    [250, 250, 250],
  ];
  return [0, 1, 2].map((part) =>
    Math.round(start[part]! + (end[part]! - start[part]!) * share),
  ) as unknown as Colour;
}

function colouredCell(cell: number, largest: number): string {
  const [red, green, blue] = colourOf(cell, largest);
  return `\u001b[48;2;${red};${green};${blue}m  \u001b[0m`;
}

/** The sign, and a character for the size. 0 is a dot without a sign. */
function signAndWeight(cell: number, largest: number): string {
  if (Number.isNaN(cell)) return " ?";
  const sign = cell < 0 ? "-" : cell > 0 ? "+" : " ";
  if (!Number.isFinite(cell)) return `${sign}?`;
  const share = largest === 0 ? 0 : Math.min(1, Math.abs(cell) / largest);
  return `${sign}${weights[Math.round(share * (weights.length - 1))]!}`;
}
