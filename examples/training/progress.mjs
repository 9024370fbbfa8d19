// How far a training has come, in one line of the terminal that is written over; where nobody watches, nothing is written.

/** At most this often, in milliseconds. */
const every = 100;

/**
 * @param {number} steps how many there are
 * @param {{ stream?: { isTTY?: boolean, write(text: string): unknown, columns?: number }, now?: () => number, from?: number }} [options]
 */
export function progress(
  steps,
  { stream = process.stderr, now = () => performance.now(), from = 0 } = {},
) {
  const begun = now();
  let told = -Infinity;
  const watched = Boolean(stream.isTTY) && process.env.TERM !== "dumb";
  return {
    /** A step is done. */
    tell(step, loss) {
      const time = now();
      if (!watched || (time - told < every && step < steps)) return;
      told = time;
      const seconds = (time - begun) / 1000;
      const rate = (step - from) / Math.max(seconds, 1e-9);
      const left = rate > 0 ? ` · ${duration((steps - step) / rate)} left` : "";
      const text = `step ${step} of ${steps} · ${short(rate)} steps/s · loss ${loss.toFixed(4)}${left}`;
      stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    /** The line makes room for what is written next. */
    done() {
      if (watched) stream.write("\r\u001b[K");
    },
  };
}

function duration(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function short(rate) {
  return rate >= 10 ? rate.toFixed(0) : rate.toFixed(1);
}
