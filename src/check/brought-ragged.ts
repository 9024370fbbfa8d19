// How ragged rows are made (jagged.ts), once somebody has brought it: few programs have any, and a page loads it for those.

import { brought } from "../part-missing.ts";
import type * as jagged from "./jagged.ts";

export const { bring: bringRagged, get: ragged } = brought<typeof jagged>("ragged");
