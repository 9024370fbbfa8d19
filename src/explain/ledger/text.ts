// Prints an explanation for a terminal: forward lines, ledgers and steps, in the order in which the
// backward program is derived.

import type { ElementType, Scalar as Value } from "../../scalar/types.ts";
import { showScalar } from "../../scalar/values/show.ts";
import type {
  CellAccount,
  Contribution,
  Explanation,
  GradientStep,
  Ledger,
  PullbackStep,
} from "./explanation.ts";

/** How headings, code and notes are set off. Plain text leaves them as they are. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly code: (text: string) => string;
  readonly faint: (text: string) => string;
}

export const plain: Style = {
  heading: (text) => text,
  code: (text) => text,
  faint: (text) => text,
};

export function explanationText(explanation: Explanation, style: Style = plain): string {
  const { request, of, gradients, independent, drawn, source } = explanation;
  const lines = [style.heading(request), ""];
  if (drawn.length > 0) lines.push(drawnText(drawn), "");
  for (const gradient of gradients) lines.push(...gradientLines(gradient, style), "");
  for (const name of independent)
    lines.push(`\`${of}\` does not depend on \`${name}\`: the derivative is 0.`, "");
  lines.push(
    style.heading("The backward program"),
    "",
    ...source
      .trimEnd()
      .split("\n")
      .map((line) => code(line, style)),
  );
  return `${lines.join("\n")}\n`;
}

/** Tells the reader which numbers of a held cell come from drawn values. */
export function drawnText(drawn: readonly string[]): string {
  const [one, many] = [drawn.slice(0, -1).join(", "), drawn.at(-1)!];
  const names = one === "" ? `${many} was` : `${one} and ${many} were`;
  const others = "(`--in` and `--set` give others)";
  return `${names} not given: the numbers come from drawn values ${others}.`;
}

function code(line: string, style: Style): string {
  return line === "" ? "" : `    ${style.code(line)}`;
}

function gradientLines(gradient: GradientStep, style: Style): readonly string[] {
  const { value, expression, gradient: name, pullbacks, lines, cell } = gradient;
  const several = pullbacks.length > 1;
  const called = expression === undefined ? value : `${value}, which is \`${expression}\``;
  const head =
    lines.length === 0
      ? `The gradient of ${called}${expression === undefined ? "" : ","} is ${name}, ` +
        "handed on as it is"
      : `The gradient of ${called}${several ? `, the sum of ${pullbacks.length} parts` : ""}`;
  return [
    style.heading(head),
    "",
    ...pullbacks.flatMap((pullback, k) => [
      ...(several ? [`Part ${k + 1}`, ""] : []),
      ...pullbackLines(pullback, style),
      "",
    ]),
    ...lines.map((line) => code(line, style)),
    ...(cell ? ["", ...cellLines(gradient, cell)] : []),
  ];
}

function pullbackLines(pullback: PullbackStep, style: Style): readonly string[] {
  const { forward, ledger } = pullback;
  const place = forward.line === undefined ? "" : style.faint(`  // line ${forward.line}`);
  if (forward.kind === "start")
    return [`  what comes in from outside: ${style.code(pullback.sum)}`];
  const through = forward.kind === "rule" ? ["  through the rule of a function:", ""] : [];
  return [
    ...through,
    ...forward.text.split("\n").map((line, k) => `${code(line, style)}${k === 0 ? place : ""}`),
    "",
    ...ledgerRows(forward.output, forward.read, ledger).map(
      ([head, set, note]) =>
        `  ${head.padEnd(10)}${note ? `${set.padEnd(16)}  ${style.faint(note)}` : set}`,
    ),
    "",
    ...stepRows(pullback).map(
      ([head, what], k) => `  ${k + 1}. ${head.padEnd(34)} ${style.code(what)}`,
    ),
    ...pullback.bindings.map((binding) => `     where ${style.code(binding)}`),
  ];
}

const set = (names: readonly string[]): string =>
  names.length === 0 ? "{}" : `{${names.join(", ")}}`;

/** The ledger as rows: the kind of coordinate, the coordinates, and an explanation. */
function ledgerRows(
  output: string,
  operand: string,
  ledger: Ledger,
): readonly (readonly [string, string, string?])[] {
  const { consumed, restored, path, kept, supplied, solved, guards, filters, ties } = ledger;
  const summed = consumed.filter((name) => !restored.includes(name));
  return [
    ["output", set(ledger.output), output],
    ["operand", set(ledger.operand), operand],
    [
      "path",
      set(path),
      path.length === 0 ? "nothing to collect" : "output minus operand: collected",
    ],
    ["kept", set(kept)],
    ...(consumed.length === 0
      ? []
      : ([
          [
            "consumed",
            set(consumed),
            "by the forward " +
              `reduction${restored.length > 0 ? `; restored: ${restored.join(", ")}` : ""}${
                summed.length > 0 ? `; summed again: ${summed.join(", ")}` : ""
              }`,
          ],
        ] as const)),
    ...supplied.map(
      ({ coordinate, by }) =>
        [
          "supplied",
          `{${coordinate}}`,
          by.length > 0 ? `by ${by.join(", ")}` : everywhere,
        ] as const,
    ),
    ...solved.map((each) => ["solved", solvedText(output, ledger, each)] as const),
    ...guards.map((guard) => ["guard", guard, "from inverting the index"] as const),
    ...filters.map((guard) => ["filter", guard, "of the forward program"] as const),
    ...ties.map((tie) => ["tie", tie, "only data can tell which"] as const),
  ];
}

/** For a coordinate that no factor of the line has. */
export const everywhere = "by no factor: every position gets the same";

/**
 * If the held cell has a coordinate of the same name, the output's coordinate is written `i of y`.
 */
export function solvedText(
  output: string,
  { held }: Ledger,
  { coordinate, value }: Ledger["solved"][number],
): string {
  return `${held.includes(coordinate) ? `${coordinate} of ${output}` : coordinate} = ${value}`;
}

/** The five steps: what is done, and the result. */
export function stepRows(pullback: PullbackStep): readonly (readonly [string, string])[] {
  const { hold, cells, incoming, local, over, sum, forward } = pullback;
  const every = cells.every.length > 0 ? ` for every ${cells.every.join(", ")}` : "";
  const where = cells.where.length > 0 ? ` where ${cells.where.join(", ")}` : "";
  return [
    ["Hold one cell", hold],
    ["List the output cells that read it", `${cells.cell}${every}${where}`],
    [
      "Attach the incoming gradient",
      incoming ?? `1, which is the gradient of ${forward.output} by itself`,
    ],
    ["Multiply by the local derivative", local ?? "1"],
    [over.length > 0 ? `Sum over ${over.join(", ")}` : "Nothing to sum over", sum],
  ];
}

// ── numbers ─────────────────────────────────────────────────────────────────────────────────────

function cellLines(
  { value, gradient, pullbacks }: GradientStep,
  cell: CellAccount,
): readonly string[] {
  const at = cell.position.length > 0 ? `[${cell.position.join(", ")}]` : "";
  const { contributions, type } = cell;
  const total = show(type, cell.value);
  if (contributions.length === 0)
    return [`  No cell reads ${value}${at}, so ${gradient}${at} = ${total}`];
  const rows = contributions.map((contribution) => [
    `${contribution.cell}${pullbacks.length > 1 ? ` (part ${contribution.through + 1})` : ""}`,
    ...contributionParts(type, contribution),
  ]);
  const sum = ["", "", `${gradient}${at}`, total];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...[...rows, sum].map((row) => (row[column] ?? "").length)),
  );
  const alignedRows = [...rows, sum].map((row) =>
    (
      `    ${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padEnd(widths[1]!)}  ` +
      `${(row[2] ?? "").padStart(widths[2]!)} = ${(row[3] ?? "").padStart(widths[3]!)}`
    ).trimEnd(),
  );
  const rule = `    ${"─".repeat(Math.max(...alignedRows.map((line) => line.length)) - 4)}`;
  return [`  ${value}${at} is read by`, "", ...alignedRows.slice(0, -1), rule, alignedRows.at(-1)!];
}

/** The factors with their indices, the factors as numbers, and their product. */
export function contributionParts(
  type: ElementType,
  { incoming, local, value }: Contribution,
): readonly [string, string, string] {
  const factors = [incoming, local].filter((factor) => factor !== undefined);
  const inParentheses = (text: string): string =>
    factors.length > 1 && /[-+/] /.test(text.replace(/\[[^\]]*\]/g, "")) ? `(${text})` : text;
  return [
    factors.map((factor) => inParentheses(factor.text)).join(" * ") || "1",
    factors.map((factor) => show(type, factor.value)).join(" * ") || "1",
    show(type, value),
  ];
}

export function show(type: ElementType, value: Value): string {
  return showScalar(type, value);
}
