// The edge between the command line and the process it runs in; tests put a recorder in its place.

export interface Stream {
  readonly write: (text: string) => void;
  /** Someone watches: align tensors, and use colour unless told otherwise. */
  readonly isTerminal: boolean;
  readonly columns: number;
}

export interface Io {
  readonly out: Stream;
  readonly err: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** What standard input held, where it has been read before. */
  readonly standardInput?: string | undefined;
  /** Works on the command line once more, on a larger stack; absent where there is none. */
  readonly onLargerStack?: (words: readonly string[], standardInput?: string) => Promise<ExitCode>;
}

/**
 * Colour is for people who watch, unless NO_COLOR or FORCE_COLOR decides (https://no-color.org).
 */
export function wantsColour(stream: Stream, env: Io["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTerminal && env["TERM"] !== "dumb";
}

/** Exit codes, a contract with scripts. */
export const exitCode = { fine: 0, programWrong: 1, commandWrong: 2 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
