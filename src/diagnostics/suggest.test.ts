// Which names are offered for a mistyped one.

import { expect, test } from "vitest";
import fc from "fast-check";
import { closest, didYouMean } from "./suggest.ts";

test.each([
  ["sofmax", ["softmax", "sigmoid"], "softmax", "a letter left out"],
  ["softmaxx", ["softmax"], "softmax", "a letter too many"],
  ["smu", ["sum", "min"], "sum", "neighbours swapped"],
  ["weigths", ["weights", "weight"], "weights", "a swap costs one"],
  ["dw", ["dW", "db"], "dW", "case alone, however short"],
  ["LOGITS", ["logits", "LOGIT"], "logits", "case counts less than letters"],
  ["wX1", ["WX0", "wX2"], "wX2", "case breaks ties"],
  ["batchsize", ["batch_size"], "batch_size", "an underscore left out"],
  ["soft", ["softmax", "softplus"], "softmax", "an unfinished name: the shortest"],
  ["soft", ["softmax", "sort"], "sort", "a slip before an unfinished name"],
  ["hiden", ["hidden", "haden"], "hidden", "equally far: the longer common beginning"],
])("closest(%j, %j) is %j: %s", (word, candidates, expected) => {
  expect(closest(word, candidates)).toBe(expected);
  expect(closest(word, candidates.toReversed())).toBe(expected);
});

test.each([
  ["x", ["y", "z"], "single letters are different names"],
  ["ab", ["ba", "ac"], "and so are pairs"],
  ["banana", ["softmax", "logits"], "nothing in common"],
  ["so", ["softmax"], "too short for a beginning"],
  ["loss", ["loss"], "the word itself is no suggestion"],
  ["", ["a", "sum"], "nothing written"],
  ["loss", [], "no candidates"],
])("closest(%j, %j) is nothing: %s", (word, candidates) => {
  expect(closest(word, candidates)).toBeUndefined();
});

test("the help text", () => {
  expect(didYouMean("sofmax", new Set(["softmax"]))).toBe("did you mean `softmax`?");
  expect(didYouMean("banana", ["softmax"])).toBeUndefined();
});

test("huge names cost nothing", () => {
  const [a, b] = ["x".repeat(100_000), `${"x".repeat(99_999)}y`];
  expect(closest(a, [b, a.toUpperCase()])).toBe(a.toUpperCase());
  expect(closest(a, [b])).toBeUndefined();
});

test("one slip in a name of five letters or more is always found, in any order of candidates", () => {
  const name = fc.stringMatching(/^[a-z]{5,12}$/);
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom("drop", "double", "swap"), (word, where, slip) => {
      const at = where % (word.length - 1);
      const [before, here, next, after] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
      const typed = {
        drop: before + next + after,
        double: before + here + here + next + after,
        swap: before + next + here + after,
      };
      fc.pre(typed[slip] !== word);
      expect(closest(typed[slip], ["Q".repeat(9), word, "Z"])).toBe(word);
    }),
  );
});
