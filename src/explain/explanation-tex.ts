// An explanation for papers and slides: a fragment of LaTeX that needs amsmath, amssymb and booktabs.

import type { CellAccount, Explanation, GradientStep, Ledger, PullbackStep } from "./explanation.ts";
import { contributionParts, show, stepRows } from "./explanation-text.ts";
import { codeTex, escapeTex, expressionTex, nameTex, statementTex } from "./tex.ts";

export function explanationTex(explanation: Explanation): string {
  const { of, wrt, gradients, source } = explanation;
  const title = `$\\partial ${nameTex(of)} / \\partial ${wrt.map(nameTex).join(", ")}$`;
  const lines = source.trimEnd().split("\n");
  return [
    "% needs \\usepackage{amsmath, amssymb, booktabs}",
    `\\subsection*{${title}}`,
    ...gradients.flatMap(gradientTex),
    "\\subsubsection*{The backward program}",
    "\\begin{verbatim}",
    ...lines,
    "\\end{verbatim}",
    "",
  ].join("\n");
}

function gradientTex(gradient: GradientStep): readonly string[] {
  const { value, pullbacks, lines, cell } = gradient;
  return [
    `\\subsubsection*{The gradient of $${nameTex(value)}$}`,
    ...pullbacks.flatMap(pullbackTex),
    ...(lines.length > 0 ? display(lines.map(statementTex)) : []),
    ...(cell ? cellTex(gradient, cell) : []),
  ];
}

function display(formulas: readonly string[]): readonly string[] {
  const [only] = formulas;
  if (formulas.length === 1) return ["\\begin{equation*}", `  ${only}`, "\\end{equation*}"];
  return ["\\begin{gather*}", formulas.map((formula) => `  ${formula}`).join(" \\\\\n"), "\\end{gather*}"];
}

function pullbackTex(pullback: PullbackStep): readonly string[] {
  const { forward, ledger } = pullback;
  if (forward.kind === "start") return [`What comes in from outside is $${expressionTex(pullback.sum)}$.`, ""];
  const line = forward.kind === "line" ? statementTex(forward.text) : codeTex(forward.text);
  const [hold, list, attach, multiply, sum] = stepRows(pullback);
  const { cells, incoming, local } = pullback;
  const every = cells.every.map((range) => rangeTex(range)).join(",\\; ");
  const where = cells.where.map(expressionTex).join(",\\; ");
  return [
    ...display([line]),
    ...ledgerTex(ledger),
    "\\begin{enumerate}",
    `  \\item ${hold![0]}: $${expressionTex(hold![1])}$.`,
    `  \\item ${list![0]}: $${expressionTex(cells.cell)}$${every ? ` for every $${every}$` : ""}${where ? ` where $${where}$` : ""}.`,
    `  \\item ${attach![0]}: ${incoming === undefined ? "$1$" : `$${expressionTex(incoming)}$`}.`,
    `  \\item ${multiply![0]}: $${local === undefined ? "1" : expressionTex(local)}$.`,
    `  \\item ${escapeTex(sum![0])}: $${expressionTex(pullback.sum)}$.`,
    "\\end{enumerate}",
  ];
}

/** `j in 0..4` as a membership. */
function rangeTex(range: string): string {
  const [, name = range, from = "0", to = ""] = /^(\w+) in (.*)\.\.(.*)$/.exec(range) ?? [];
  return `${nameTex(name)} \\in [${expressionTex(from)},\\, ${expressionTex(to)})`;
}

function ledgerTex({ output, operand, path, kept, consumed, restored, supplied, guards }: Ledger): readonly string[] {
  const set = (names: readonly string[]): string =>
    names.length === 0 ? "\\varnothing" : `\\{${names.map(nameTex).join(",\\, ")}\\}`;
  const rows = [
    `output & $${set(output)}$`,
    `operand & $${set(operand)}$`,
    `path & $${set(output)} \\setminus ${set(operand)}$: collect $${set(path)}$`,
    `kept & $${set(kept)}$`,
    ...(consumed.length > 0 ? [`consumed & $${set(consumed)}$, restored $${set(restored)}$`] : []),
    ...supplied
      .filter(({ by }) => by.length > 0)
      .map(({ coordinate, by }) => `supplied & $${nameTex(coordinate)}$ by $${by.map(expressionTex).join(",\\, ")}$`),
    ...guards.map((guard) => `guard & $${expressionTex(guard)}$`),
  ];
  return [
    "\\begin{center}\\begin{tabular}{ll}",
    "\\toprule",
    ...rows.map((row) => `${row} \\\\`),
    "\\bottomrule",
    "\\end{tabular}\\end{center}",
  ];
}

function cellTex(
  { value, gradient }: GradientStep,
  { type, position, contributions, value: total }: CellAccount,
): readonly string[] {
  const at = position.length > 0 ? `[${position.join(", ")}]` : "";
  const rows = contributions.map((contribution) => {
    const [formula, numbers, product] = contributionParts(type, contribution);
    return `$${expressionTex(contribution.cell)}$ & $${expressionTex(formula)}$ & $${numbers.replace(/\*/g, "\\cdot")} = ${product}$ \\\\`;
  });
  return [
    `\\paragraph{$${expressionTex(`${value}${at}`)}$ in numbers}`,
    "\\begin{center}\\begin{tabular}{lll}",
    "\\toprule",
    ...rows,
    "\\midrule",
    ` & & $${expressionTex(`${gradient}${at}`)} = ${show(type, total)}$ \\\\`,
    "\\bottomrule",
    "\\end{tabular}\\end{center}",
  ];
}
