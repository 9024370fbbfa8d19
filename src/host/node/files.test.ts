// Reading and writing files: the contents, and the messages for failures.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeText, isFile, readBytes, readText, writeAtomically } from "./files.ts";

const folder = mkdtempSync(join(tmpdir(), "ein-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("reading", () => {
  test("gives text without its byte order mark", () => {
    writeFileSync(join(folder, "a"), "\uFEFFé\r\n");
    expect(readText(join(folder, "a"))).toEqual({ ok: true, value: "é\r\n" });
    expect(readBytes(join(folder, "a"))).toMatchObject({ ok: true, value: { length: 7 } });
  });

  test("says why it cannot", () => {
    expect(readText(join(folder, "none"))).toEqual({ ok: false, why: "there is no such file" });
    expect(readText(join(folder, "a", "b"))).toEqual({ ok: false, why: "there is no such file" });
    expect(readText(folder)).toEqual({ ok: false, why: "it is a directory" });
  });

  test("points at the first byte that is not UTF-8", () => {
    expect(decodeText(new Uint8Array([0x61, 0xc3, 0xa9, 0xff, 0x61]))).toEqual({
      ok: false,
      why: "it is not UTF-8 text (byte 3)",
    });
    // The text ends in the middle of a character.
    expect(decodeText(new Uint8Array([0x61, 0xc3]))).toMatchObject({ ok: false });
  });
});

describe("writing", () => {
  test("replaces the whole file and leaves nothing beside it", () => {
    const path = join(folder, "w");
    expect(writeAtomically(path, "one")).toMatchObject({ ok: true });
    expect(writeAtomically(path, new Uint8Array([0x32]))).toMatchObject({ ok: true });
    expect(readFileSync(path, "utf8")).toBe("2");
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(isFile(path)).toBe(true);
  });

  test("says why it cannot, and does not replace a directory", () => {
    expect(writeAtomically(join(folder, "none", "w"), "x")).toEqual({
      ok: false,
      why: "its folder does not exist",
    });
    expect(writeAtomically(folder, "x")).toEqual({ ok: false, why: "it is a directory" });
    expect(isFile(folder)).toBe(false);
  });
});
