// Functions that call themselves (recursive-calls.ts) or stay functions (instances.ts), arrays of functions (function-lists.ts), functions under
// declared types (held-functions.ts, fitting-functions.ts) and values of which only the type is known (stand-ins.ts), once somebody has brought
// them: most functions are called by their names and replaced by their bodies, and a page loads what the others need.

import { brought } from "../part-missing.ts";
import type * as fitting from "./fitting-functions.ts";
import type * as lists from "./function-lists.ts";
import type * as held from "./held-functions.ts";
import type * as instances from "./instances.ts";
import type * as recursive from "./recursive-calls.ts";
import type * as stands from "./stand-ins.ts";

export const { bring: bringKept, get: keptFunctions } = brought<
  typeof instances & typeof lists & typeof held & typeof fitting & typeof stands & typeof recursive
>("functions");
