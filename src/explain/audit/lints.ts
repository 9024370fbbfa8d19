// The lints of an audit: programs that compile and may still not say what the author meant.

import { statementsOf } from "../../check/lints/allow.ts";
import { namesOf } from "../../check/names/free-names.ts";
import { warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { prove, type Fact } from "../../affine/prove.ts";
import { equal, ofVariable, constantOf, type Variable } from "../../affine/term.ts";
import { show } from "../../affine/show.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import { factsOf, loopFacts, newOpaque } from "../../analyse/facts.ts";
import { printOperand } from "../../print/print.ts";
import { allLoops, readsIn, scalarsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { reductionRow, type ReductionName } from "../../scalar/reductions.ts";
import { textOf, type Source, type Span } from "../../base/source.ts";
import { statementAround } from "../source/statement-at.ts";
import {
  isNamed,
  isOwn,
  ownValues,
  usesIn,
  variablesIn,
  type Audited,
  type Use,
} from "../source/uses.ts";

export function lintsOf(audited: Audited): readonly Diagnostic[] {
  const own = audited.written.filter((definition) => isOwn(definition) && !definition.request);
  const named = new Set([...audited.program.outputs.values()].map(({ definition }) => definition));
  const known = knownOfSizes(audited.program, audited.extents);
  const found = [
    ...own.flatMap((definition) =>
      definition.clauses.flatMap((clause) => exchanges(clause, named)),
    ),
    ...ownValues(audited).flatMap((definition) => oddOnesOut(audited, definition)),
    ...own.flatMap((definition) => definition.clauses.flatMap((clause) => idleReductions(clause))),
    ...own.flatMap((definition) =>
      definition.clauses.flatMap((clause) => hopelessGuards(clause, known)),
    ),
    ...[...new Set(own.map(({ span }) => span.source))].flatMap(unusedCoordinates),
  ];
  return withoutDuplicates(found);
}

/** A function that is called twice gives each of its diagnostics only once. */
function withoutDuplicates(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return found.filter(({ code, span }) => {
    const key = `${code}:${span?.source.name}:${span?.start}:${span?.end}`;
    return !seen.has(key) && seen.add(key);
  });
}

// ── W0303: an exchange that would check as well ─────────────────────────────────────────────────

type Read = Extract<Scalar, { kind: "read" }>;

/**
 * Warns about `a[i, j]` if `a[j, i]` would compile as well. A literal without a name stands at the
 * place where it is read, so nothing can be confused.
 */
function exchanges(clause: Clause, named: ReadonlySet<Definition>): readonly Diagnostic[] {
  const loops = allLoops(clause);
  const seen = new Set<Definition>();
  return readsIn(scalarsOf(clause)).flatMap((read) => {
    const bare = read.indices.map((index) => coordinateOf(index, loops));
    const pair = exchangeable(read.definition, bare);
    const isWritten = read.definition.origin === "literal" && !named.has(read.definition);
    if (!pair || isWritten || !isNamed(read.definition) || seen.has(read.definition)) return [];
    if (!isSpelledOut(clause, read, [bare[pair[0]]!.name, bare[pair[1]]!.name])) return [];
    if (isDiagonalPair(clause, read, pair)) return [];
    seen.add(read.definition);
    return [exchange(read, bare, pair)];
  });
}

/**
 * Are the two coordinates written at the read? `a + b` names no coordinates. If a function reads
 * its argument, the coordinates stand in the function.
 */
function isSpelledOut(
  { span }: Clause,
  read: Read,
  [left, right]: readonly [string, string],
): boolean {
  const isBare = /^\w+$/.test(textOf(read.span));
  const text = isBare ? textOf(statementAround(span)?.span ?? span) : textOf(read.span);
  const inside = `[^\\]]*\\b${left}\\b[^\\]]*\\b${right}\\b[^\\]]*`;
  return new RegExp(
    isBare ? `(?<!\\blet\\s+)\\b\\w+\\[${inside}\\](?!\\()` : `\\[${inside}`,
    "s",
  ).test(text);
}

function coordinateOf(index: Scalar, loops: readonly Loop[]): Variable | undefined {
  if (index.kind !== "integer") return undefined;
  return loops.find(({ variable }) => equal(index.term, ofVariable(variable)))?.variable;
}

/**
 * Two axes that have equal extents and are read with two coordinates that are not the names of the
 * axes.
 */
function exchangeable(
  { axes }: Definition,
  bare: readonly (Variable | undefined)[],
): readonly [number, number] | undefined {
  for (let a = 0; a < axes.length; a++) {
    for (let b = a + 1; b < axes.length; b++) {
      const [left, right] = [bare[a], bare[b]];
      if (!left || !right || left.name === right.name || !equal(axes[a]!.extent, axes[b]!.extent))
        continue;
      if ((constantOf(axes[a]!.extent) ?? 2) <= 1) continue;
      // The axes of a pack are written as one name and cannot be exchanged.
      if (left.pack !== undefined || right.pack !== undefined) continue;
      if (axes[a]!.name === left.name && axes[b]!.name === right.name) continue;
      return [a, b];
    }
  }
  return undefined;
}

/**
 * A clause that reads both `a[i, j]` and `a[j, i]` does so on purpose: `(a[i, j] + a[j, i]) / 2.0`.
 */
function isDiagonalPair(clause: Clause, read: Read, [a, b]: readonly [number, number]): boolean {
  const text = (index: Scalar): string => printOperand(index);
  return readsIn(scalarsOf(clause)).some(
    (other) =>
      other.definition === read.definition &&
      text(other.indices[a]!) === text(read.indices[b]!) &&
      text(other.indices[b]!) === text(read.indices[a]!),
  );
}

function exchange(
  read: Read,
  bare: readonly (Variable | undefined)[],
  [a, b]: readonly [number, number],
): Diagnostic {
  const { definition } = read;
  const [left, right] = [bare[a]!.name, bare[b]!.name];
  const swapped = {
    ...read,
    indices: read.indices.map((index, k) => read.indices[k === a ? b : k === b ? a : k] ?? index),
  };
  const extent = show(definition.axes[a]!.extent);
  const named = definition.axes.map((axis, k) => bare[k]?.name ?? axis.name ?? "?").join(", ");
  return warning(
    "W0303",
    `\`${left}\` and \`${right}\` have the same extent, ${extent}: ` +
      `\`${printOperand(swapped)}\` would check as well as \`${printOperand(read)}\``,
    read.span,
    {
      labels: [
        {
          span: definition.span,
          text: `the axes of \`${definition.name}\` do not say which is which`,
        },
      ],
      help:
        "give its axes the names under which they are read: " +
        `\`[${definition.element}; ${named}]\``,
    },
  );
}

// ── W0304: the odd one out ──────────────────────────────────────────────────────────────────────

/**
 * Warns about a term of a sum that omits a coordinate which all other values of the declaration
 * have. A factor may omit a coordinate, because the other factors have it.
 */
function oddOnesOut(audited: Audited, definition: Definition): readonly Diagnostic[] {
  const uses = usesIn(audited, definition);
  const left = new Set(
    definition.clauses.flatMap(({ loops }) => loops.map((loop) => loop.variable.name)),
  );
  return [...left].flatMap((coordinate) => {
    const lacking = uses.filter(({ omits }) => omits.includes(coordinate));
    const [odd] = lacking;
    const others = new Set(
      uses
        .map(({ pullback }) => pullback.read.definition)
        .filter((other) => other !== odd?.pullback.read.definition),
    );
    if (
      !odd ||
      others.size < 2 ||
      lacking.some(({ pullback }) => others.has(pullback.read.definition))
    )
      return [];
    if (variablesIn(odd.pullback.local).some((v) => v.name === coordinate) && !isAdded(odd, uses))
      return [];
    const { read } = odd.pullback;
    return [
      warning(
        "W0304",
        `\`${printOperand(read)}\` omits \`${coordinate}\`, ` +
          `which every other value in \`${definition.name}\` has`,
        read.span,
        {
          text:
            `the same for every \`${coordinate}\`; ` +
            `${[...others].map(({ name }) => `\`${name}\``).join(" and ")} are not`,
          help:
            `if \`${read.definition.name}\` should depend on \`${coordinate}\`, ` +
            `give it that axis; as it stands, its gradient is summed over \`${coordinate}\``,
        },
      ),
    ];
  });
}

/** The terms of one sum have equal local derivatives, whatever the sum is used for. */
function isAdded(term: Use, uses: readonly Use[]): boolean {
  const localOf = ({ pullback }: Use): string => printOperand(pullback.local);
  return uses.some((other) => other !== term && localOf(other) === localOf(term));
}

// ── W0305: a reduction over what does not vary ──────────────────────────────────────────────────

function idleReductions({ body }: Clause): readonly Diagnostic[] {
  if (body.kind !== "reduce") return [];
  const used = new Set(
    [body.value, ...body.guards, ...body.loops.flatMap((loop) => [loop.from, loop.to])].flatMap(
      variablesIn,
    ),
  );
  return body.loops
    .filter((loop) => !used.has(loop.variable))
    .map(({ variable }) =>
      warning(
        "W0305",
        `what this \`${body.reduction}\` goes over is the same for every \`${variable.name}\``,
        body.span,
        {
          help: idleHelp(body.reduction, variable.name),
        },
      ),
    );
}

/** What to write instead of the reduction depends on what the reduction does with equal terms. */
function idleHelp(reduction: ReductionName, coordinate: string): string {
  const leave = `leave \`${coordinate}\` out of the bracket`;
  const instead = reductionRow(reduction).repeated?.(`extent(${coordinate})`);
  if (instead === undefined) return `${leave}: the result is the same without it`;
  return `${leave}; if the repetitions are meant to count, ${instead} instead`;
}

// ── W0306: a guard that is never true ───────────────────────────────────────────────────────────

function hopelessGuards(clause: Clause, known: readonly Fact[]): readonly Diagnostic[] {
  const opaque = newOpaque();
  const found: Diagnostic[] = [];
  const walk = (
    loops: readonly Loop[],
    guards: readonly Scalar[],
    before: readonly Fact[],
  ): readonly Fact[] => {
    let facts = [...before, ...loopFacts(opaque, loops, before)];
    for (const guard of guards) {
      const claimed = factsOf(opaque, guard, true, facts);
      const isFalse =
        guard.kind === "constant"
          ? guard.value === false
          : claimed.some((fact, k) => prove(fact, [...facts, ...claimed.slice(0, k)]) === "false");
      const inSource = isFalse ? guardInSource(guard, clause) : undefined;
      if (inSource)
        found.push(
          warning("W0306", `${inSource.words} is never true`, inSource.span, {
            text: "every element is filtered out",
            help: "compare it with the ranges of its coordinates",
          }),
        );
      facts = [...facts, ...claimed];
    }
    return facts;
  };
  const inside = walk(clause.loops, clause.guards, known);
  if (clause.body.kind === "reduce" && found.length === 0)
    walk(clause.body.loops, clause.body.guards, inside);
  return found;
}

/**
 * The place of a guard in the source. A guard that the compiler has folded to `false` has no span.
 * A statement without `where` has no guard that the author wrote.
 */
function guardInSource(
  guard: Scalar,
  { span: own }: Clause,
): { readonly words: string; readonly span: Span } | undefined {
  if ("span" in guard && guard.span)
    return { words: `the guard \`${textOf(guard.span)}\``, span: guard.span };
  const around = statementAround(own)?.span;
  const where = around && /\bwhere\b/.exec(textOf(around));
  if (!where) return undefined;
  const written = /\bfalse\b/.exec(textOf(around).slice(where.index));
  if (!written) return { words: "a guard of this statement", span: around };
  const start = around.start + where.index + written.index;
  return { words: "the guard `false`", span: { ...around, start, end: start + "false".length } };
}

// ── W0501: a coordinate argument that nothing uses ──────────────────────────────────────────────

function unusedCoordinates(source: Source): readonly Diagnostic[] {
  return statementsOf(source).flatMap((statement) => {
    if (statement.kind !== "fn") return [];
    const { read, bound } = namesOf(statement.body);
    const used = new Set([...bound, ...read.map(({ text }) => text)]);
    return statement.coordinates
      .filter(({ name }) => !used.has(name.text))
      .map(({ name, pack, span }) =>
        warning(
          "W0501",
          `the body of \`${statement.name.text}\` never uses the coordinate \`${name.text}\``,
          span,
          {
            help:
              `leave \`${pack ? ".." : ""}${name.text}\` out of the bracket: ` +
              "in a type it is a dimension name all the same",
          },
        ),
      );
  });
}
