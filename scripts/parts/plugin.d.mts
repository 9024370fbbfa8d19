import type { Plugin } from "esbuild";

export const inParts: Plugin;
