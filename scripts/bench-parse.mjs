// Measures the parser: 20,000 lines must take less than a second, and time must grow in proportion
// to the text.

import { loadTs } from "./load-ts.mjs";

const lines = 20_000;
const secondsAllowed = 1;
/**
 * The greatest ratio of the time per line between the longest and the shortest text. A quadratic
 * parser would have 8.
 */
const growthAllowed = 2;

const { parse } = await loadTs("src/syntax/parse/parser.ts");
const sizes = [lines / 4, lines / 2, lines, lines * 2];
const times = sizes.map((size) => measure(program(size)));

sizes.forEach((size, at) => {
  const perLine = (times[at] / size) * 1e6;
  console.log(
    `${String(size).padStart(6)} lines  ${times[at].toFixed(3)} s  ${perLine.toFixed(2)} µs a line`,
  );
});
const seconds = times[sizes.indexOf(lines)];
const growth = times.at(-1) / sizes.at(-1) / (times[0] / sizes[0]);
console.log(
  `${lines} lines in ${seconds.toFixed(3)} s (limit ${secondsAllowed}), ` +
    `growth ${growth.toFixed(2)} (limit ${growthAllowed})`,
);
process.exitCode = seconds < secondsAllowed && growth < growthAllowed ? 0 : 1;

/** A program with the usual kinds of lines. */
function program(count) {
  const kinds = [
    (n) => `let a${n}[i, j] = sum[k](x[i, k] * w[k, j]) + bias[j];`,
    (n) => `// step ${n}: the hidden state`,
    (n) => `let h${n}[t in 1..T, i] = tanh(h${n}[t - 1, i] * 0.5 + u[t, i] where i > 0);`,
    (n) => `fn f${n}(a, b: [f32; n, m], stride: i32 = ${n % 7}) -> [f32; n] { let s = a + 1; s }`,
    (n) =>
      `let v${n} = if x > ${n} { [1.0, 2.0, 3e-${n % 9}] } else ` +
      "{ [x ** 2 | x in 0..3, x % 2 == 0] };",
    (n) => `print("loss {v${n}:.4f} at {t}", v${n} |> exp |> log);`,
  ];
  return Array.from({ length: count }, (_, n) => kinds[n % kinds.length](n)).join("\n");
}

function measure(text) {
  const once = () => {
    const from = performance.now();
    parse({ name: "bench.ein", text });
    return (performance.now() - from) / 1000;
  };
  once();
  return Math.min(once(), once(), once());
}
