// How functions make arrays (lower-arrays.ts) and take derivatives (lower-slopes.ts), once somebody has brought it: few programs have functions that stay functions, and a page
// loads it for those.

import { brought } from "../part-missing.ts";
import type * as folds from "./folds.ts";
import type * as lowering from "./lower-arrays.ts";
import type * as slopes from "./lower-slopes.ts";

export type Arrays = Pick<typeof folds, "takenAlong"> &
  Pick<typeof slopes, "slopeAt"> &
  Pick<typeof lowering, "acceptedAt" | "cellsAt" | "keptAt" | "madeAt" | "namedCell" | "readMade">;

export const { bring: bringArrays, get: arrays } = brought<Arrays>("functions");
