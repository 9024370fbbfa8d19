/** The counts of the source's shape, by name. */
export function measure(root: string): { readonly shape: Readonly<Record<string, number>> };
