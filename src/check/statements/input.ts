// `input x: T;` declares a value that the host supplies. If the type leaves the rank open, as
// `[f32; ..batch]` does, the rank is that of the supplied value.

import type * as ast from "../../syntax/tree/ast.ts";
import { ofVariable, variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { inputAnnotation } from "../types/annotations.ts";
import { reportClash, reportIfTaken, spoilName, type Block } from "./block.ts";
import { report, type Place } from "../context.ts";
import { isOpenRank, namedByPack, withoutOpenRank, withRank } from "./open-ranks.ts";
import type { Action, ValueBinding } from "../types/typed.ts";
import { isIntegerScalar, showType } from "../types/types.ts";

export function inputOf(
  place: Place,
  statement: ast.Input,
  block: Block,
): readonly Action[] | undefined {
  const { name } = statement;
  if (place.scope.parent || place.scope.module) {
    report(place, "E0203", "an `input` stands at the top of a file", statement.span, {
      help: "take it as a parameter",
    });
    spoilName(place, name.text, name.span);
    return undefined;
  }
  if (reportClash(place, name, block) || reportIfTaken(place, name)) return undefined;
  const declared = rankedType(place, statement);
  if (!declared || declared === "waiting") {
    if (declared) {
      place.checker.unranked.add(name.text);
      // The dimension names of the type can be used before the value arrives.
      inputAnnotation(place, withoutOpenRank(statement.type), place.scope);
    }
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  const type = inputAnnotation(place, declared, place.scope);
  if (type.kind !== "tensor" && type.kind !== "error") {
    report(
      place,
      "E0404",
      `an input is a scalar or a tensor, this is ${showType(type)}`,
      declared.span,
      {
        help: "take its parts as inputs and put them together",
      },
    );
  }
  if (type.kind !== "tensor") {
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  const symbolic = isIntegerScalar(type) ? { term: ofVariable(variable(name.text)) } : {};
  const binding: ValueBinding = {
    kind: "value",
    role: "input",
    name: name.text,
    span: name.span,
    type,
    ...symbolic,
  };
  if (symbolic.term) place.checker.scalars.set([...variablesOf(symbolic.term)][0]!, binding);
  place.scope.names.set(name.text, binding);
  return [{ kind: "bind", binding }];
}

/** The type with as many axes as the supplied value, or "waiting" before the value arrives. */
function rankedType(place: Place, { name, type }: ast.Input): ast.Type | "waiting" | undefined {
  if (!isOpenRank(type)) return type;
  const packs =
    type.kind === "tensor" ? (type.dims ?? []).filter((dim) => dim.kind === "pack") : [];
  if (packs.length > 1) {
    report(
      place,
      "E0402",
      `nothing says which axes of \`${name.text}\` each of its packs takes`,
      packs[1]!.span,
      {
        labels: [{ span: packs[0]!.span, text: "the first pack" }],
        help: "write one pack, and a name or `?` for each of the other axes",
      },
    );
    return undefined;
  }
  const rank = place.checker.ranks.get(name.text);
  if (rank === undefined) return "waiting";
  const ranked = withRank(type, rank, namedByPack);
  if (!ranked)
    report(
      place,
      "E0887",
      `the input \`${name.text}\` has more axes than the value that came, whose rank is ${rank}`,
      type.span,
    );
  return ranked;
}
