// `p.x`, `t.0` and `a.shape`. Calls of methods are in `calls.ts`.

import { textOf } from "../../base/source.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { refuse, type Place } from "../context.ts";
import { fieldOf } from "../data/data-values.ts";
import { expression } from "../elaborate.ts";
import { adviceForMember, fromOtherLibrary } from "../names/foreign.ts";
import { isUnbound } from "../names/scope.ts";
import { shapeTensor } from "../types/shapes.ts";
import { methodHelp } from "../values/text-help.ts";
import { membersOf } from "../values/tuples.ts";
import type { Typed } from "../types/typed.ts";
import { isText, showType } from "../types/types.ts";

export function memberOf(place: Place, e: ast.Member): Typed {
  const foreign = isUnbound(place.scope, e) ? fromOtherLibrary(place, e) : undefined;
  if (foreign) return foreign;
  const base = expression(place, e.base);
  if (base.kind === "wrong") return base;
  if (e.name.text === "shape" && (base.type.kind === "tensor" || base.type.kind === "list"))
    return shapeTensor(place.checker, base.type.axes, e.span);
  if (base.type.kind === "data") return fieldOf(place, base, base.type, e.name);
  if (base.type.kind === "jagged") {
    const rows = textOf(e.base.span);
    return refuse(
      place,
      "E0410",
      `${showType(base.type)} has no member \`${e.name.text}\``,
      e.name.span,
      {
        help: `\`len(${rows})\` is the number of its rows, \`${rows}[i]\` is one of them`,
      },
    );
  }
  const members = membersOf(base);
  if (members && /^\d+$/.test(e.name.text)) {
    const member = members[Number(e.name.text)];
    if (member) return member;
    return refuse(
      place,
      "E0402",
      `a tuple of ${members.length} has no member ${e.name.text}`,
      e.name.span,
    );
  }
  if (base.type.kind === "tensor") {
    const advice = isText(base.type) ? methodHelp(e.base, e.name) : adviceForMember(e, base.type);
    return refuse(
      place,
      "E0410",
      `${showType(base.type)} has no member \`${e.name.text}\``,
      e.name.span,
      advice,
    );
  }
  return refuse(
    place,
    "E0410",
    `${showType(base.type)} has no member \`${e.name.text}\``,
    e.name.span,
    {
      help: members ? `its members are \`.0\` to \`.${members.length - 1}\`` : undefined,
    },
  );
}
