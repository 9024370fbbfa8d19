// Prints the shape of the source and compares it with recorded limits: `npm run house`.
//
//   npm run house                 sizes by room, and each count beside its recorded limit
//   npm run house -- rooms        the imports against the order of the rooms
//   npm run house -- circles      the files that import one another in circles
//   npm run house -- names        names that many helpers have
//   npm run house -- record       lower the limits to the present counts
//
// A limit may only fall. `test/house.test.ts` compares every count with its limit in
// `scripts/house/limits.json`.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { measure } from "./house/measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const path = `${root}scripts/house/limits.json`;
const limits = JSON.parse(readFileSync(path, "utf8"));
const found = measure(root);
const exceeded = Object.keys(found.shape).filter((name) => found.shape[name] > limits[name]);

const commands = {
  shape() {
    const rows = Object.entries(found.rooms).toSorted(([, a], [, b]) => b.tokens - a.tokens);
    console.table(Object.fromEntries([...rows, ["all", total(rows)]]));
    for (const [name, number] of Object.entries(found.shape)) {
      console.log(
        `${exceeded.includes(name) ? "OVER" : "    "} ${name.padEnd(24)} ${number} ` +
          `(limit ${limits[name]})`,
      );
    }
    console.log(`crowded folders: ${found.crowded.map((row) => row.join(" ")).join(", ")}`);
  },
  rooms: () =>
    console.log(found.back.join("\n") || "no import goes against the order of the rooms"),
  circles: () =>
    console.log(found.circles.map((circle) => circle.join(" ")).join("\n\n") || "no circles"),
  names: () => console.log(found.names.map(([name, times]) => `${times} ${name}`).join("\n")),
  record() {
    const entries = Object.entries(found.shape).map(([name, number]) => [
      name,
      Math.min(number, limits[name] ?? number),
    ]);
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
  },
};

function total(rows) {
  const all = { files: 0, lines: 0, tokens: 0 };
  for (const [, row] of rows) for (const key of Object.keys(all)) all[key] += row[key];
  return all;
}

const [command = "shape"] = process.argv.slice(2);
if (!Object.hasOwn(commands, command)) {
  console.error(`usage: npm run house -- ${Object.keys(commands).join("|")}`);
  process.exit(2);
}
commands[command]();
process.exitCode = exceeded.length > 0 && command === "shape" ? 1 : 0;
