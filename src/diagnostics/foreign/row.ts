// The shape of the table of foreign forms; what a row means is told in `table.ts`.

export type Row = readonly [there: string, here: string, note?: string];

/** Rows of one subject, as the page shows them. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}
