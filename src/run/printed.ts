// What a run shows: the parts of a `print` with their values, and the message of an assertion that
// fails.

import type { Printed, PrintedPart } from "../backends/results.ts";
import { error, Fault } from "../diagnostics/diagnostic.ts";
import { failed } from "../base/failure.ts";
import { formatScalar } from "../scalar/values/format-spec.ts";
import { parseFormatSpec } from "../base/format-spec.ts";
import { showCells, showTensor } from "../scalar/values/show.ts";
import { at, subTensor, type TensorValue } from "../scalar/values/value.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Definition, HostPart, Program, Scalar } from "../ir/program.ts";
import { isWritten } from "../analyse/written-names.ts";
import { quoted } from "../syntax/lex/escape.ts";
import type { Span } from "../base/source.ts";
import type { Engine } from "../backends/order.ts";
import { coordinates } from "../backends/interpret/blame.ts";
import type { Machine } from "../backends/interpret/machine.ts";
import { comparisonsIn, operandsOf } from "../backends/interpret/scalars/operands.ts";
import { prepareLoop, walkLoops, type Reduction } from "../backends/interpret/reduce.ts";
import { compile } from "../backends/interpret/scalars/scalars.ts";

/**
 * The parts of a `print` with their values. `at` has the position along the first axes, for parts
 * inside a list.
 */
export function printedPartsOf(
  engine: Engine,
  parts: readonly HostPart[],
  at: readonly number[],
): readonly PrintedPart[] {
  return parts.flatMap((part): readonly PrintedPart[] => {
    switch (part.kind) {
      case "text":
        return [part];
      case "value": {
        const names = part.definition.axes.slice(at.length).map((axis) => axis.name);
        return [{ kind: "value", value: subTensor(engine(part.definition), at), names }];
      }
      case "derivation":
        return [{ kind: "text", text: `@${part.of.name}` }];
      case "each": {
        const length = engine(part.over).shape[at.length]!;
        const items = Array.from({ length }, (_, k) =>
          textIn(printedPartsOf(engine, part.parts, [...at, k])),
        );
        return [{ kind: "text", text: `[${items.join(", ")}]` }];
      }
      case "rows":
        return [{ kind: "text", text: rowsText(part.starts.map(engine), engine(part.flat)) }];
      case "quoted":
        return [{ kind: "text", text: quotedText(printedPartsOf(engine, part.parts, at)) }];
      case "formatted":
        return [
          { kind: "text", text: formatted(printedPartsOf(engine, part.parts, at), part.format) },
        ];
      case "choice":
        return printedPartsOf(
          engine,
          isTrue(engine, part.condition, at) ? part.then : part.otherwise,
          at,
        );
      default:
        return part satisfies never;
    }
  });
}

export function isTrue(
  engine: Engine,
  condition: Definition,
  position: readonly number[] = [],
): boolean {
  // A condition on the whole list has no axis for the list, and is the same for all elements.
  const value = engine(condition);
  return at(subTensor(value, position.slice(0, value.shape.length)), 0) === true;
}

/** Ragged rows as nested brackets. An entry of one level is a row of the next level. */
function rowsText(starts: readonly TensorValue[], flat: TensorValue): string {
  const shown = (from: number, to: number, level: number): string => {
    const { data } = starts[level] ?? {};
    if (!data)
      return showTensor({ dtype: flat.dtype, shape: [to - from], data: flat.data.slice(from, to) });
    const rows = Array.from({ length: to - from }, (_, k) =>
      shown(Number(data[from + k]), Number(data[from + k + 1]), level + 1),
    );
    return `[${rows.join(", ")}]`;
  };
  return shown(0, starts[0]!.data.length - 1, 0);
}

/** A number in its format; anything else is formatted as text. */
function formatted(parts: readonly PrintedPart[], format: string): string {
  const spec = parseFormatSpec(format);
  const [only] = parts;
  if (failed(spec)) return textIn(parts);
  if (parts.length === 1 && only?.kind === "value" && only.value.shape.length > 0) {
    return showCells(only.value, (cell) => formatScalar(spec, only.value.dtype, cell));
  }
  if (parts.length === 1 && only?.kind === "value" && only.value.shape.length === 0)
    return formatScalar(spec, only.value.dtype, at(only.value, 0));
  return formatScalar(spec, "str", textIn(parts));
}

/** A text in quotes. The texts of an array are shown in quotes anyway. */
function quotedText(parts: readonly PrintedPart[]): string {
  const [only] = parts;
  const isArray = parts.length === 1 && only?.kind === "value" && only.value.shape.length > 0;
  return isArray ? textIn(parts) : quoted(textIn(parts));
}

export function textIn(parts: readonly PrintedPart[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : showTensor(part.value))).join("");
}

/** Joins the arguments of a `print` with spaces. */
export function printed(values: readonly (readonly PrintedPart[])[]): Printed {
  const parts = values.flatMap((parts, k): PrintedPart[] =>
    k === 0 ? [...parts] : [{ kind: "text", text: " " }, ...parts],
  );
  return { text: textIn(parts), parts };
}

export function failedAssertion(
  machine: Machine,
  engine: Engine,
  { condition, message, span }: Extract<Program["actions"][number], { kind: "assert" }>,
): Fault {
  const said = printed([printedPartsOf(engine, message, [])]).text;
  const values = condition.clauses.flatMap(({ body }) => {
    if (body.kind === "reduce" && body.reduction === "all")
      return firstFailure(machine, engine, body, condition.span);
    return comparedIn(machine, body.value);
  });
  return new Fault(
    error("E0905", said ? `assertion failed: ${said}` : "assertion failed", span, {
      text: [...new Set(values)].join(", "),
    }),
  );
}

function comparedIn(machine: Machine, condition: Scalar): readonly string[] {
  const compared = comparisonsIn(machine, condition);
  return compared.length > 0 ? compared : operandsOf(machine, condition);
}

/**
 * If an assertion demands that all cells are true: the position of the first false cell, and the
 * values that it compares.
 */
function firstFailure(
  machine: Machine,
  engine: Engine,
  body: Reduction,
  span: Span,
): readonly string[] {
  try {
    // Kernels may have computed the condition without computing the cells that it reads.
    eachScalar(body.value, (part) => void (part.kind === "read" && engine(part.definition)));
    const loops = body.loops.map((loop) => prepareLoop(machine, loop));
    const guards = body.guards.map((guard) => compile(machine, guard));
    const holds = compile(machine, body.value);
    let found: readonly string[] | undefined;
    walkLoops(machine, loops, () => {
      if (found || !guards.every((guard) => guard()) || holds()) return;
      found = [failurePlace(machine, body, span), ...comparedIn(machine, body.value)];
    });
    return found ?? [];
  } catch (fault) {
    // Values that cannot be computed again are left out: the assertion has failed anyway.
    if (fault instanceof Fault) return [];
    throw fault;
  }
}

/** `i = 1, j = 2` if the source names the coordinates, otherwise `at [1, 2]`. */
function failurePlace(machine: Machine, { loops }: Reduction, span: Span): string {
  if (loops.every(({ variable }) => isWritten(variable.name, [span])))
    return coordinates(machine, loops).join(", ");
  const position = loops.map(({ variable }) => machine.values[machine.slotOf(variable)]!);
  return `at [${position.join(", ")}]`;
}
