// The names in the head of a function: a name stands for one parameter or for one axis.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import { errorCount, report, type Place } from "../context.ts";

type Head = Pick<ast.Fn, "coordinates" | "parameters">;

/**
 * Reports a name that stands for two parameters, or for a parameter and an axis. Answers whether
 * all names are right.
 */
export function checkParameterNames(place: Place, head: Head): boolean {
  if (hasDistinctNames(head)) return true;
  const said = errorCount(place);
  const parameters = new Map<string, Span>();
  for (const { name } of head.parameters) {
    const first = parameters.get(name.text);
    if (first === undefined) parameters.set(name.text, name.span);
    else if (name.text !== "" && name.text !== "_") {
      report(place, "E0203", `two parameters are called \`${name.text}\``, name.span, {
        labels: [{ span: first, text: "the first one" }],
        help: "give each parameter a name of its own",
      });
    }
  }
  const told = new Set<string>();
  for (const axis of axesOf(head)) {
    const parameter = parameters.get(axis.text);
    if (parameter === undefined || told.has(axis.text) || axis.text === "") continue;
    told.add(axis.text);
    report(place, "E0203", `\`${axis.text}\` is a parameter and the name of an axis`, axis.span, {
      labels: [{ span: parameter, text: "the parameter" }],
      help: `give one of the two another name; \`extent(…)\` of the axis's name is its size`,
    });
  }
  return errorCount(place) === said;
}

/** Whether all names are right. This quick test answers true for nearly every function. */
function hasDistinctNames({ coordinates, parameters }: Head): boolean {
  const isCalled = (text: string): boolean => parameters.some(({ name }) => name.text === text);
  const isTaken = (dim: ast.Dim): boolean => dim.kind === "name" && isCalled(dim.name.text);
  const isOnce = ({ name, type }: Head["parameters"][number], k: number): boolean =>
    parameters.findIndex((other) => other.name.text === name.text) === k &&
    !(type?.kind === "tensor" ? (type.dims ?? []) : []).some(isTaken);
  const isApart = coordinates.every(({ pack, name }) => pack || !isCalled(name.text));
  return isApart && parameters.every(isOnce);
}

/** The names of axes in the bracket and in the types of the parameters. */
function axesOf({ coordinates, parameters }: Head): readonly ast.Name[] {
  const own = coordinates.filter(({ pack }) => !pack).map(({ name }) => name);
  const typed = parameters.flatMap(({ type }) =>
    type?.kind === "tensor" ? (type.dims ?? []) : [],
  );
  return [...own, ...typed.flatMap((dim) => (dim.kind === "name" ? [dim.name] : []))];
}
