// `npm run tour`: shows the source of examples/demo.ein in colour, and its results as a table, as
// pictures and as a curve.

import { readFileSync } from "node:fs";
import { examine, showAligned } from "../dist/explain.js";
import { renderAllText } from "../dist/index.js";
import { loadTs, root } from "./load-ts.mjs";

const { highlight } = await loadTs("src/cli/show/highlight.ts");
const { heatMap, linePlot, signed } = await loadTs("scripts/plot.ts");
const { wantsColour } = await loadTs("src/cli/io.ts");

const color = wantsColour({ isTerminal: process.stdout.isTTY }, process.env);
const bold = (text) => (color ? `\u001b[1m${text}\u001b[0m` : text);
const faint = (text) => (color ? `\u001b[2m${text}\u001b[22m` : text);
const width = Math.min(process.stdout.columns ?? 100, 100);

const name = "examples/demo.ein";
const text = readFileSync(root + name, "utf8").trimEnd();
const begun = performance.now();
const { diagnostics, program } = examine({ name, text });
const compiled = performance.now();
const result = program?.run({ get: ["attention", "d_score", "u", "buoy"] });
const ran = performance.now();
const problems = [...diagnostics, ...(result?.fault ? [result.fault] : [])];
if (problems.length > 0 || !result) {
  console.error(renderAllText(problems, { color }));
  process.exit(1);
}

rule(name);
console.log(color ? highlight(text) : text);

rule("attention, and the gradient of the surprise");
const tables = ["attention", "d_score"].map((key) => {
  const { value, names } = result.values.get(key);
  return showAligned(value, { name: key, names, width, color });
});
console.log(tables.join("\n\n"));

rule("u, the pond from above");
const size = 32;
const gap = 2;
const panels = Math.max(1, Math.floor((width + gap) / (size + gap)));
const times = [1, 13, 25].slice(0, panels);
const pictures = times.map((t) =>
  heatMap(frame(t), { color, width: size, height: size / 2 }, signed),
);
console.log(
  faint(
    times
      .map((t) => `t = ${t}`.padEnd(size + gap))
      .join("")
      .trimEnd(),
  ),
);
pictures[0].forEach((_, line) =>
  console.log(pictures.map((picture) => picture[line]).join(" ".repeat(gap))),
);

rule("buoy, one place on the pond over time");
const buoy = [...result.values.get("buoy").value.data];
console.log(linePlot([buoy], { color, width: width - 8, height: 7 }).join("\n"));
console.log(faint(`       t = 0${`t = ${buoy.length - 1}`.padStart(width - 13)}`));

const [compileTime, runTime] = [compiled - begun, ran - compiled].map((ms) => ms.toFixed(0));
console.log(`\n${faint(`compiled in ${compileTime} ms, ran in ${runTime} ms; now try:`)}`);
console.log(`  npx ein run ${name}`);
console.log(`  npx ein -e 'let x[i in 0..5] = i ** 2; print(x);'\n`);

function rule(title) {
  console.log(
    `\n${faint("──")} ${bold(title)} ${faint("─".repeat(Math.max(0, width - title.length - 4)))}\n`,
  );
}

/** The rows of the pond at one time. */
function frame(t) {
  const { data, shape } = result.values.get("u").value;
  const [, rows, columns] = shape;
  const row = (y) =>
    Array.from(data.subarray((t * rows + y) * columns, (t * rows + y + 1) * columns));
  return Array.from({ length: rows }, (_, y) => row(y));
}
