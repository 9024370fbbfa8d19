// The pattern that a list of patterns leaves uncovered.

import { expect, test } from "vitest";
import { check } from "../../check.ts";
import { parse } from "../../../syntax/parse/parser.ts";

const declarations = `
enum Option { None, Some(bool) }
struct Pair { left: bool, right: Option }
`;

/** The pattern that the check reports as missing in a `match` with some arms. */
function missing(patterns: string, subject: string): string | undefined {
  const arms = patterns.split(";").map((pattern) => `${pattern.trim()} => 1`);
  const text = `${declarations}let n = 3;\nlet y = match (${subject}) { ${arms.join(", ")} };`;
  const { checker } = check(parse({ name: "t.ein", text }).module);
  const [first] = checker.diagnostics.filter(({ level }) => level === "error");
  if (!first) return undefined;
  expect(first.code).toBe("E0412");
  return /no arm for `(.*)`$/.exec(first.title)?.[1];
}

const pair = "Pair { left: n > 1, right: Option::Some(n > 2) }";

test.each([
  ["_", "n", undefined],
  ["0; 1", "n", "2"],
  ["1; 2", "n", "0"],
  ["0..=2147483647", "n", "-1"],
  ["-2147483648..=-1; 0..=2147483647", "n", undefined],
  ["0..10; 20..=2147483647; -2147483648..0", "n", "10..=19"],
  ["0..10; 12; 10; -5..0", "n", "11"],
  ["-128..=-1; 0; 1..=127", "n as i8", undefined],
  ["-128..=-1; 0; 2..=127", "n as i8", "1"],
  ["0..=127", "n as i8", "-128..=-1"],
  ["-9223372036854775808..=9223372036854775807", "n as i64", undefined],
  ["0..=9223372036854775806; -9223372036854775808..0", "n as i64", "9223372036854775807"],
  ["0.0; 1.0", "n as f32", "_"],
  ["(0, 1); (1, _); (-2147483648..0 | 2..=2147483647, _)", "(n, n)", "(0, 0)"],
  ["Option::None; Option::Some(true) where n > 1", "Option::Some(n > 1)", "Option::Some(_)"],
  ['("a", _); (_, 0..=9)', '("a", n)', '("", 10)'],
  ["0..=5; other", "n", undefined],
  ["true; false", "n > 1", undefined],
  ["true", "n > 1", "false"],
  ["(true, _); (_, true)", "(n > 1, n > 2)", "(false, false)"],
  ["(true, _); (_, true); (false, false)", "(n > 1, n > 2)", undefined],
  ["Option::None; Option::Some(true)", "Option::Some(n > 1)", "Option::Some(false)"],
  ["Option::None; Option::Some(true | false)", "Option::Some(n > 1)", undefined],
  ["o @ Option::None; Some(_)", "Option::Some(n > 1)", undefined],
  [
    "Pair { left: true, .. }; Pair { right: Option::None, .. }",
    pair,
    "Pair { left: false, right: Option::Some(_) }",
  ],
  ["Pair { left: true, .. }; Pair { left: false, right: _ }", pair, undefined],
  ["[a, b]", "[1, 2]", undefined],
  ["[a, .., 5]; [..]", "[1, 2]", undefined],
  ["[a, .., 5]", "[1, 2]", "[_, 0]"],
  ['"a"; "b"', '"a"', '""'],
  ['""; "b"', '"a"', '"a"'],
  ["x where n > 1", "n", "_"],
  ["(0, true); (_, false); (_, x)", "(n, n > 1)", undefined],
])("%s of %s", (patterns, subject, expected) => {
  expect(missing(patterns, subject)).toBe(expected);
});
