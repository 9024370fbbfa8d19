import type { Plugin } from "esbuild";

export const workerAddress: Plugin;
