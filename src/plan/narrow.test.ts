// Checks that kernels compute reductions of narrow types, with the oracle's values.

import { expect, test } from "vitest";
import { holds, leftToOracleIn, table } from "../../test/support/kernels.ts";

test.each(["f16", "bf16", "i8"])("every reduction of %s has a kernel", (type) => {
  const names =
    type === "i8"
      ? ["sum", "prod", "max", "min"]
      : ["sum", "prod", "max", "min", "mean", "logsumexp"];
  const lines = names.flatMap((name) => [
    `let rows_${name}[i] = ${name}[j](x[i, j]);`,
    `let columns_${name}[j] = ${name}[i](x[i, j]) + x[0, j];`,
    `let under_${name}[i in 0..9] = ${name}[j](x[i, j] where j >= i % 3);`,
  ]);
  const text =
    `${table(type, 9, 20)} ${lines.join(" ")} let first[i] = argmax[j](x[i, j]); ` +
    "let running[i in 0..9] = sum[k in 0..i + 1](x[k, 0]);";
  holds(text);
  expect([...leftToOracleIn(text)].filter(([, why]) => why !== "a literal")).toEqual([]);
});
