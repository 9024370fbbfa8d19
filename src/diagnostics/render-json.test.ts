// The JSON form is a contract with scripts: keys, order and numbers are compared exactly.

import { describe, expect, test } from "vitest";
import { span, type Source } from "../base/source.ts";
import { error } from "./diagnostic.ts";
import { after, fix, replace } from "./fixes.ts";
import { toJson } from "./render-json.ts";
import { spanOf } from "../../test/support/diagnostics.ts";

const source: Source = {
  name: "a.ein",
  text: 'input A: [f32; 2, 3];\r\nlet s = "𝒙"; let C[i] = sum[k](A[i, k] * B[k]);\r\n',
};

describe("toJson", () => {
  test("everything at once, in the order of the contract", () => {
    const message = error(
      "E0304",
      "`k` runs over 3 in `A` but over 4 in `B`",
      spanOf(source, "B[k]"),
      {
        text: "over 4 here",
        labels: [{ span: spanOf(source, "3", 2), text: "3 comes from here" }],
        help: "write `[f32; 3]`",
      },
    );
    // The character before the span lies outside of the basic plane and counts as two units.
    expect(JSON.stringify(toJson(message))).toBe(
      '{"code":"E0304","message":"`k` runs over 3 in `A` but over 4 in `B`: ' +
        'over 4 here","file":"a.ein",' +
        '"line":2,"column":43,"endLine":2,"endColumn":47,"help":"write `[f32; 3]`",' +
        '"labels":[{"line":1,"column":19,"text":"3 comes from here"}]}',
    );
    expect(source.text.split("\n")[1]!.slice(43 - 1, 47 - 1)).toBe("B[k]");
  });

  test("repairs, each with all of its edits", () => {
    const place = spanOf(source, "sum[k]");
    const fixes = [
      fix("write `max[k]`", replace(spanOf(source, "sum"), "max"), after(place, "\n")),
    ];
    expect(toJson(error("E0201", "no `B`", place, { fixes })).fixes).toEqual([
      {
        title: "write `max[k]`",
        edits: [
          { file: "a.ein", line: 2, column: 26, endLine: 2, endColumn: 29, text: "max" },
          { file: "a.ein", line: 2, column: 32, endLine: 2, endColumn: 32, text: "\n" },
        ],
      },
    ]);
  });

  test("no help and no labels", () => {
    expect(JSON.stringify(toJson(error("E0201", "no `B`", spanOf(source, "B"))))).toBe(
      '{"code":"E0201","message":"no ' +
        '`B`","file":"a.ein","line":2,"column":43,"endLine":2,"endColumn":44,"labels":[]}',
    );
  });

  test("no place", () => {
    const json = toJson(
      error("E0801", "no value for the input `A`", undefined, { help: "add `--in A=FILE`" }),
    );
    expect(JSON.stringify(json)).toBe(
      '{"code":"E0801","message":"no value for the input `A`","help":"add `--in ' +
        'A=FILE`","labels":[]}',
    );
    expect(Object.keys(json)).toEqual(["code", "message", "help", "labels"]);
  });

  test("labels in another file say which, and only those", () => {
    const library: Source = { name: "std/ml.ein", text: "pub fn f(x) { x }" };
    const labels = [
      { span: spanOf(library, "f"), text: "declared here" },
      { span: spanOf(source, "A"), text: "and used here" },
    ];
    expect(toJson(error("E0401", "no", spanOf(source, "B"), { labels })).labels).toEqual([
      { file: "std/ml.ein", line: 1, column: 5, text: "declared here" },
      { line: 1, column: 7, text: "and used here" },
    ]);
    expect(
      toJson(error("E0801", "no", undefined, { labels })).labels.map(({ file }) => file),
    ).toEqual(["std/ml.ein", "a.ein"]);
  });

  test("a text that the title contains is not said twice", () => {
    expect(toJson(error("E0201", "no `B` here", undefined, { text: "no `B`" })).message).toBe(
      "no `B` here",
    );
  });

  test("spans over line ends, of width 0, and behind the end of the source", () => {
    const place = (start: number, end: number) => {
      const { line, column, endLine, endColumn } = toJson(
        error("E0110", "x", span(source, start, end)),
      );
      return [line, column, endLine, endColumn];
    };
    expect(place(0, 23)).toEqual([1, 1, 2, 1]);
    expect(place(21, 21)).toEqual([1, 22, 1, 22]);
    const end = source.text.length;
    expect(place(end, end)).toEqual([3, 1, 3, 1]);
    expect(place(end + 5, end + 9)).toEqual([3, 1, 3, 1]);
    const empty: Source = { name: "<stdin>", text: "" };
    expect(toJson(error("E0110", "x", span(empty, 0, 0)))).toMatchObject({
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 1,
    });
  });
});
