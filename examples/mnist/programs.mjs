// What the networks of this folder are held to.

import { digits } from "./digits.mjs";
import { networks, train } from "./train.mjs";

const over = (part) => ({
  text: `test accuracy > ${(100 * part).toFixed(1)} %`,
  holds: (value) => value > part,
});

const program = (name, network, small, full) => ({
  name,
  bar: { small: over(small.accuracy), full: over(full.accuracy) },
  async measure({ full: isFull, path }) {
    const { pictures, epochs } = isFull ? full : small;
    const [learn, test] = [digits("train", pictures), digits("t10k", isFull ? Infinity : 1000)];
    const { accuracy } = await train(network, { learn, test, epochs, path });
    return { value: accuracy, shown: `${(100 * accuracy).toFixed(2)} %` };
  },
});

export const programs = [
  program(
    "mnist, a hidden layer",
    networks.mlp,
    { accuracy: 0.85, pictures: 5000, epochs: 1 },
    { accuracy: 0.97, pictures: 60_000, epochs: 4 },
  ),
  program(
    "mnist, convolutions",
    networks.cnn,
    { accuracy: 0.8, pictures: 3000, epochs: 1 },
    { accuracy: 0.985, pictures: 60_000, epochs: 3 },
  ),
];
