// Writes docs/api.md: every export of the package with its doc comment. The package must have been
// built before.

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
