// Finds two names that are forms of one word: British and American, plural and singular, snake and
// camel case.
//
//   normalise, normalize      indices, index      layerNorm, layer_norm      colours, color

/** Spellings, each with the form that stands for all of them. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/is(?=ations?$|ing$|e$|ed$|er$|es$)/, "iz"],
  [/ys(?=ing$|e$|ed$|er$|es$)/, "yz"],
  [/our/g, "or"],
  [/tre$/, "ter"],
  [/grey/g, "gray"],
  [/ogue$/, "og"],
  [/ence$/, "ense"],
  [/ll/g, "l"],
];

/** Endings of plurals, irregular ones first. */
const plurals: readonly (readonly [RegExp, string])[] = [
  [/(ind|vert|ap)ices$/, "$1ex"],
  [/ices$/, "ix"],
  [/axes$/, "axis"],
  [/([^aeiou])ies$/, "$1y"],
  [/(s|x|z|ch|sh)es$/, "$1"],
  [/([^s])s$/, "$1"],
];

/** A word of at most this length has no plural: `xs` and `x` are different names. */
const shortest = 3;

export function sameWord(a: string, b: string): boolean {
  return rootOf(a) === rootOf(b);
}

function rootOf(name: string): string {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_")
    .toLowerCase()
    .split("_");
  return words.map((word) => spelled(singular(word))).join("");
}

/**
 * The rules are repeated, so a singular may lose an `s` too: `biases` and `bias` both become `bia`.
 */
function singular(word: string): string {
  if (word.length <= shortest) return word;
  const rule = plurals.find(([ending]) => ending.test(word));
  return rule ? singular(word.replace(rule[0], rule[1])) : word;
}

function spelled(word: string): string {
  return spellings.reduce((text, [form, usual]) => text.replace(form, usual), word);
}
