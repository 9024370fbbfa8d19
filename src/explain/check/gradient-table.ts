// Prints the numerical check of every derivative as a table, and below the table the details of
// those that fail.

import type { GradientReport } from "./check-gradients.ts";
import { plain, type Style } from "../ledger/text.ts";

export function gradientTable(reports: readonly GradientReport[], style: Style = plain): string {
  if (reports.length === 0) return "there are no derivatives to check\n";
  const head = [
    "line",
    "request",
    "shape",
    "largest relative error",
    "adjoint residual",
    "verdict",
  ];
  const rows = reports.map((report) => [
    String(report.line),
    requestText(report),
    report.shape ? `[${report.shape.join(", ")}]` : "-",
    report.error === null ? "-" : size(report.error),
    report.adjoint === null ? "-" : size(report.adjoint),
    verdict(report),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]!.length)),
  );
  const laid = (row: readonly string[]): string =>
    row
      .map((text, column) =>
        column === 0 ? text.padStart(widths[column]!) : text.padEnd(widths[column]!),
      )
      .join("  ")
      .trimEnd();
  const wrong = reports.flatMap((report) => {
    const detail = detailOf(report);
    return detail === undefined ? [] : [`line ${report.line}: ${requestText(report)}${detail}`];
  });
  const lines = [
    style.heading(laid(head)),
    ...rows.map(laid),
    ...(wrong.length > 0 ? ["", ...wrong] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function requestText({ of, wrt }: GradientReport): string {
  return `@${of} / @${wrt}`;
}

function size(error: number): string {
  if (error === Infinity) return "not finite";
  return Number.isFinite(error) && error !== 0 ? error.toExponential(1) : String(error);
}

function verdict({ ok, why, skipped, shape }: GradientReport): string {
  // A run that fails says nothing about the derivative, and numbers that are not finite say nothing
  // either.
  if (!ok) return shape ? "WRONG" : "not computed";
  if (why !== undefined) return `skipped: ${why}`;
  return skipped > 0 ? `agrees, ${skipped} ${skipped === 1 ? "cell" : "cells"} skipped` : "agrees";
}

/** The worst cell with both numbers, and the first value whose derivative is wrong. */
function detailOf({
  ok,
  worst,
  why,
  help,
  adjoint,
  term,
  shape,
}: GradientReport): string | undefined {
  if (ok) return undefined;
  const first = term === undefined ? "" : `; first wrong at ${term}`;
  if (worst) {
    const at = worst.cell.length > 0 ? ` at [${worst.cell.join(", ")}]` : "";
    return `${at}: derived ${worst.derived}, measured ${worst.measured}${first}`;
  }
  if (!shape && why !== undefined) return `: ${why}${help === undefined ? "" : `; ${help}`}`;
  return `: forward and reverse mode are ${adjoint === null ? "" : size(adjoint)} apart${first}`;
}
