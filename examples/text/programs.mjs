// What the transformer of this folder is held to: a table of pairs of letters, on the part of the book that neither has seen.

import { bigramLoss, book, train } from "./train.mjs";

const below = (nats) => ({
  text: `${Math.abs(nats)} nats per letter ${nats < 0 ? "above" : "below"} a bigram model`,
  holds: (value) => value >= nats,
});

const sizes = { layers: 2, heads: 4, depth: 24, hidden: 384, places: 64 };
const small = { layers: 2, heads: 2, depth: 16, hidden: 64, places: 32 };

export const programs = [
  {
    name: "text",
    bar: { small: below(-0.6), full: below(0.5) },
    async measure({ full, path }) {
      const text = book();
      const { loss } = await train(
        full
          ? { text, sizes, batch: 16, steps: 1000, rate: 0.004, path }
          : {
              text: { ...text, test: text.test.subarray(0, 8192) },
              sizes: small,
              batch: 16,
              steps: 60,
              rate: 0.01,
              path,
            },
      );
      const gain = bigramLoss(text) - loss;
      return {
        value: gain,
        shown: `${loss.toFixed(3)} nats, ${Math.abs(gain).toFixed(3)} ${gain < 0 ? "above" : "below"}`,
      };
    },
  },
];
