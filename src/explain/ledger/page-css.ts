// The style of an explanation's page, in light and in dark.

export const pageCss = `
:root {
  --ink: #1d2433; --soft: #667085; --paper: #f6f7f9;
  --card: #ffffff; --line: #e4e7ec; --code: #f2f4f7;
  --path: #c2410c; --path-bg: #ffedd5; --kept: #15803d; --kept-bg: #dcfce7;
  --restored: #1d4ed8; --restored-bg: #dbeafe;
  --keyword: #7c3aed; --reduction: #b45309; --gradient: #be123c; --number: #0f766e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9ef; --soft: #98a2b3; --paper: #0f1218;
    --card: #171b24; --line: #2a3040; --code: #1e2430;
    --path: #fdba74; --path-bg: #43240f; --kept: #86efac; --kept-bg: #12351f;
    --restored: #93c5fd; --restored-bg: #172c52;
    --keyword: #c4b5fd; --reduction: #fcd34d; --gradient: #fda4af; --number: #5eead4;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
}
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font: 600 1.9rem/1.2 ui-monospace, "DejaVu Sans Mono", monospace; margin: 0 0 .3rem; }
header p { color: var(--soft); margin: 0 0 1.6rem; }
h2 { font-size: 1.15rem; margin: 0 0 .9rem; }
h3 { font-size: .95rem; margin: 1.1rem 0 .6rem; color: var(--soft); font-weight: 600; }
section {
  background: var(--card); border: 1px solid var(--line); border-radius: 14px;
  padding: 1.4rem 1.6rem; margin: 0 0 1.4rem;
}
code, pre { font: .86rem/1.55 ui-monospace, "DejaVu Sans Mono", monospace; }
pre {
  background: var(--code); border-radius: 8px; padding: .55rem .8rem; margin: 0;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.note { color: var(--soft); }
figure.forward { margin: 0 0 1rem; position: relative; }
figure.forward pre { padding-right: 5rem; }
figure.forward .place {
  position: absolute; right: .8rem; top: .6rem; color: var(--soft); font-size: .75rem;
  background: var(--code); padding-left: .6rem;
}
mark {
  white-space: nowrap; background: var(--restored-bg); color: inherit; border-radius: 4px;
  padding: .1rem .15rem; box-shadow: 0 0 0 1px var(--restored);
}
.pullback + .pullback {
  border-top: 1px dashed var(--line); margin-top: 1.3rem; padding-top: .3rem;
}
table { border-collapse: collapse; }
.ledger th {
  text-align: left; font-weight: 500; color: var(--soft); padding: .2rem 1.2rem .2rem 0;
  vertical-align: top;
}
.ledger td { padding: .2rem 1.4rem .2rem 0; vertical-align: top; }
.ledger .note { font-size: .88rem; }
.ledger td > code { white-space: nowrap; }
.chip {
  display: inline-block; font: .82rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  background: var(--code); border-radius: 999px; padding: 0 .65rem; margin-right: .35rem;
}
.chip.path { color: var(--path); background: var(--path-bg); }
.chip.kept { color: var(--kept); background: var(--kept-bg); }
.chip.restored { color: var(--restored); background: var(--restored-bg); }
.none { color: var(--soft); }
.steps { list-style: none; counter-reset: step; margin: 1.1rem 0 0; padding: 0; }
.steps li {
  counter-increment: step; display: grid; grid-template-columns: 20rem minmax(0, 1fr); gap: .8rem;
  align-items: baseline; padding: .22rem 0;
}
.steps li > span::before {
  content: counter(step); display: inline-block; width: 1.45rem; height: 1.45rem;
  line-height: 1.45rem; text-align: center; border-radius: 50%; background: var(--code);
  color: var(--soft); font-size: .78rem; margin-right: .55rem;
}
.steps li.binding { counter-increment: none; }
.steps li.binding > span::before { content: ""; background: none; }
.steps pre { padding: .3rem .7rem; }
.result pre { margin-top: 1.1rem; border-left: 4px solid var(--gradient); }
.numbers { width: 100%; }
.numbers td {
  padding: .22rem .9rem .22rem 0; white-space: nowrap; border-bottom: 1px solid var(--line);
}
.numbers .number {
  text-align: right; font-variant-numeric: tabular-nums;
  font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .84rem;
}
.numbers .bar { width: 22%; min-width: 5rem; padding-right: 0; }
.numbers .bar i {
  display: block; height: .6rem; border-radius: 3px; background: var(--kept); opacity: .75;
}
.numbers .bar i.negative { background: var(--path); }
.numbers tfoot td {
  border-bottom: 0; border-top: 2px solid var(--ink); font-weight: 600; padding-top: .4rem;
}
.cell { overflow-x: auto; }
.keyword-word { color: var(--keyword); }
.reduction-word { color: var(--reduction); }
.gradient-word { color: var(--gradient); }
.number-word { color: var(--number); } .comment-word { color: var(--soft); }
@media (max-width: 46rem) {
  .steps li { grid-template-columns: 1fr; gap: .2rem; }
  section { padding: 1rem; }
}
@media print { body { background: #fff; } section { break-inside: avoid; } }
`;
