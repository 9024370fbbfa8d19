// The faults with which a function ends the run: an index out of bounds, a reduction of nothing, a
// cell that no clause defines.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Stop } from "../../scalar/data.ts";
import { faultReasons } from "../../scalar/fault.ts";
import type { Scalar } from "../../scalar/types.ts";
import { textOf } from "../../base/source.ts";

export const guardTheAccess =
  "guard the access: `where` or `if` with the range in which the index is valid";

export function stopAt(stop: Stop): (...given: readonly Scalar[]) => never {
  return (...given) => {
    throw faultOf(stop, given);
  };
}

function faultOf(stop: Stop, given: readonly Scalar[]): Fault {
  const { span } = stop;
  switch (stop.kind) {
    case "bounds":
      return new Fault(
        error("E0901", `index ${String(given[0])} is out of bounds in \`${textOf(span)}\``, span, {
          text: `${stop.axis} of \`${stop.of}\` has extent ${String(given[1])}`,
          help: guardTheAccess,
        }),
      );
    case "agreement":
      return new Fault(
        error(
          "E0304",
          `the extents of ${stop.text} must agree, and are ${given.map(String).join(" and ")}`,
          span,
        ),
      );
    case "nothing":
      return new Fault(
        error("E0903", stop.reason, span, {
          text: "no element passed",
          help: faultReasons[stop.reason],
        }),
      );
    case "early":
      return new Fault(
        error(
          "E0904",
          `\`${stop.of}[${given.map(String).join(", ")}]\` is not computed yet`,
          span,
          {
            help:
              "inside a recursive function a recurrence runs upward, " +
              "along its last coordinate first",
          },
        ),
      );
    case "undefined":
      return new Fault(
        error("E0904", `\`${stop.of}[${given.map(String).join(", ")}]\` is never defined`, span, {
          text: "no clause has this cell in its range",
          help: "give the cell a clause of its own",
        }),
      );
    default:
      return stop satisfies never;
  }
}
