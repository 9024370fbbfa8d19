// All programs of the repository that request a derivative: cases, examples, benchmarks, and the
// lists beside the tests of gradients.

import { readdirSync, readFileSync } from "node:fs";
import { choices } from "../gradients/cost-choices.ts";
import { layers, products, rewritten, walks } from "../gradients/cost-layers.ts";
import { powers } from "../gradients/cost-powers.ts";
import { programs } from "../gradients/cost-programs.ts";
import { runningInSteps } from "../gradients/cost-running.ts";
import { shapes } from "../gradients/cost-shapes.ts";

export interface Named {
  readonly name: string;
  readonly text: string;
  /** The values of inputs, as JSON. Other inputs are drawn. */
  readonly given: ReadonlyMap<string, string>;
}

/** `root` is the folder of the repository. */
export function askingPrograms(root: string): readonly Named[] {
  const files = ["test/cases", "examples", "bench/programs"].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ein"))
      .toSorted()
      .map((path) =>
        fromFile(`${folder}/${path}`, readFileSync(`${root}/${folder}/${path}`, "utf8")),
      ),
  );
  const written = Object.entries({
    ...choices,
    ...layers,
    ...powers,
    ...products,
    ...programs,
    ...rewritten,
    ...runningInSteps,
    ...shapes,
    ...walks,
  });
  const all = [...files, ...written.map(([name, text]) => ({ name, text, given: new Map() }))];
  return all.filter(({ text }) => /@[\w(]/.test(text.replace(/\/\/.*/g, "")));
}

function fromFile(path: string, text: string): Named {
  const given = [...text.matchAll(/^\s*\/\/< (\w+) = (.*)$/gm)];
  const values = given.map(([, name, json]) => [name!, json!] as const);
  return { name: path.replace(/\.ein$/, ""), text, given: new Map(values) };
}
