// Blocks that a run takes from the memory and gives back.

import { describe, expect, it } from "vitest";
import { closeArena, give, openArena, take } from "./arena.ts";

describe("an arena", () => {
  it("gives the smallest block that is large enough again, and joins what touches", () => {
    const arena = openArena();
    const [a, b, c, d] = [640, 64, 320, 64].map((bytes) => take(arena, bytes)) as [
      number,
      number,
      number,
      number,
    ];
    give(arena, a, 640);
    give(arena, c, 320);
    expect(take(arena, 300)).toBe(c);
    expect(take(arena, 64)).toBe(a);
    give(arena, a, 64);
    give(arena, b, 64);
    expect(take(arena, 704)).toBe(a);
    give(arena, d, 64);
    expect(take(arena, 128)).toBe(d);
    closeArena(arena);
  });

  it("lies above those that are open, and begins where they began once they are closed", () => {
    const outer = openArena();
    const first = take(outer, 1000);
    const inner = openArena();
    expect(take(inner, 10)).toBeGreaterThanOrEqual(first + 1000);
    closeArena(inner);
    closeArena(outer);
    const next = openArena();
    expect(take(next, 10)).toBe(first);
    closeArena(next);
  });
});
