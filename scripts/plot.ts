// Pictures of numbers in a terminal: a heat map of a matrix, and a line plot of several series.
// They are drawn with Unicode blocks.

export interface PlotOptions {
  readonly color: boolean;
  /** The columns and rows for the picture, without labels. */
  readonly width: number;
  readonly height: number;
}

type Colour = readonly [number, number, number];

/** How numbers become colours, or shades in a terminal without colour. */
export interface Scale {
  readonly colours: readonly Colour[];
  readonly shades: readonly string[];
  /**
   * The numbers that get the first and the last colour, from the least and the greatest number of
   * the matrix.
   */
  readonly ends: (least: number, most: number) => readonly [number, number];
  /** The place on the scale, from 0 to 1, of a cell without a finite number. */
  readonly blank: number;
}

/** For amounts: from dark to light (viridis at nine points). */
export const sequential: Scale = {
  colours: [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
  ],
  shades: [..." ░▒▓█"],
  ends: (least, most) => [least, most],
  blank: 0,
};

/** For numbers around zero: cold below zero, warm above, dark at zero. */
export const signed: Scale = {
  colours: [
    [190, 240, 255],
    [86, 190, 240],
    [40, 120, 190],
    [24, 60, 105],
    [16, 18, 30],
    [105, 38, 28],
    [190, 75, 32],
    [240, 150, 60],
    [255, 232, 170],
  ],
  shades: [..."≡=-· ░▒▓█"],
  ends: (least, most) => {
    const far = Math.max(-least, most) || 1;
    return [-far, far];
  },
  blank: 0.5,
};

/**
 * A heat map with one cell for each cell of the matrix. A larger matrix is sampled. With colour,
 * one character shows two rows: its foreground is the upper cell and its background the lower one.
 */
export function heatMap(
  matrix: readonly (readonly number[])[],
  options: PlotOptions,
  scale: Scale = sequential,
): readonly string[] {
  const [least, most] = endsOf(matrix, scale);
  const height = Math.min(matrix.length, options.color ? options.height * 2 : options.height);
  const width = Math.min(matrix[0]?.length ?? 0, options.width);
  const at = (row: number, column: number): number => {
    const value =
      matrix[Math.floor((row * matrix.length) / height)]?.[
        Math.floor((column * matrix[0]!.length) / width)
      ];
    return value === undefined || !Number.isFinite(value)
      ? scale.blank
      : (value - least) / (most - least || 1);
  };
  const lines: string[] = [];
  for (let row = 0; row < height; row += options.color ? 2 : 1) {
    let line = "";
    for (let column = 0; column < width; column++) {
      if (options.color) {
        const lower = row + 1 < height ? `;48;2;${colourAt(at(row + 1, column), scale)}` : "";
        line += `\u001b[38;2;${colourAt(at(row, column), scale)}${lower}m▀`;
      } else line += scale.shades[Math.round(at(row, column) * (scale.shades.length - 1))];
    }
    lines.push(options.color ? `${line}\u001b[0m` : line);
  }
  return lines;
}

function endsOf(matrix: readonly (readonly number[])[], scale: Scale): readonly [number, number] {
  const finite = matrix.flat().filter(Number.isFinite);
  if (finite.length === 0) return [0, 0];
  return scale.ends(
    finite.reduce((a, b) => Math.min(a, b)),
    finite.reduce((a, b) => Math.max(a, b)),
  );
}

/**
 * Several series over one horizontal axis, with the ends of the vertical axis as labels. Each
 * character holds 2 × 4 Braille dots.
 */
export function linePlot(
  series: readonly (readonly number[])[],
  options: PlotOptions,
): readonly string[] {
  const finite = series.flat().filter(Number.isFinite);
  if (finite.length === 0) return [];
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const canvas = series.map((points) => dots(points, least, most - least || 1, options));
  const labels = [short(most), short(least)];
  const margin = Math.max(...labels.map((label) => label.length));
  return Array.from({ length: options.height }, (_, row) => {
    const label = row === 0 ? labels[0]! : row === options.height - 1 ? labels[1]! : "";
    return `${label.padStart(margin)} ┤${merged(canvas, row, options)}`;
  });
}

const seriesColours = [36, 33, 35, 32, 31, 34];

/**
 * One row of the plot. Where two series meet in a character, their dots are joined and the later
 * colour wins.
 */
function merged(
  canvas: readonly (readonly Uint8Array[])[],
  row: number,
  { width, color }: PlotOptions,
): string {
  let line = "";
  for (let column = 0; column < width; column++) {
    let bits = 0;
    let owner = -1;
    canvas.forEach((rows, index) => {
      const own = rows[row]![column]!;
      bits |= own;
      if (own) owner = index;
    });
    const glyph = bits ? String.fromCodePoint(0x2800 + bits) : " ";
    line +=
      color && owner >= 0
        ? `\u001b[${seriesColours[owner % seriesColours.length]}m${glyph}\u001b[0m`
        : glyph;
  }
  return line.trimEnd();
}

/** The bits of a Braille character, by row and column of its dots. */
const brailleBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

function dots(
  points: readonly number[],
  least: number,
  span: number,
  { width, height }: PlotOptions,
): Uint8Array[] {
  const rows = Array.from({ length: height }, () => new Uint8Array(width));
  const last = width * 2 - 1;
  const level = (x: number): number | undefined => {
    const position = last === 0 ? 0 : (x / last) * (points.length - 1);
    const [left, right] = [points[Math.floor(position)], points[Math.ceil(position)]];
    if (left === undefined || right === undefined) return undefined;
    const value = left + (right - left) * (position - Math.floor(position));
    return Number.isFinite(value)
      ? Math.round((1 - (value - least) / span) * (height * 4 - 1))
      : undefined;
  };
  let before: number | undefined;
  for (let x = 0; x <= last; x++) {
    const y = level(x);
    if (y !== undefined) {
      // A steep stretch is filled, so that the line has no gaps.
      const from = before === undefined ? y : before < y ? before + 1 : before > y ? before - 1 : y;
      for (let dot = Math.min(from, y); dot <= Math.max(from, y); dot++) {
        rows[dot >> 2]![x >> 1]! |= brailleBits[(dot & 3) as 0 | 1 | 2 | 3][(x & 1) as 0 | 1];
      }
    }
    before = y;
  }
  return rows;
}

function colourAt(level: number, { colours }: Scale): string {
  const position = level * (colours.length - 1);
  const low = colours[Math.floor(position)]!;
  const high = colours[Math.ceil(position)]!;
  const part = position - Math.floor(position);
  return low
    .map((channel, index) => Math.round(channel + (high[index]! - channel) * part))
    .join(";");
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
