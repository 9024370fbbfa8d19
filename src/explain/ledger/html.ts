// Prints explanations as one self-contained HTML page, without scripts, fonts or other files.

import { escapeHtml } from "../../diagnostics/render-html.ts";
import type {
  CellAccount,
  Explanation,
  ForwardLine,
  GradientStep,
  Ledger,
  PullbackStep,
} from "./explanation.ts";
import { contributionParts, drawnText, everywhere, show, solvedText, stepRows } from "./text.ts";
import { pageCss } from "./page-css.ts";

export function explanationHtml(explanations: readonly Explanation[]): string {
  const title = explanations.map(({ request }) => request).join(" · ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${pageCss}</style>`,
    "</head>",
    "<body>",
    "<main>",
    ...explanations.flatMap(explanationParts),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function explanationParts(explanation: Explanation): readonly string[] {
  const { request, gradients, independent, drawn, of, source } = explanation;
  return [
    `<header><h1>${escapeHtml(request)}</h1>`,
    "<p>From the numerator back: which cells read which, " +
      "and what the gradient collects on the way.</p></header>",
    ...(drawn.length > 0 ? [`<p class="note">${proseHtml(drawnText(drawn))}</p>`] : []),
    ...gradients.map(gradientHtml),
    ...independent.map(
      (name) =>
        `<p><code>${escapeHtml(of)}</code> does not depend on ` +
        `<code>${escapeHtml(name)}</code>: the derivative is 0.</p>`,
    ),
    `<section class="program"><h2>The backward program</h2>${code(source.trimEnd())}</section>`,
  ];
}

/** Prose as HTML. Text between backticks is code. */
function proseHtml(text: string): string {
  return text
    .split("`")
    .map((piece, k) => (k % 2 === 1 ? `<code>${escapeHtml(piece)}</code>` : escapeHtml(piece)))
    .join("");
}

function gradientHtml(gradient: GradientStep): string {
  const { value, expression, gradient: name, pullbacks, lines, cell } = gradient;
  const several = pullbacks.length > 1;
  const called =
    expression === undefined ? "" : `, which is <code>${escapeHtml(expression)}</code>`;
  const head = `<h2>The gradient of <code>${escapeHtml(value)}</code>${called}</h2>`;
  const note =
    lines.length === 0
      ? `<p class="note">It is <code>${escapeHtml(name)}</code>, handed on as it is.</p>`
      : several
        ? `<p class="note">${pullbacks.length} parts are added up.</p>`
        : "";
  return [
    `<section class="gradient">`,
    head,
    note,
    ...pullbacks.map((pullback, k) => pullbackHtml(pullback, several ? k + 1 : undefined)),
    ...(lines.length > 0 ? [`<div class="result">${code(lines.join("\n"))}</div>`] : []),
    ...(cell ? [cellHtml(gradient, cell)] : []),
    "</section>",
  ].join("\n");
}

function pullbackHtml(pullback: PullbackStep, part: number | undefined): string {
  const { forward, ledger, bindings } = pullback;
  const head = part === undefined ? "" : `<h3>Part ${part}</h3>`;
  if (forward.kind === "start")
    return (
      `<div class="pullback">${head}<p class="note">What comes in from outside: ` +
      `<code>${escapeHtml(pullback.sum)}</code></p></div>`
    );
  const steps = stepRows(pullback).map(
    ([what, result]) => `<li><span>${escapeHtml(what)}</span>${code(result)}</li>`,
  );
  const where = bindings.map(
    (binding) => `<li class="binding"><span>where</span>${code(binding)}</li>`,
  );
  return [
    `<div class="pullback">${head}`,
    forwardHtml(forward),
    ledgerHtml(forward.output, ledger),
    `<ol class="steps">${[...steps, ...where].join("")}</ol>`,
    "</div>",
  ].join("\n");
}

/** The forward line. The read that the pullback goes through is marked. */
function forwardHtml({ text, read, line, kind }: ForwardLine): string {
  const place = line === undefined ? "" : `<span class="place">line ${line}</span>`;
  const rule = kind === "rule" ? '<p class="note">through the rule of a function</p>' : "";
  const html = highlighted(text);
  const mark = highlighted(read);
  const at = kind === "line" ? html.lastIndexOf(mark) : -1;
  const marked =
    at < 0 ? html : `${html.slice(0, at)}<mark>${mark}</mark>${html.slice(at + mark.length)}`;
  return `${rule}<figure class="forward">${place}<pre><code>${marked}</code></pre></figure>`;
}

function ledgerHtml(output: string, ledger: Ledger): string {
  const { path, kept, consumed, restored, supplied, solved, guards, filters, ties } = ledger;
  const summed = consumed.filter((name) => !restored.includes(name));
  const chips = (names: readonly string[], kind: string): string =>
    names.length === 0
      ? '<span class="none">none</span>'
      : names.map((name) => `<span class="chip ${kind}">${escapeHtml(name)}</span>`).join("");
  const coloured = (names: readonly string[]): string =>
    names.length === 0
      ? '<span class="none">none</span>'
      : names
          .map((name) => {
            const kind = path.includes(name)
              ? "path"
              : restored.includes(name)
                ? "restored"
                : kept.includes(name)
                  ? "kept"
                  : "";
            return `<span class="chip ${kind}">${escapeHtml(name)}</span>`;
          })
          .join("");
  const row = (name: string, content: string, note = ""): string =>
    `<tr><th>${name}</th><td>${content}</td><td class="note">${note}</td></tr>`;
  return [
    '<table class="ledger">',
    row("output", coloured(ledger.output), `<code>${escapeHtml(output)}</code>`),
    row("operand", coloured(ledger.operand)),
    row(
      "path",
      chips(path, "path"),
      path.length > 0 ? "output minus operand: collected" : "nothing to collect",
    ),
    row("kept", chips(kept, "kept")),
    ...(consumed.length > 0
      ? [
          row(
            "consumed",
            coloured(consumed),
            [
              "by the forward reduction",
              ...(restored.length > 0 ? [`restored: ${restored.map(escapeHtml).join(", ")}`] : []),
              ...(summed.length > 0 ? [`summed again: ${summed.map(escapeHtml).join(", ")}`] : []),
            ].join("; "),
          ),
        ]
      : []),
    ...supplied.map(({ coordinate, by }) =>
      row(
        "supplied",
        chips([coordinate], "restored"),
        by.length > 0
          ? `by ${by.map((factor) => `<code>${escapeHtml(factor)}</code>`).join(", ")}`
          : everywhere,
      ),
    ),
    ...solved.map((each) =>
      row("solved", `<code>${escapeHtml(solvedText(output, ledger, each))}</code>`),
    ),
    ...guards.map((guard) =>
      row("guard", `<code>${escapeHtml(guard)}</code>`, "from inverting the index"),
    ),
    ...filters.map((guard) =>
      row("filter", `<code>${escapeHtml(guard)}</code>`, "of the forward program"),
    ),
    ...ties.map((tie) => row("tie", `<code>${escapeHtml(tie)}</code>`, "only data can tell which")),
    "</table>",
  ].join("");
}

/** The table of all contributions. A bar shows the share of each one. */
function cellHtml({ value, gradient, pullbacks }: GradientStep, cell: CellAccount): string {
  const at = cell.position.length > 0 ? `[${cell.position.join(", ")}]` : "";
  const { type, contributions } = cell;
  const largest = Math.max(...contributions.map((each) => Math.abs(Number(each.value))), 1e-300);
  const rows = contributions.map((contribution) => {
    const [formula, numbers, product] = contributionParts(type, contribution);
    const share = Math.round((100 * Math.abs(Number(contribution.value))) / largest);
    const sign = Number(contribution.value) < 0 ? "negative" : "positive";
    const part = pullbacks.length > 1 ? ` <small>part ${contribution.through + 1}</small>` : "";
    return (
      `<tr><td><code>${escapeHtml(contribution.cell)}</code>${part}</td>` +
      `<td><code>${escapeHtml(formula)}</code></td>` +
      `<td class="number">${escapeHtml(numbers)}</td><td ` +
      `class="number">${escapeHtml(product)}</td>` +
      `<td class="bar"><i class="${sign}" style="width:${share}%"></i></td></tr>`
    );
  });
  return [
    `<div class="cell"><h3>In numbers: <code>${escapeHtml(value + at)}</code> is read by</h3>`,
    `<table class="numbers">${rows.join("")}`,
    "<tfoot><tr><td></td><td></td><td " +
      `class="number"><code>${escapeHtml(gradient + at)}</code></td><td ` +
      `class="number">${escapeHtml(show(type, cell.value))}</td><td></td></tr></tfoot>`,
    "</table></div>",
  ].join("\n");
}

function code(text: string): string {
  return `<pre><code>${highlighted(text)}</code></pre>`;
}

/** One group for each of the classes, in this order. */
const token = new RegExp(
  [
    /(\/\/[^\n]*)/,
    /\b(let|fn|input|where|if|else|in|as|use|const|checkpoint)\b(?!\s*[,\]])/,
    /\b(sum|prod|mean|max|min|argmax|argmin|logsumexp|count|any|all)(?=\[)/,
    /(\bd_\w+)/,
    /((?<![\w.])\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);
const classes = ["comment", "keyword", "reduction", "gradient", "number"] as const;

function highlighted(source: string): string {
  let html = "";
  let end = 0;
  for (const match of source.matchAll(token)) {
    const kind = classes[match.slice(1).findIndex((group) => group !== undefined)]!;
    html +=
      `${escapeHtml(source.slice(end, match.index))}<span ` +
      `class="${kind}-word">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(source.slice(end));
}
