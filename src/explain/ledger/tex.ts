// Prints an explanation for papers and slides: a fragment of LaTeX that needs amsmath, amssymb and
// booktabs.

import type {
  CellAccount,
  Explanation,
  GradientStep,
  Ledger,
  PullbackStep,
} from "./explanation.ts";
import { contributionParts, drawnText, everywhere, show, stepRows } from "./text.ts";
import { codeTex, escapeTex, expressionTex, nameTex, statementTex } from "./notation.ts";

export function explanationTex(explanation: Explanation): string {
  const { request, of, wrt, gradients, independent, drawn, source } = explanation;
  const denominators = wrt.map((name) => `\\partial ${nameTex(name)}`).join(",\\, ");
  const title = /^@\w+ \//.test(request)
    ? `$\\partial ${nameTex(of)} / ${denominators}$`
    : codeTex(request);
  const lines = source.trimEnd().split("\n");
  return [
    "% needs \\usepackage{amsmath, amssymb, booktabs}",
    `\\subsection*{${title}}`,
    ...(drawn.length > 0 ? [proseTex(drawnText(drawn)), ""] : []),
    ...gradients.flatMap(gradientTex),
    ...independent.flatMap((name) => [
      `$${nameTex(of)}$ does not depend on $${nameTex(name)}$: the derivative is $0$.`,
      "",
    ]),
    "\\subsubsection*{The backward program}",
    "\\begin{verbatim}",
    ...lines,
    "\\end{verbatim}",
    "",
  ].join("\n");
}

/** Prose as TeX. Text between backticks is code. */
function proseTex(text: string): string {
  return text
    .split("`")
    .map((piece, k) => (k % 2 === 1 ? codeTex(piece) : escapeTex(piece)))
    .join("");
}

function gradientTex(gradient: GradientStep): readonly string[] {
  const { value, expression, gradient: name, pullbacks, lines, cell } = gradient;
  const several = pullbacks.length > 1;
  return [
    "\\subsubsection*{The gradient of " +
      `$${nameTex(value)}$${several ? `, the sum of ${pullbacks.length} parts` : ""}}`,
    ...(expression === undefined
      ? []
      : [`Here $${nameTex(value)}$ is ${codeTex(expression)}.`, ""]),
    ...(lines.length === 0 ? [`It is $${nameTex(name)}$, handed on as it is.`, ""] : []),
    ...pullbacks.flatMap((pullback, k) => [
      ...(several ? [`\\paragraph{Part ${k + 1}}`] : []),
      ...pullbackTex(pullback),
    ]),
    ...(lines.length > 0 ? display(lines.map(statementTex)) : []),
    ...(cell ? cellTex(gradient, cell) : []),
  ];
}

function display(formulas: readonly string[]): readonly string[] {
  const [only] = formulas;
  if (formulas.length === 1) return ["\\begin{equation*}", `  ${only}`, "\\end{equation*}"];
  return [
    "\\begin{gather*}",
    formulas.map((formula) => `  ${formula}`).join(" \\\\\n"),
    "\\end{gather*}",
  ];
}

function pullbackTex(pullback: PullbackStep): readonly string[] {
  const { forward, ledger } = pullback;
  if (forward.kind === "start")
    return [`What comes in from outside is $${expressionTex(pullback.sum)}$.`, ""];
  const line = forward.kind === "line" ? statementTex(forward.text) : codeTex(forward.text);
  const [hold, list, attach, multiply, sum] = stepRows(pullback);
  const { cells, incoming, local, over } = pullback;
  const summing = over.length > 0 ? `Sum over $${over.map(coordinateTex).join(",\\, ")}$` : sum![0];
  const every = cells.every.map((range) => rangeTex(range)).join(",\\; ");
  const where = cells.where.map(expressionTex).join(",\\; ");
  return [
    ...display([line]),
    ...ledgerTex(forward.output, ledger),
    "\\begin{enumerate}",
    `  \\item ${hold![0]}: $${expressionTex(hold![1])}$.`,
    `  \\item ${list![0]}: ` +
      `$${expressionTex(cells.cell)}$${every ? ` for every $${every}$` : ""}` +
      `${where ? ` where $${where}$` : ""}.`,
    `  \\item ${attach![0]}: ${incoming === undefined ? "$1$" : `$${expressionTex(incoming)}$`}.`,
    `  \\item ${multiply![0]}: $${local === undefined ? "1" : expressionTex(local)}$.`,
    `  \\item ${summing}: $${expressionTex(pullback.sum)}$.`,
    ...pullback.bindings.map((binding) => `  \\item[] where ${codeTex(binding)}`),
    "\\end{enumerate}",
  ];
}

/** A coordinate, or a pack of coordinates. */
function coordinateTex(name: string): string {
  return name.startsWith("..") ? `\\dots ${nameTex(name.slice(2))}` : nameTex(name);
}

/** `j in 0..4` is `j \in [0,\, 4)`. */
function rangeTex(range: string): string {
  if (range.startsWith("..")) return coordinateTex(range);
  const [, name = range, from = "0", to = ""] = /^(\w+) in (.*)\.\.(.*)$/.exec(range) ?? [];
  return `${nameTex(name)} \\in [${expressionTex(from)},\\, ${expressionTex(to)})`;
}

function ledgerTex(of: string, ledger: Ledger): readonly string[] {
  const {
    output,
    operand,
    path,
    kept,
    consumed,
    restored,
    supplied,
    solved,
    guards,
    filters,
    ties,
    held,
  } = ledger;
  const summed = consumed.filter((name) => !restored.includes(name));
  const set = (names: readonly string[]): string =>
    names.length === 0 ? "\\varnothing" : `\\{${names.map(coordinateTex).join(",\\, ")}\\}`;
  const rows = [
    `output & $${set(output)}$`,
    `operand & $${set(operand)}$`,
    `path & $${set(output)} \\setminus ${set(operand)}$: collect $${set(path)}$`,
    `kept & $${set(kept)}$`,
    ...(consumed.length > 0
      ? [
          [
            `consumed & $${set(consumed)}$`,
            ...(restored.length > 0 ? [`restored $${set(restored)}$`] : []),
            ...(summed.length > 0 ? [`summed again $${set(summed)}$`] : []),
          ].join(", "),
        ]
      : []),
    ...supplied.map(({ coordinate, by }) =>
      by.length > 0
        ? `supplied & $${coordinateTex(coordinate)}$ by $${by.map(expressionTex).join(",\\, ")}$`
        : `supplied & $${coordinateTex(coordinate)}$ ${everywhere}`,
    ),
    ...solved.map(({ coordinate, value }) => {
      const whose = held.includes(coordinate) ? ` \\text{ of } ${nameTex(of)}` : "";
      return `solved & $${coordinateTex(coordinate)}${whose} = ${expressionTex(value)}$`;
    }),
    ...guards.map((guard) => `guard & $${expressionTex(guard)}$`),
    ...filters.map((guard) => `filter & $${expressionTex(guard)}$`),
    ...ties.map((tie) => `tie & $${expressionTex(tie)}$`),
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
  { value, gradient, pullbacks }: GradientStep,
  { type, position, contributions, value: total }: CellAccount,
): readonly string[] {
  const at = position.length > 0 ? `[${position.join(", ")}]` : "";
  const rows = contributions.map((contribution) => {
    const [formula, numbers, product] = contributionParts(type, contribution);
    const part = pullbacks.length > 1 ? ` (part ${contribution.through + 1})` : "";
    return (
      `$${expressionTex(contribution.cell)}$${part} & $${expressionTex(formula)}$ & ` +
      `$${numbers.replace(/\*/g, "\\cdot")} = ${product}$ \\\\`
    );
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
