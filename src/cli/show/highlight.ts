// Colours Einlang source for a terminal: keywords, numbers, strings, comments and calls.

const codes = { keyword: 35, number: 36, string: 32, comment: 90, call: 34, type: 33 } as const;
type Kind = keyof typeof codes;

const keywords = "let|const|fn|pub|use|mod|as|where|else|if|match|true|false|enum|struct|input|in";
const types = "i8|i32|i64|f16|bf16|f32|f64|bool|str|float|int|num";

// One alternative for each kind, in the order of `kinds`. All other text is not coloured.
const token = new RegExp(
  [
    String.raw`(//[^\n]*)`,
    String.raw`("(?:\\.|[^"\\\n])*"?)`,
    String.raw`(@(?=[\w(])|\b(?:${keywords})\b(?!\s*[,\]]))`,
    String.raw`\b(${types})\b`,
    String.raw`\b([A-Za-z_]\w*)(?=\(|\[[^\]\n]*\]\()`,
    // A number may follow the two points of a range, `0..5`, but not the one point of a field.
    String.raw`((?:(?<=\.\.)\d|(?<![\w.])\.?\d)[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\w*)`,
  ].join("|"),
  "g",
);
const kinds: readonly Kind[] = ["comment", "string", "keyword", "type", "call", "number"];

export function highlight(source: string): string {
  return source.replace(token, (text: string, ...groups: unknown[]) => {
    const kind = kinds[groups.findIndex((group) => group !== undefined)];
    return kind ? `\u001b[${codes[kind]}m${text}\u001b[0m` : text;
  });
}
