// `npm run demo`: an example's source in colour, and what it computes as a table, a heat map and a curve.

import { readFileSync } from "node:fs";
import { compile, renderAllText, showAligned, showTensor } from "../dist/index.js";
import { loadTs, root } from "./load-ts.mjs";

const { highlight } = await loadTs("src/cli/highlight.ts");
const { heatMap, linePlot } = await loadTs("src/cli/plot.ts");
const { wantsColour } = await loadTs("src/cli/io.ts");

const color = wantsColour({ isTerminal: process.stdout.isTTY === true }, process.env);
const bold = (text) => (color ? `\u001b[1m${text}\u001b[0m` : text);
const faint = (text) => (color ? `\u001b[2m${text}\u001b[0m` : text);
const width = Math.min(process.stdout.columns ?? 100, 100);
const rule = (title) => console.log(`\n${faint("──")} ${bold(title)} ${faint("─".repeat(width - title.length - 4))}\n`);

const name = "examples/demo.ein";
const text = readFileSync(root + name, "utf8");
const { diagnostics, program } = compile({ name, text });
const result = program?.run({ get: ["C", "field", "blur", "profile", "loudest"] });
const problems = [...diagnostics, ...(result?.fault ? [result.fault] : [])];
if (problems.length > 0 || !result) {
  console.error(renderAllText(problems, { color }));
  process.exit(1);
}
const named = (key) => result.values.get(key);
const rows = (key) => {
  const { data, shape } = named(key).value;
  return Array.from({ length: shape[0] }, (_, y) => Array.from(data.subarray(y * shape[1], (y + 1) * shape[1])));
};

rule(name);
console.log(color ? highlight(text.trimEnd()) : text.trimEnd());

rule("the matrix product");
console.log(showAligned(named("C").value, { name: "C", names: named("C").names, width, color }));

rule("the field, and the field behind a 5 × 5 window");
const half = Math.floor((width - 3) / 2);
const picture = { color, width: half, height: 28 };
const [left, right] = [heatMap(rows("field"), picture), heatMap(rows("blur"), picture)];
for (let line = 0; line < Math.max(left.length, right.length); line++) {
  console.log(`${left[line] ?? " ".repeat(half)}   ${right[line] ?? ""}`);
}

rule("profile[x], the mean of each column");
const curve = linePlot([[...named("profile").value.data]], { color, width: width - 10, height: 8 });
console.log(curve.join("\n"));
console.log(`\nloudest = ${showTensor(named("loudest").value)}\n`);
console.log(faint(`try:  npx ein run ${name} --get C,loudest     npx ein --help\n`));
