// Forms of the language that few programs have, once somebody has brought them: `match` (match.ts) and equality of data (equality.ts),
// `where` on calls (call-guards.ts), derivatives at a step of a recurrence (step-numerators.ts) and rules of one's own (tangents.ts). A page loads them for the programs that do.

import { brought } from "../part-missing.ts";
import type * as guards from "./call-guards.ts";
import type * as equality from "./equality.ts";
import type * as matching from "./match.ts";
import type * as steps from "./step-numerators.ts";
import type * as rules from "./tangents.ts";

export const { bring: bringMatching, get: matches } = brought<typeof matching & typeof equality>("match");
export const { bring: bringGuards, get: callGuards } = brought<typeof guards>("guards");
export const { bring: bringSteps, get: stepNumerators } = brought<typeof steps>("steps");
export const { bring: bringTangents, get: tangents } = brought<typeof rules>("rules");
