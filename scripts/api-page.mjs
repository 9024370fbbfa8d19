// Writes docs/api.md: everything that the doors of the package give, from the doc comments. The
// build comes first.

import { writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { loadTs, root } from "./load-ts.mjs";

const { apiPage } = await loadTs("test/docs/api.ts");
const { packageDoors } = await loadTs("test/package/doors.ts");

const path = `${root}docs/api.md`;
const page = await format(apiPage(packageDoors(root)), {
  ...(await resolveConfig(path)),
  parser: "markdown",
});
writeFileSync(path, page);
console.log(`docs/api.md: ${page.match(/^### /gm).length} names`);
