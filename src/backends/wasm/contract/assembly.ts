// A helper for functions that are written by hand, instruction by instruction. Loops and branches
// nest as functions of TypeScript do.

import type { EncodedFunction, ValueType } from "../code/encode.ts";
import { unsigned } from "../code/encode.ts";
import { call, constI32, get, memory, op, set, shuffle } from "../code/emitter.ts";
import type { MemoryOpcode, Opcode } from "../code/opcodes.ts";

export interface Assembly {
  local(type: ValueType): number;
  get(...locals: readonly number[]): void;
  set(local: number): void;
  tee(local: number): void;
  i32(value: number): void;
  op(...names: readonly Opcode[]): void;
  /** Loads or stores at the address on the stack plus an offset. */
  at(name: MemoryOpcode, offset: number): void;
  shuffle(bytes: readonly number[]): void;
  call(index: number): void;
  /**
   * Runs the body while `local` is below the value that `below` pushes. `local` must have its start
   * value already; `by` is added after each round. The comparison is unsigned, so that addresses
   * may lie on either side of 2 GiB.
   */
  loop(local: number, below: () => void, by: number | (() => void), body: () => void): void;
  /** Takes the condition from the stack. */
  when(then: () => void, otherwise?: () => void): void;
}

export function assemble<const P extends readonly ValueType[]>(
  parameters: P,
  results: readonly ValueType[],
  write: (asm: Assembly, parameters: { readonly [K in keyof P]: number }) => void,
): EncodedFunction {
  const locals: ValueType[] = [];
  const code: number[] = [];
  const asm: Assembly = {
    local: (type) => parameters.length + locals.push(type) - 1,
    get(...from) {
      for (const local of from) get(code, { local });
    },
    set: (local) => set(code, local),
    tee(local) {
      code.push(0x22);
      unsigned(code, local);
    },
    i32: (value) => constI32(code, value),
    op(...names) {
      for (const name of names) op(code, name);
    },
    at: (name, offset) => memory(code, name, offset),
    shuffle: (bytes) => shuffle(code, bytes),
    call: (index) => call(code, index),
    loop(local, below, by, body) {
      get(code, { local });
      below();
      op(code, "i32.lt_u");
      code.push(0x04, 0x40, 0x03, 0x40); // if, loop
      body();
      get(code, { local });
      if (typeof by === "number") constI32(code, by);
      else by();
      op(code, "i32.add");
      asm.tee(local);
      below();
      op(code, "i32.lt_u");
      code.push(0x0d, 0x00, 0x0b, 0x0b); // br_if 0, end, end
    },
    when(then, otherwise) {
      code.push(0x04, 0x40);
      then();
      if (otherwise) {
        op(code, "else");
        otherwise();
      }
      op(code, "end");
    },
  };
  write(asm, parameters.map((_, k) => k) as { readonly [K in keyof P]: number });
  return { signature: { parameters, results }, locals, code };
}
