// The result that a function is declared to have, where its value has another rank.
//
//   fn f(x: [f32; n]) -> f32 { x * 2.0 }       -> [f32; n]
//   fn f(x: [f32; n]) -> f32 { x[i] * 2.0 }    -> [f32; n] { let y[i] = x[i] * 2.0; y }

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { constantOf, equal, subtract } from "../../affine/term.ts";
import { statementsOf } from "../lints/allow.ts";
import { freshNames } from "../names/fresh-names.ts";
import { indexNodes, namesOf } from "../names/free-names.ts";
import { dimensionNamed, lookUp, type Scope } from "../names/scope.ts";
import { sameDomain, showElement, type Type } from "../types/types.ts";

/** The type of the value behind `->`: its axes have the names that the parameters give them. */
export function declaredAs(scope: Scope, type: Type, declared: ast.Type): Repair {
  if (type.kind !== "tensor" || hasTakenName(scope, declared)) return {};
  const { span: place } = declared;
  const element = showElement(type.element);
  const { text: program } = place.source;
  const head = program.slice(program.lastIndexOf("fn ", place.start), place.start);
  const layouts = [...head.matchAll(/\[\w+;([^[\]]*)\]/g)].map(([, dims = ""]) =>
    dims.split(",").map((dim) => dim.trim()),
  );
  const names = [...new Set(layouts.flat())].filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const walked = type.axes.map(({ domain }) =>
    names.find((name) => {
      const dimension = dimensionNamed(scope, name);
      return domain !== undefined && sameDomain(dimension?.domain, domain);
    }),
  );
  const alike = new Set(
    layouts.flatMap((dims) => (dims.length === type.axes.length ? [dims.join(", ")] : [])),
  );
  const [only, ...others] = alike;
  const mayBe = (dims: string): boolean =>
    !dims.includes("..") &&
    dims.split(", ").every((dim, k) => {
      const [own, its] = [dimensionNamed(scope, dim)?.extent, type.axes[k]?.extent];
      return !own || !its || constantOf(subtract(own, its)) === undefined || equal(own, its);
    });
  const isOne = only !== undefined && others.length === 0 && mayBe(only);
  const dims = walked.every((name) => name !== undefined) ? walked.join(", ") : undefined;
  const shown = dims ?? (isOne ? only : type.axes.map(() => "?").join(", "));
  const text = type.axes.length === 0 ? element : `[${element}; ${shown}]`;
  const help = `declare the type of the value, \`-> ${text}\``;
  return { help, ...fixed(`declare \`${text}\``, replace(place, text)) };
}

/** Whether a name in the type is bound to something that is no dimension: that is the mistake. */
function hasTakenName(scope: Scope, declared: ast.Type): boolean {
  const dims = (declared.kind === "tensor" && declared.dims) || [];
  return dims.some((dim) => dim.kind === "name" && !dimensionNamed(scope, dim.name.text));
}

/** For a coordinate that stands free in the value of a function: the cells get a tensor's name. */
export function namedResult(scope: Scope, { text: name, span }: ast.Name): Repair | undefined {
  const around = statementsOf(span.source).findLast(
    (each) => each.span.start <= span.start && span.end <= each.span.end,
  );
  const value = around?.kind === "fn" ? around.body.value : undefined;
  if (around?.kind !== "fn" || !value || span.start < value.span.start) return undefined;
  const { bound } = namesOf(value);
  const reads = [...indexNodes(value)].sort((a, b) => a.span.start - b.span.start);
  const free = new Map<string, string>();
  for (const { base, items } of reads) {
    const parameter = around.parameters.find(({ name: own }) => own.text === textOf(base.span));
    const dims = parameter?.type?.kind === "tensor" ? parameter.type.dims : undefined;
    for (const [k, item] of items.entries()) {
      const own = textOf(item.span);
      if (item.kind !== "expression" || !/^[A-Za-z_]\w*$/.test(own)) continue;
      if (bound.has(own) || lookUp(scope, own)) continue;
      const dim = dims && dims.length === items.length ? textOf(dims[k]!.span) : "?";
      if (!free.has(own) || free.get(own) === "?") free.set(own, dim);
    }
  }
  if (!free.has(name)) return undefined;
  const whole = textOf(value.span);
  const [tensor] = freshNames(1, textOf(around.span), "yrsz");
  const body = `let ${tensor}[${[...free.keys()].join(", ")}] = ${whole}; ${tensor}`;
  const element = /^\[?\s*(\w+)/.exec(around.result ? textOf(around.result.span) : "")?.[1];
  const type = `[${element}; ${[...free.values()].join(", ")}]`;
  const declared = around.result?.span;
  const isDeclared = !declared || textOf(declared) === type;
  const edits = isDeclared ? [] : [replace(declared, type)];
  const way = isDeclared ? `\`${body}\`` : `\`-> ${type} { ${body} }\``;
  if (whole.includes("\n") || whole.length > 80) return undefined;
  const each = [...free.keys()].join("`, `");
  const one = `for one number reduce, \`sum[${name}](…)\``;
  return {
    help: `for a value at each \`${each}\` write ${way}; ${one}`,
    ...fixed(`write ${way}`, ...edits, replace(value.span, body)),
  };
}
