// The files of the repository itself: the lock file, and the reasons for the dependencies.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly integrity?: string }>
  >;
}

describe("the repository", () => {
  test("its lock file has a checksum for every package and no download addresses", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as LockFile;
    const installed = Object.entries(packages).filter(([path]) => path !== "");
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter(([, one]) => one.resolved !== undefined).map(([path]) => path)).toEqual(
      [],
    );
    expect(
      installed.filter(([, one]) => one.integrity === undefined).map(([path]) => path),
    ).toEqual([]);
  });

  test("every dependency has its reason in docs/dependencies.md, and nothing else has one", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Manifest;
    const explained = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)`/gm)].map(
      (match) => match[1]!,
    );
    const names = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    expect(explained.toSorted()).toEqual(names.toSorted());
  });

  test("the command in .ci/run is the README's", () => {
    const [, command] = /## Test it\n\n```\n(.*)\n```/.exec(read("README.md")) ?? [];
    expect(command).toBeDefined();
    expect(read(".ci/run")).toContain(`\n${command}\n`);
  });
});
