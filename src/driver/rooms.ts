// The rooms of the compiler that only some programs need. A page loads them with `import()`, for
// the first program that needs them; what compiles without waiting has all of them.
//
//   let y = x * x;                         the front end alone
//   let y = x * x; let g = @y / @x;        `derivatives` too
//   program.run({ x })                     `runs` too

import type * as runs from "../run/run.ts";
import { lex } from "../syntax/lex/lexer.ts";
import type { Source } from "../base/source.ts";
import type * as derivatives from "./derivatives.ts";

export interface Rooms {
  /** Answers `@y / @x` and writes derived programs as source. */
  readonly derivatives?: typeof derivatives;
  /** Runs programs: the oracle and kernels. */
  readonly runs?: typeof runs;
}

/** A room that is needed now. Who compiles has to have it: see `needsDerivatives`. */
export function present<Room>(room: Room | undefined, name: keyof Rooms): Room {
  if (!room) throw new Error(`the room \`${name}\` of the compiler has not been loaded`);
  return room;
}

/**
 * Whether a text may ask for derivatives or give rules for them: where it has an `@`, or says
 * `std` or `mod`, because another text may have an `@` that is not seen here.
 */
export function needsDerivatives(source: Source): boolean {
  return lex(source).tokens.some(({ kind, text, start, end }) => {
    if (kind === "string") return source.text.slice(start, end).includes("@");
    return kind === "@" || kind === "mod" || text === "std";
  });
}
