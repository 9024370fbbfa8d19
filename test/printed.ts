// The prints of a program on the oracle, line by line, and the fault that stopped it.

import { expect } from "vitest";
import { compile } from "../src/driver/compile.ts";

export function printed(text: string): readonly string[] {
  const lines: string[] = [];
  const { program, diagnostics } = compile({ name: "test.ein", text });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const { fault } = program!.run({
    backend: "interpret",
    onPrint: (line) => void lines.push(line.text),
  });
  return fault ? [...lines, fault.title] : lines;
}
