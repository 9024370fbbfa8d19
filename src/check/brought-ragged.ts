// How comprehensions and ragged rows are made (ragged-part.ts), once somebody has brought it: a page loads it for programs that have any.

import { brought } from "../part-missing.ts";
import type * as part from "./ragged-part.ts";

export const { bring: bringRagged, get: ragged } = brought<typeof part>("ragged");
