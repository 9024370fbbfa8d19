// A command line for tests: runs `ein` in this process, with a recorder instead of the terminal and
// a folder of its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Setting {
  readonly terminal?: boolean;
  readonly env?: Record<string, string>;
  /** The clock. It stands still by default. */
  readonly now?: () => number;
}

/** What `--json` prints. */
export interface Json {
  readonly values?: Record<string, { dtype: string; shape: number[]; data: unknown[] }>;
  readonly printed?: string[];
  readonly errors?: Message[];
  readonly warnings?: Message[];
  readonly time?: Record<string, number>;
}

export interface Message {
  readonly code: string;
  readonly message: string;
  readonly help?: string;
  readonly line?: number;
  readonly column?: number;
  readonly endColumn?: number;
}

export interface Session {
  readonly ein: (words: readonly string[], setting?: Setting) => Promise<Answer>;
  /**
   * Runs a command with `--json`. Standard output must be JSON only, and standard error must be
   * empty.
   */
  readonly json: (
    ...words: readonly string[]
  ) => Promise<{ readonly code: number; readonly object: Json }>;
  /** Writes a file and returns its path. */
  readonly file: (name: string, content: string | Uint8Array) => string;
  readonly path: (name: string) => string;
}

/** A session for one test file. Its folder is removed after the tests of the file. */
export function session(): Session {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  return {
    ein,
    path,
    file(name, content) {
      writeFileSync(path(name), content);
      return path(name);
    },
    async json(...words) {
      const { code, out, err } = await ein([...words, "--json"]);
      expect(err).toBe("");
      expect(out).toMatch(/^\{.*\}\n$/);
      return { code, object: JSON.parse(out) as Json };
    },
  };
}

async function ein(words: readonly string[], setting: Setting = {}): Promise<Answer> {
  const { terminal = false, env = {}, now = () => 0 } = setting;
  let out = "";
  let err = "";
  const stream = (write: (text: string) => void) => ({ write, isTerminal: terminal, columns: 80 });
  const io: Io = {
    out: stream((text) => (out += text)),
    err: stream((text) => (err += text)),
    env,
    now,
  };
  const code = await main(words, io);
  return { code, out, err };
}
