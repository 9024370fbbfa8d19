// The package as npm would publish it: its manifest, every way of resolving its doors, and the page
// about their exports.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { format, resolveConfig } from "prettier";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiPage } from "../docs/api.ts";
import { packageDoors } from "./doors.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the package", () => {
  let folder = "";
  let tarball: Uint8Array<ArrayBuffer>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-package-"));
    execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
      cwd: root,
    });
    const [name] = readdirSync(folder);
    tarball = new Uint8Array(readFileSync(join(folder, name!)));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("has a manifest that bundlers and Node understand", { timeout: 120_000 }, async () => {
    const { messages } = await publint({ pkgDir: root, strict: true });
    expect(messages).toEqual([]);
  });

  test(
    "has doors that resolve with their types wherever ES modules are",
    { timeout: 120_000 },
    async () => {
      const analysis = await checkPackage(createPackageFromTarballData(tarball));
      if (!analysis.types) throw new Error("the package has no types");
      // The package is for ES modules. Problems of `require`, and of resolution without the
      // manifest's `exports`, do not count.
      const counted = analysis.problems.filter((problem) => {
        const resolution = "resolutionKind" in problem ? problem.resolutionKind : undefined;
        return resolution === undefined || resolution === "node16-esm" || resolution === "bundler";
      });
      expect(counted.filter(({ kind }) => kind !== "CJSResolvesToESM")).toEqual([]);
      const doors = Object.keys(analysis.entrypoints).filter(
        (door) => door !== "./package.json" && door !== "./client",
      );
      expect(doors.toSorted()).toEqual(
        packageDoors(root)
          .map(({ name }) => name.replace("einlang", "."))
          .toSorted(),
      );
      for (const door of doors) {
        const { resolutions } = analysis.entrypoints[door]!;
        for (const kind of ["node16-esm", "bundler"] as const) {
          expect(resolutions[kind].resolution?.isTypeScript, `${door} ${kind}`).toBe(true);
          expect(resolutions[kind].implementationResolution?.fileName, `${door} ${kind}`).toMatch(
            /\/dist\/[\w-]+\.js$/,
          );
        }
      }
    },
  );

  test("holds what runs and nothing of the workshop", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    const [{ files }] = JSON.parse(listed) as [
      { readonly files: readonly { readonly path: string }[] },
    ];
    const folders = new Set(files.map(({ path }) => path.split("/")[0]));
    expect([...folders].toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "client.d.ts",
      "dist",
      "docs",
      "package.json",
      "std",
    ]);
  });
});

test("docs/api.md is what the doc comments say", { timeout: 60_000 }, async () => {
  const path = join(root, "docs/api.md");
  const page = await format(apiPage(packageDoors(root)), {
    ...(await resolveConfig(path)),
    parser: "markdown",
  });
  expect(readFileSync(path, "utf8")).toBe(page);
});
