// A bundle drops what nobody imports, but the methods of a tensor stay.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runModule } from "../module.ts";

test("a module that imports one function has all methods", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ein-bundled-"));
  try {
    const printed = await runModule(
      `import { tensor } from "einlang/tensor";
      const w = tensor([1, 2], { requiresGrad: true });
      w.multiply(w).sum().backward();
      console.log(String(w.grad!.toArray()), String(tensor([1, 2]).add_(1).toArray()));`,
      folder,
    );
    expect(printed).toBe("2,4 2,3\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
