// Writes docs/conformance.md: the test cases that cover each section of the language.

import { writeFileSync } from "node:fs";
import { loadTs, root } from "./load-ts.mjs";

const { collectCases } = await loadTs("test/cases/collect.ts");
const { conformancePage } = await loadTs("test/cases/conformance.ts");

const cases = collectCases(`${root}test/cases`);
writeFileSync(`${root}docs/conformance.md`, conformancePage(cases));
console.log(`docs/conformance.md: ${cases.length} cases`);
