// A folder for the files of a page's examples. The tests of a file run in it, and it is removed
// afterwards.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

export function inScratchFolder(): void {
  const home = process.cwd();
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-docs-"));
    process.chdir(folder);
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });
}
