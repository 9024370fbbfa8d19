// The type of the rows in the table of foreign forms. `table.ts` explains what a row means.

export type Row = readonly [there: string, here: string, note?: string];

/** Rows about one subject, as the documentation page shows them. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}
