// The table of elaborators: which function elaborates which form of the syntax. `check.ts` and the
// prompt hand it to the checker. No elaborator imports this file, so imports do not form circles.

import { accessOf } from "./expressions/access.ts";
import { callOf } from "./calls/calls.ts";
import { lambdaOf } from "./calls/held/closures.ts";
import { matchData } from "./data/data-types.ts";
import { structValue } from "./data/data-values.ts";
import type { Elaborators } from "./elaborators.ts";
import { binaryOf } from "./expressions/binary.ts";
import { blockOf } from "./expressions/block.ts";
import { castOf } from "./expressions/cast.ts";
import { comprehensionOf } from "./expressions/comprehension.ts";
import { guardedOf } from "./expressions/guarded.ts";
import { ifOf } from "./expressions/if.ts";
import { memberOf } from "./expressions/member.ts";
import { rangeOf } from "./expressions/range.ts";
import { tupleOf } from "./expressions/tuple.ts";
import { unaryOf } from "./expressions/unary.ts";
import {
  boolLiteral,
  missingValue,
  pathOf,
  numberLiteral,
  stringLiteral,
} from "./expressions/leaves.ts";
import { matchOf } from "./data/patterns/match.ts";
import { arrayOf } from "./types/shapes.ts";
import { statementsOf } from "./statements/statements.ts";

export const elaborators: Elaborators = {
  expressions: {
    number: numberLiteral,
    bool: boolLiteral,
    string: stringLiteral,
    path: pathOf,
    unary: unaryOf,
    binary: binaryOf,
    range: rangeOf,
    cast: castOf,
    index: accessOf,
    call: callOf,
    member: memberOf,
    if: ifOf,
    block: blockOf,
    array: arrayOf,
    tuple: tupleOf,
    match: matchOf,
    lambda: lambdaOf,
    comprehension: comprehensionOf,
    "struct-literal": structValue,
    guarded: guardedOf,
    missing: missingValue,
  },
  statements: statementsOf,
  matchData,
};
