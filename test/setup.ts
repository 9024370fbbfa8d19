// Property tests draw the same values in every run; `SEED=… npx vitest run …` draws others. Every program that a test compiles
// is verified after each pass, and may use what pages load on demand.

import fc from "fast-check";
import { watchPasses } from "../src/ir/between-passes.ts";
import { verify } from "../src/ir/verify.ts";
import { bringParts } from "../src/all-parts.ts";

watchPasses(verify);
bringParts();

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_115) });
