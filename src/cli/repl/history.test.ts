import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addToHistory, historyPath, historySize, oneLine, readHistory } from "./history.ts";

const folder = mkdtempSync(join(tmpdir(), "ein-history-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("history", () => {
  test("lies in the state folder", () => {
    expect(historyPath({ XDG_STATE_HOME: "/state", HOME: "/home/me" })).toBe("/state/ein/history");
    expect(historyPath({ XDG_STATE_HOME: "relative", HOME: "/home/me" })).toBe(
      "/home/me/.local/state/ein/history",
    );
    expect(historyPath({})).toBeUndefined();
  });

  test("is added to line by line, and read from its end", () => {
    const path = join(folder, "new", "history");
    expect(readHistory(path)).toEqual([]);
    for (const line of ["let a = 1", "  ", "a + 1"]) addToHistory(path, line);
    expect(readHistory(path)).toEqual(["a + 1", "let a = 1"]);
  });

  test("is shortened when it has grown long", () => {
    const path = join(folder, "long");
    writeFileSync(path, Array.from({ length: 5 * historySize }, (_, k) => `${k}\n`).join(""));
    expect(readHistory(path)).toHaveLength(historySize);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(historySize + 1);
  });

  test("never fails", () => {
    addToHistory(undefined, "1");
    addToHistory("/dev/null/history", "1");
    expect(readHistory("/dev/null/history")).toEqual([]);
    expect(readHistory(undefined)).toEqual([]);
  });

  test("joins the lines of an entry unless a comment stands in them", () => {
    expect(oneLine(["let a = (", "  1 +", "  2)"])).toBe("let a = ( 1 + 2)");
    expect(oneLine(["let a = ( // why", "1)"])).toBeUndefined();
    expect(oneLine(["1 // one"])).toBe("1 // one");
  });
});
