// The interface between the command line and its process. Tests use a recorder in its place.

export interface Stream {
  readonly write: (text: string) => void;
  /**
   * Whether the stream is a terminal. Tensors are then aligned, and text is coloured unless the
   * environment forbids it.
   */
  readonly isTerminal: boolean;
  readonly columns: number;
}

export interface Io {
  readonly out: Stream;
  readonly err: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time in milliseconds, on a clock that never goes back. */
  readonly now: () => number;
  /** The text of standard input, if it has been read before. */
  readonly standardInput?: string | undefined;
  /**
   * Runs the command line again on a larger stack. Undefined if this is the larger stack already.
   */
  readonly onLargerStack?: (words: readonly string[], standardInput?: string) => Promise<ExitCode>;
}

/**
 * Terminals get colour, unless NO_COLOR or FORCE_COLOR decides otherwise (https://no-color.org).
 */
export function wantsColour(stream: Stream, env: Io["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTerminal && env["TERM"] !== "dumb";
}

/** The exit codes, which scripts rely on. */
export const exitCode = { fine: 0, programWrong: 1, commandWrong: 2 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
