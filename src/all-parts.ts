// Every part of the compiler that pages load on demand, at once: for programs that are not pages.

import { bringJacobians } from "./autodiff/brought-jacobians.ts";
import { bringRules } from "./autodiff/brought-rules.ts";
import { bringSplits } from "./autodiff/brought-splits.ts";
import * as linearity from "./autodiff/linearity.ts";
import { bringGuards, bringMatching, bringSteps, bringTangents } from "./check/rare-forms.ts";
import { bringRagged } from "./check/brought-ragged.ts";
import * as raggedPart from "./check/ragged-part.ts";
import { bringLibrary } from "./check/library-texts.ts";
import * as guards from "./check/call-guards.ts";
import * as equality from "./check/equality.ts";
import * as matching from "./check/match.ts";
import * as steps from "./check/step-numerators.ts";
import * as tangents from "./check/tangents.ts";
import { bringFunctions } from "./functions-part.ts";
import * as derivatives from "./derivatives-part.ts";
import { standardTexts } from "./std.ts";

export function bringParts(): void {
  bringLibrary(standardTexts);
  bringFunctions();
  bringJacobians(derivatives);
  bringRagged(raggedPart);
  bringMatching({ ...matching, ...equality });
  bringGuards(guards);
  bringSteps(steps);
  bringTangents(tangents);
  bringRules(linearity);
  bringSplits(derivatives);
}
