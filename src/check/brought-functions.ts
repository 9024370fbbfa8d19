// Functions that stay functions (instances.ts) and arrays of functions (function-lists.ts), once somebody has brought them: most functions
// are called by their names and replaced by their bodies, and a page loads what the others need.

import { brought } from "../part-missing.ts";
import type * as lists from "./function-lists.ts";
import type * as instances from "./instances.ts";

export const { bring: bringKept, get: keptFunctions } = brought<typeof instances & typeof lists>("functions");
