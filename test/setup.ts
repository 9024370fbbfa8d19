// Property tests draw the same values in every run. `SEED=… npx vitest run …` draws others. Every
// program that a test compiles is verified after each pass.

import fc from "fast-check";
import { watchPasses } from "../src/ir/between-passes.ts";
import { verify } from "../src/ir/verify.ts";

watchPasses(verify);

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_115) });
