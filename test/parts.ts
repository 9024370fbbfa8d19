// Every part of the compiler that pages load on demand. Fuzzers are run without the setup of the tests: what compiles programs brings them itself.

import { bringJacobians } from "../src/autodiff/brought-jacobians.ts";
import { bringRagged } from "../src/check/brought-ragged.ts";
import * as jagged from "../src/check/jagged.ts";
import { bringLibrary } from "../src/check/library-texts.ts";
import { bringFunctions } from "../src/functions-part.ts";
import * as jacobians from "../src/jacobians-part.ts";
import { standardTexts } from "../src/std.ts";

export function bringParts(): void {
  bringLibrary(standardTexts);
  bringFunctions();
  bringJacobians(jacobians);
  bringRagged(jagged);
}
