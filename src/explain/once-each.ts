// Derived definitions that say the same are written once.

import { keyOf as termKey, ofVariable, variable, type Variable } from "../ir/affine/term.ts";
import { keyOf } from "../ir/keys.ts";
import { mapParts } from "../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { callsOf, readsOfFunction } from "../ir/references.ts";
import { copied, instantiate, integerScalar } from "../ir/substitute.ts";

/** Looks at definitions without those that repeat an earlier one, as long as that takes; some stay whatever they say. */
export function onceEach<T>(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
  look: (left: readonly Definition[]) => T,
): T {
  const before = definitions.map(({ clauses }) => clauses);
  const called = new Set(definitions.flatMap((each) => [...callsOf(each)].flatMap((of) => [...readsOfFunction(of)])));
  let left = definitions;
  for (;;) {
    const first = new Map<string, Definition>();
    const repeated = new Map<Definition, Definition>();
    for (const definition of left) {
      const key = textOf(definition);
      const other = first.get(key);
      if (!other) first.set(key, definition);
      else if (!isStaying(definition) && !called.has(definition)) repeated.set(definition, other);
    }
    if (repeated.size === 0) break;
    left = left.filter((definition) => !repeated.has(definition));
    for (const definition of left) definition.clauses = definition.clauses.map((clause) => reading(clause, repeated));
  }
  try {
    return look(left);
  } finally {
    for (const [k, definition] of definitions.entries()) definition.clauses = before[k]!;
  }
}

/** One for each place among the coordinates of a clause. */
const places: Variable[] = [];

/** A text that is the same for definitions that say the same, whatever their coordinates are called. */
function textOf({ element, axes, clauses }: Definition): string {
  const extents = axes.map(({ extent }) => termKey(extent));
  return [element, ...extents, ...clauses.map(clauseText)].join(";");
}

function clauseText({ loops, guards, body, otherwise }: Clause): string {
  const by = new Map<Variable, Scalar>();
  const text = (scalar: Scalar): string => keyOf(instantiate(scalar, by));
  const range = (loop: Loop): string => {
    places[by.size] ??= variable(`place_${by.size}`);
    const bounds = `${text(loop.from)}..${text(loop.to)}${loop.reversed ? " down" : ""}`;
    by.set(loop.variable, integerScalar(ofVariable(places[by.size]!)));
    return bounds;
  };
  const left = loops.map(range);
  const reduced =
    body.kind === "reduce" ? [body.reduction, ...body.loops.map(range), "|", ...body.guards.map(text)] : [];
  const rest = [...guards, body.value, ...(otherwise ? [otherwise] : [])].map(text);
  return [...left, "|", ...reduced, "|", ...rest].join(",");
}

/** A clause that reads others in the place of some definitions. */
function reading(clause: Clause, instead: ReadonlyMap<Definition, Definition>): Clause {
  const locals = new Map<Parameters<typeof copied>[0], ReturnType<typeof copied>>();
  const change = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, change, locals) };
    const inside = mapParts(scalar, change);
    return inside.kind === "read"
      ? { ...inside, definition: instead.get(inside.definition) ?? inside.definition }
      : inside;
  };
  const walked = (loop: Loop): Loop => ({ ...loop, from: change(loop.from), to: change(loop.to) });
  const { loops, guards, body, otherwise } = clause;
  const value = change(body.value);
  return {
    ...clause,
    loops: loops.map(walked),
    guards: guards.map(change),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, loops: body.loops.map(walked), guards: body.guards.map(change) },
    ...(otherwise ? { otherwise: change(otherwise) } : {}),
  };
}
