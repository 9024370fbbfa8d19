// The part of the compiler for functions that stay functions: their instances, arrays of them, their declared types, the arrays that they make, and derivatives
// through their calls; and derivatives of products that take a form of their own, because data chooses their factors or they go over a triangle.

import { bringCalls } from "./autodiff/brought-calls.ts";
import * as calls from "./autodiff/calls.ts";
import * as products from "./autodiff/sparse-products.ts";
import { answerSlopes } from "./autodiff/slopes.ts";
import * as rows from "./autodiff/split-rows.ts";
import { bringKept } from "./check/brought-functions.ts";
import * as fitting from "./check/fitting-functions.ts";
import * as lists from "./check/function-lists.ts";
import * as held from "./check/held-functions.ts";
import * as instances from "./check/instances.ts";
import * as recursive from "./check/recursive-calls.ts";
import * as stands from "./check/stand-ins.ts";
import { bringArrays } from "./ir/brought-arrays.ts";
import { takenAlong } from "./ir/folds.ts";
import * as lowering from "./ir/lower-arrays.ts";
import { slopeAt } from "./ir/lower-slopes.ts";
import * as writing from "./ir/print-data.ts";

export function bringFunctions(): void {
  bringKept({ ...instances, ...lists, ...held, ...fitting, ...stands, ...recursive });
  bringArrays({ ...lowering, slopeAt, takenAlong });
  bringCalls({ ...calls, ...products, ...rows, ...writing, answerSlopes });
}
