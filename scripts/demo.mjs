// `npm run demo`: a network learns to read handwritten digits. The script shows its program, the
// derived gradient, the loss during training, and test digits with the network's guesses. `--small`
// trains on a twelfth of the digits.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { useRelaxedSimd, useThreads } from "einlang";
import { digits } from "../examples/mnist/digits.mjs";
import { networks, reading, train } from "../examples/mnist/train.mjs";
import { loadTs, root } from "./load-ts.mjs";

const { format } = await loadTs("src/syntax/format/format.ts");
const { parse } = await loadTs("src/syntax/parse/parser.ts");
const { highlight } = await loadTs("src/cli/show/highlight.ts");
const { heatMap, linePlot } = await loadTs("scripts/plot.ts");
const { wantsColour } = await loadTs("src/cli/io.ts");

const color = wantsColour({ isTerminal: process.stdout.isTTY }, process.env);
const bold = (text) => (color ? `\u001b[1m${text}\u001b[0m` : text);
const faint = (text) => (color ? `\u001b[2m${text}\u001b[22m` : text);
const code = (text) => (color ? highlight(text) : text);
const width = Math.min(process.stdout.columns ?? 100, 100);
const small = process.argv.includes("--small");

useThreads(Math.min(8, availableParallelism()));
useRelaxedSimd();

const name = "examples/mnist/mlp.ein";
rule(name);
console.log(code(readFileSync(root + name, "utf8").trimEnd()));

const [learn, test] = [
  digits("train", small ? 5000 : 60_000),
  digits("t10k", small ? 1000 : 10_000),
];
const begun = performance.now();
const { program, state, losses, accuracy } = await train(networks.mlp, {
  learn,
  test,
  epochs: small ? 1 : 3,
  onProgram: showGradient,
});
const seconds = (performance.now() - begun) / 1000;

rule(`the loss over ${losses.length.toLocaleString("en")} steps of 50 digits`);
console.log(
  linePlot([smooth(losses, 2 * (width - 8))], { color, width: width - 8, height: 9 }).join("\n"),
);

rule("digits that it has never seen, and what it takes them for");
const { guess } = reading(program, state, test, networks.mlp);
const places = Array.from(guess, (_, k) => k);
const isRight = (k) => guess[k] === test.digits[k];
showDigits(places.filter(isRight));
showDigits(places.filter((k) => !isRight(k)));

console.log(
  `${bold(`${(100 * accuracy).toFixed(2)} %`)} of ${test.count.toLocaleString("en")} are ` +
    `read right, after ${seconds.toFixed(1)} s of training; now try:`,
);
console.log("  npx ein explain examples/mnist/mlp.ein --of loss --wrt W1");
console.log("  npm run examples -- --full\n");

function showGradient(program) {
  const wrt = ["W1", "b1", "W2", "b2"];
  rule(`ein grad ${name} --of loss --wrt ${wrt.join(",")}`);
  const { source: text } = program.grad("loss", wrt);
  const lines = format(parse({ name, text }).module).trimEnd().split("\n");
  // The lines before these are the program itself.
  console.log(
    code(lines.slice(lines.findIndex((line) => line.startsWith("let score")) + 1).join("\n")),
  );
}

/** The means of as many stretches as the plot has points. */
function smooth(series, points) {
  const size = Math.max(1, Math.ceil(series.length / points));
  return Array.from({ length: Math.floor(series.length / size) }, (_, k) => {
    const part = series.slice(k * size, (k + 1) * size);
    return part.reduce((a, b) => a + b, 0) / part.length;
  });
}

/** The first pictures of a list, side by side. The guess stands above each. */
function showDigits(places) {
  const [size, gap] = [28, 4];
  const few = places.slice(0, Math.max(1, Math.floor((width + gap) / (size + gap))));
  if (few.length === 0) return;
  const title = (k) => (isRight(k) ? `a ${guess[k]}` : `a ${guess[k]}? It is a ${test.digits[k]}`);
  console.log(
    faint(
      few
        .map((k) => title(k).padEnd(size + gap))
        .join("")
        .trimEnd(),
    ),
  );
  const pictures = few.map((k) => heatMap(rowsOf(k), { color, width: size, height: size / 2 }));
  pictures[0].forEach((_, line) =>
    console.log(
      pictures
        .map((picture) => picture[line])
        .join(" ".repeat(gap))
        .trimEnd(),
    ),
  );
  console.log("");
}

function rowsOf(k) {
  const size = 28;
  const cell = (y) =>
    Array.from(test.pictures.subarray((k * size + y) * size, (k * size + y + 1) * size));
  return Array.from({ length: size }, (_, y) => cell(y));
}

function rule(title) {
  console.log(
    `\n${faint("──")} ${bold(title)} ${faint("─".repeat(Math.max(0, width - title.length - 4)))}\n`,
  );
}
