// Shows the effect of each rewrite of the compiler: `npm run ablate [REWRITE…]`. All programs of
// the repository that request a derivative are compiled and run with one rewrite off, and compared
// with the unchanged compiler. Exits with 1 if a value differs.

import { fileURLToPath } from "node:url";
import { loadTs } from "./load-ts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { rewriteNames, ablate, programsAt } = await loadTs("test/ablate/ablate.ts");
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !rewriteNames.includes(name));
if (unknown) {
  console.error(`there is no rewrite ${unknown}; there are ${rewriteNames.join(", ")}`);
  process.exit(2);
}

const programs = programsAt(root);
const ratio = (number) => number.toFixed(2);
let wrong = 0;
for (const rewrite of asked.length > 0 ? asked : rewriteNames) {
  const found = ablate(rewrite, programs);
  console.log(
    `${rewrite}: ${found.changed} of ${found.programs} programs changed ` +
      `(${found.longer} longer, ${found.shorter} shorter), size ${ratio(found.size)}, ` +
      `compiling ${ratio(found.compiling)}, ${found.slower.length} slower, ` +
      `${found.wrong.length} wrong`,
  );
  for (const each of found.slower) console.log(`    slower: ${each}`);
  for (const each of found.wrong) console.log(`    WRONG: ${each}`);
  wrong += found.wrong.length;
}
process.exitCode = wrong > 0 ? 1 : 0;
