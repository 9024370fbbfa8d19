// Inputs of a built program whose names are names that every object has.

import { expect, test } from "vitest";
import type { Built } from "./built.ts";
import { givenTo } from "./given.ts";

test.each(["constructor", "toString", "__proto__"])(
  "an input called `%s` is missing where nobody gives it",
  (name) => {
    const inputs = [{ name, dtype: "f32", shape: [] }];
    const built = { source: "p.ein", inputs, dimensions: [] } as unknown as Built;
    expect(() => givenTo(built, {})).toThrow(`E0801: the input \`${name}\` is missing`);
    const own = Object.fromEntries([[name, 2.5]]);
    expect(givenTo(built, own).given[0]!.cells).toEqual(Float32Array.of(2.5));
  },
);
