// Derived definitions that say the same are written once, and what is only another name for
// something goes by that one's.

import { keyOf as termKey, ofVariable, variable, zero, type Variable } from "../../affine/term.ts";
import { keyOf } from "../../ir/keys.ts";
import { bareVariable } from "../../print/scalar.ts";
import { mapParts } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { callsOf, readsOf, readsOfFunction } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";
import { copied, instantiate, integerScalar } from "../../ir/substitute.ts";

/**
 * Looks at definitions without those that repeat an earlier one or copy one, as long as that takes;
 * some stay whatever they say.
 */
export function onceEach<T>(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
  look: (left: readonly Definition[]) => T,
): T {
  const before = definitions.map(({ clauses }) => clauses);
  const inCalls = new Set(
    definitions.flatMap((each) => [...callsOf(each)].flatMap((of) => [...readsOfFunction(of)])),
  );
  // Ranges may be said in terms of a number.
  const isHeld = (each: Definition): boolean =>
    isStaying(each) || inCalls.has(each) || (each.axes.length === 0 && !isFloat(each.element));
  let left = definitions;
  for (;;) {
    const first = new Map<string, Definition>();
    const repeated = new Map<Definition, Definition>();
    for (const definition of left) {
      const key = textOf(definition);
      const other = copiedBy(definition) ?? first.get(key);
      if (!other) first.set(key, definition);
      else if (!isHeld(definition)) repeated.set(definition, other);
    }
    if (repeated.size === 0) break;
    left = left.filter((definition) => !repeated.has(definition));
    for (const definition of left)
      definition.clauses = definition.clauses.map((clause) => reading(clause, ends(repeated)));
  }
  left = withoutLastCopies(left, isHeld);
  try {
    return look(left);
  } finally {
    for (const [k, definition] of definitions.entries()) definition.clauses = before[k]!;
  }
}

/** Who stands for each in the end, where those that stand for some are stood for themselves. */
function ends(instead: ReadonlyMap<Definition, Definition>): ReadonlyMap<Definition, Definition> {
  const end = (definition: Definition): Definition => {
    const next = instead.get(definition);
    return next ? end(next) : definition;
  };
  return new Map([...instead.keys()].map((definition) => [definition, end(definition)]));
}

/** What a definition is only another name for, cell by cell. */
function copiedBy({ element, axes, clauses }: Definition): Definition | undefined {
  const [clause, ...others] = clauses;
  if (!clause || others.length > 0 || clause.guards.length > 0 || clause.body.kind !== "map")
    return undefined;
  const { value } = clause.body;
  if (value.kind !== "read" || value.type !== element || element === "data" || axes.length === 0)
    return undefined;
  const isSame = clause.loops.every(({ variable: v, from, to }, k) => {
    const extent = axes[k]!.extent;
    const isWhole =
      keyOf(from) === keyOf(integerScalar(zero)) && keyOf(to) === keyOf(integerScalar(extent));
    const there = value.definition.axes[k];
    const at = value.indices[k];
    return (
      isWhole && there && termKey(there.extent) === termKey(extent) && at && bareVariable(at) === v
    );
  });
  return isSame && value.indices.length === axes.length ? value.definition : undefined;
}

/** A definition that stays and copies one that nobody else reads says itself what that one says. */
function withoutLastCopies(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
): readonly Definition[] {
  const gone = new Set<Definition>();
  for (const definition of definitions) {
    const other = copiedBy(definition);
    // A list of numbers has no clauses.
    if (!other?.clauses.length || isStaying(other) || !definitions.includes(other)) continue;
    if (definitions.some((each) => each !== definition && readsOf(each).has(other))) continue;
    const names = definition.clauses[0]!.loops.map((loop) => loop.variable.name);
    definition.clauses = other.clauses.map((clause) => called(clause, names));
    gone.add(other);
  }
  return definitions.filter((definition) => !gone.has(definition));
}

/** A clause whose coordinates have other names. */
function called(clause: Clause, names: readonly string[]): Clause {
  const by = new Map<Variable, Scalar>();
  const renamed = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const loops = clause.loops.map((loop, k): Loop => {
    const own = variable(names[k]!);
    const made = { ...loop, variable: own, from: renamed(loop.from), to: renamed(loop.to) };
    by.set(loop.variable, integerScalar(ofVariable(own)));
    return made;
  });
  const { guards, body, otherwise } = clause;
  const walked = (loop: Loop): Loop => ({
    ...loop,
    from: renamed(loop.from),
    to: renamed(loop.to),
  });
  const value = renamed(body.value);
  return {
    ...clause,
    loops,
    guards: guards.map(renamed),
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, loops: body.loops.map(walked), guards: body.guards.map(renamed) },
    ...(otherwise ? { otherwise: renamed(otherwise) } : {}),
  };
}

/** One for each place among the coordinates of a clause. */
const places: Variable[] = [];

/**
 * A text that is the same for definitions that say the same, whatever their coordinates are called.
 */
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
    body.kind === "reduce"
      ? [body.reduction, ...body.loops.map(range), "|", ...body.guards.map(text)]
      : [];
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
