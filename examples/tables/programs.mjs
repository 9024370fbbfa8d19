// What the regressions of this folder are held to: every weight as scikit-learn finds it (reference.py).

import { readFileSync } from "node:fs";
import { compile } from "einlang";
import { load } from "einlang/files";
import { fileURLToPath } from "node:url";

const here = (name) => new URL(name, import.meta.url);
const reference = JSON.parse(readFileSync(here("reference.json"), "utf8"));
const tolerance = 1e-4;

/** @returns {Promise<number>} how far the weight that is farthest from the reference is from it */
export async function farthest(file, table) {
  const program = await compile(readFileSync(here(file), "utf8"), { name: file });
  const rows = load(fileURLToPath(here(`${table}.csv`)), { dtype: "f64" });
  const { weights } = program.run(
    { table: rows, penalty: reference.penalty },
    { get: ["weights"] },
  );
  const wanted = reference.weights[table].flat();
  if (weights.data.length !== wanted.length) return NaN;
  return Math.max(...wanted.map((one, k) => Math.abs(Number(weights.data[k]) - one)));
}

const program = (file, table) => {
  const bar = {
    text: `weights within ${tolerance} of scikit-learn`,
    holds: (value) => value < tolerance,
  };
  return {
    name: `tables, ${table}`,
    bar: { small: bar, full: bar },
    async measure() {
      const value = await farthest(file, table);
      return { value, shown: `${value.toExponential(1)} off` };
    },
  };
};

export const programs = [
  program("logistic.ein", "breast-cancer"),
  program("classes.ein", "iris"),
  program("classes.ein", "wine"),
];
