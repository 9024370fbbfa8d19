// Property tests draw the same values in every run; `SEED=… npx vitest run …` draws others. Every program that a test compiles
// is verified after each pass, and may use what pages load on demand.

import fc from "fast-check";
import { bringJacobians } from "../src/autodiff/brought-jacobians.ts";
import * as jacobians from "../src/jacobians-part.ts";
import { bringLibrary } from "../src/check/library-texts.ts";
import { bringFunctions } from "../src/functions-part.ts";
import { watchPasses } from "../src/ir/between-passes.ts";
import { verify } from "../src/ir/verify.ts";
import { standardTexts } from "../src/std.ts";

watchPasses(verify);
bringLibrary(standardTexts);
bringJacobians(jacobians);
bringFunctions();

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_115) });
