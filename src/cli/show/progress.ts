// Shows the progress of a long run in one line of the terminal, which is overwritten. Nothing is
// shown if standard error is not a terminal.

import type { Progress } from "../../backends/progress.ts";
import type { Io } from "../io.ts";

/** Milliseconds after which a run counts as long, and milliseconds between two updates. */
const patience = 1000;
const pause = 100;

interface ProgressLine {
  readonly tell: (progress: Progress) => void;
  /** Removes the line before other text is written. */
  readonly clear: () => void;
}

export function progressLine({ err, env, now }: Io): ProgressLine | undefined {
  if (!err.isTerminal || env["TERM"] === "dumb") return undefined;
  const begun = now();
  let told = begun + patience - pause;
  let isShown = false;
  let loop = { name: "", begun, from: 0 };
  return {
    tell(progress) {
      const time = now();
      const { name, steps } = progress;
      if (steps && (name !== loop.name || steps.done < loop.from))
        loop = { name, begun: time, from: steps.done };
      if (time - told < pause) return;
      told = time;
      isShown = true;
      err.write(
        `\r\u001b[K${lineText(progress, time - loop.begun, loop.from).slice(0, err.columns - 1)}`,
      );
    },
    clear() {
      if (isShown) err.write("\r\u001b[K");
      isShown = false;
    },
  };
}

/** The name of what is computed, the speed of its loop, and the estimated time left. */
function lineText({ name, steps, fraction }: Progress, milliseconds: number, from: number): string {
  if (!steps) return `${name} · ${Math.floor(100 * fraction)} %`;
  // The work after the loop, such as prints and files, has no steps to count.
  if (steps.done >= steps.of) return `${name} · the last step is done`;
  const rate = (1000 * (steps.done - from)) / milliseconds;
  const speed =
    rate > 0 && Number.isFinite(rate)
      ? ` · ${rateText(rate)} · ${duration((steps.of - steps.done) / rate)} left`
      : "";
  return (
    `${name} · step ${steps.done.toLocaleString("en")} of ` +
    `${steps.of.toLocaleString("en")}${speed}`
  );
}

function rateText(rate: number): string {
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en")} steps/s`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
