// Property tests draw the same values in every run; `SEED=… npx vitest run …` draws others.

import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_115) });
