// What the recovery of the diffusivity is held to.

import { recover } from "./recover.mjs";

const within = (part) => ({
  text: `diffusivity within ${(100 * part).toFixed(0)} %, noise 1 %`,
  holds: (value) => value < part,
});

export const programs = [
  {
    name: "heat",
    bar: { small: within(0.01), full: within(0.01) },
    async measure({ full }) {
      const off = await recover(
        full
          ? { cells: 96, readings: 50, pause: 60, rounds: 8 }
          : { cells: 24, readings: 20, pause: 15, rounds: 6 },
      );
      return { value: off, shown: `${(100 * off).toFixed(3)} % off` };
    },
  },
];
