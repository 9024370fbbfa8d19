import type { Plugin } from "esbuild";

export const parts: Readonly<
  Record<string, { readonly for: string; readonly files: readonly string[]; readonly except?: readonly string[] }>
>;
export const inParts: Plugin;
