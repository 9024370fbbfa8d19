// The names that are offered for a mistyped name.

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
  ["normalise", ["normalize", "normal"], "normalize", "British for American"],
  ["normalization", ["normalisation"], "normalisation", "American for British"],
  ["colour", ["color", "colon"], "color", "a letter of the spelling"],
  ["colours", ["color", "columns"], "color", "plural and spelling"],
  ["centre", ["center", "central"], "center", "letters in another order"],
  ["grey", ["gray", "grid"], "gray", "a vowel of the spelling"],
  ["analyse", ["analyze"], "analyze", "British for American"],
  ["argsorts", ["argsort", "argsort_by"], "argsort", "plural for singular"],
  ["weight", ["weights", "height"], "weights", "singular for plural: before a slip"],
  ["index", ["indices", "inner"], "indices", "an irregular plural"],
  ["matrices", ["matrix"], "matrix", "an irregular plural"],
  ["axes", ["axis"], "axis", "an irregular plural"],
  ["bias", ["biases"], "biases", "a plural in es"],
  ["losses", ["loss", "looses"], "loss", "a plural in es"],
  ["entry", ["entries"], "entries", "a plural in ies"],
  ["softMax", ["softmax", "softmin"], "softmax", "camel case for one word"],
  ["layerNorm", ["layer_norm", "layers"], "layer_norm", "camel case for snake case"],
  ["learning_rate", ["learningRate"], "learningRate", "snake case for camel case"],
  ["LearningRates", ["learning_rate"], "learning_rate", "both, and a plural"],
  ["maxPool", ["max_pool1d"], "max_pool1d", "an unfinished name in camel case"],
])("closest(%j, %j) is %j: %s", (word, candidates, expected) => {
  expect(closest(word, candidates)).toBe(expected);
  expect(closest(word, candidates.toReversed())).toBe(expected);
});

test.each([
  ["x", ["y", "z"], "single letters are different names"],
  ["ab", ["ba", "ac"], "and so are pairs"],
  ["xs", ["x"], "what ends in s is no plural where it is that short"],
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

const anyOrder =
  "one slip in a name of five letters or more is always found, in any order of candidates";
test(anyOrder, () => {
  const name = fc.stringMatching(/^[a-z]{5,12}$/);
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom("drop", "double", "swap"), (word, where, slip) => {
      const at = where % (word.length - 1);
      const [before, here, next, after] = [
        word.slice(0, at),
        word[at]!,
        word[at + 1]!,
        word.slice(at + 2),
      ];
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
