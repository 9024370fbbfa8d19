// A real terminal for tests: Python runs the built command in a pseudo-terminal and plays a script.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withoutColour } from "../support/colour.ts";

const player = fileURLToPath(new URL("play-terminal.py", import.meta.url));
const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));

/** Wait for a text, type a text, or let some seconds pass. */
export type Step =
  { readonly wait: string } | { readonly type: string } | { readonly pause: number };

export interface Played {
  /** Everything that was written, without colours and cursor movements. */
  readonly screen: string;
  /** How long each wait took. */
  readonly seconds: readonly number[];
  /** The exit code, or the negated signal. `null` if the process had to be killed. */
  readonly exit: number | null;
  /** The text that was waited for and did not appear. */
  readonly missing: string | null;
}

export interface Terminal {
  readonly words?: readonly string[];
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export const enter = "\r";
export const tab = "\t";
export const up = "\u001b[A";
export const ctrlC = "\u0003";
export const ctrlD = "\u0004";

export async function play(
  { words = ["repl"], columns = 80, env = {} }: Terminal,
  steps: readonly Step[],
): Promise<Played> {
  const script = { command: [process.execPath, ein, ...words], columns, env, steps };
  const child = spawn("python3", [player], { stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stdin.end(JSON.stringify(script));
  await new Promise((resolve) => child.on("close", resolve));
  const played = JSON.parse(out) as Played;
  return { ...played, screen: withoutColour(played.screen).replaceAll("\r", "") };
}

/** Types a line at a prompt and waits for the next prompt. */
export function line(text: string, next = "ein> "): readonly Step[] {
  return [{ type: `${text}${enter}` }, { wait: next }];
}
