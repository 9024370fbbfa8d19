// Draws a sample of faults, spread over the files in proportion to their size. Equal seeds give
// equal samples.

/** Numbers in [0, 1) from a seed: mulberry32. @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * For each file, the number of faults to seed, and all its faults in the order in which to take
 * them. A fault that cannot be bundled is replaced by the next one.
 * @param {readonly { path: string, text: string, faults: readonly import("./faults.mjs").Fault[]
 *   }[]} files
 * @param {number} size @param {number} seed
 */
export function drawSample(files, size, seed) {
  const random = randomFrom(seed);
  const able = files.filter(({ faults }) => faults.length > 0);
  const counts = shares(able, size);
  return able.map((file, at) => ({
    ...file,
    count: counts[at],
    faults: shuffled(file.faults, random),
  }));
}

/**
 * Shares by largest remainders. No file is given more faults than it has; the rest goes to the
 * other files.
 */
function shares(files, size) {
  const whole = Math.min(
    size,
    files.reduce((total, { faults }) => total + faults.length, 0),
  );
  const bytes = files.reduce((total, { text }) => total + text.length, 0);
  const exact = files.map(({ text }) => (size * text.length) / bytes);
  const counts = files.map(({ faults }, at) => Math.min(faults.length, Math.floor(exact[at])));
  const byRemainder = files
    .map((_, at) => at)
    .sort((a, b) => (exact[b] % 1) - (exact[a] % 1) || a - b);
  for (let given = counts.reduce((a, b) => a + b, 0); given < whole;) {
    for (const at of byRemainder) {
      if (given === whole) break;
      if (counts[at] === files[at].faults.length) continue;
      counts[at]++;
      given++;
    }
  }
  return counts;
}

function shuffled(items, random) {
  const all = [...items];
  for (let end = all.length - 1; end > 0; end--) {
    const at = Math.floor(random() * (end + 1));
    [all[end], all[at]] = [all[at], all[end]];
  }
  return all;
}
