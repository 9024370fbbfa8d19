// Puts random comments between the tokens of a program: on lines of their own, at the ends of
// lines, and as doc comments.

import fc from "fast-check";
import { lex } from "../../src/syntax/lex/lexer.ts";

export interface Spot {
  /** The number of the token after the comment, modulo the number of tokens. */
  readonly token: number;
  /** The text between the token before and the slashes. */
  readonly lead: " " | "\n" | "\n\n/";
}

export const spots: fc.Arbitrary<Spot[]> = fc.array(
  fc.record({ token: fc.nat(10_000), lead: fc.constantFrom<Spot["lead"][]>(" ", "\n", "\n\n/") }),
  { minLength: 1, maxLength: 6 },
);

/** The program with one numbered comment at each spot. */
export function withComments(text: string, at: readonly Spot[]): string {
  const { tokens } = lex({ name: "<generated>", text });
  const places = at
    .map(({ token, lead }) => ({ place: tokens[token % tokens.length]!.start, lead }))
    .sort((a, b) => a.place - b.place);
  let result = "";
  let from = 0;
  places.forEach(({ place, lead }, k) => {
    result += `${text.slice(from, place)}${lead}// comment ${k}\n`;
    from = place;
  });
  return result + text.slice(from);
}

/** One program for each place: the same comment before each token in turn. */
export function everySpot(text: string, lead: Spot["lead"]): string[] {
  const { tokens } = lex({ name: "<generated>", text });
  return tokens.map((_, token) => withComments(text, [{ token, lead }]));
}
