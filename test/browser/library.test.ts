// The library in a real browser: it compiles and runs a program, and shows a message on the page.

import { describe, expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { examine as compile, renderHtml } from "../../src/doors/explain.ts";

describe("on a page", () => {
  test("programs run on another thread, and `run` says so", async () => {
    const program = await library.compile("input x: [f32; n];\nlet y = sum[i](x[i] ** 2);");
    expect(() => program.run({ x: [1] })).toThrow("error[E0803]: `run` would stop the page");
    const { y } = await program.runAsync({ x: [1, 2, 3] });
    expect(y!.data[0]).toBe(14);
    const { z } = await library.ein`let z[i] = 2.0 * ${[1, 2]}[i];`;
    expect([...z!.data]).toEqual([2, 4]);
  });

  test("a long run tells how far it is, and is ended by its signal", async () => {
    const program = await library.compile(
      "let h[0] = 1.0;\nlet h[t in 1..1000000000] = sin(h[t - 1]) + 0.1;\nlet y = h[999999999];",
    );
    const control = new AbortController();
    let last = 0;
    const run = program.runAsync(
      {},
      {
        get: ["y"],
        signal: control.signal,
        onProgress: ({ steps }) => {
          last = steps?.done ?? last;
          if (last > 0) control.abort();
        },
      },
    );
    await expect(run).rejects.toThrow("aborted");
    expect(last).toBeGreaterThan(0);
  });
});

describe("in a browser", () => {
  test("a matrix product is compiled and run", () => {
    const text = `
      let A = [[1.0, 2.0], [3.0, 4.0]];
      let B = [[5.0, 6.0], [7.0, 8.0]];
      let C[i, j] = sum[k](A[i, k] * B[k, j]);
    `;
    const { diagnostics, program } = compile({ name: "page.ein", text });
    expect(diagnostics).toEqual([]);
    const result = program!.run({ get: ["C"] });
    expect(result.fault).toBeUndefined();
    const { value } = result.values.get("C")!;
    expect(value.shape).toEqual([2, 2]);
    expect([...value.data]).toEqual([19, 22, 43, 50]);
  });

  test("a recurrence, a guarded function and a gradient give the numbers of Node", () => {
    const text = `
      fn share[j](x: [f32; j]) -> [f32; j] { x[j] / sum[j](x[j]) }
      let h[0] = 1.0;
      let h[t in 1..5] = 0.5 * h[t - 1] + 1.0;
      let part[t] = share[t](h[t]) where t > 0;
      let x = [1.0, 2.0, 3.0];
      let energy = sum[i](x[i] ** 3);
      let slope = @energy / @x;
    `;
    const { diagnostics, program } = compile({ name: "page.ein", text });
    expect(diagnostics).toEqual([]);
    const { values, fault } = program!.run({ get: ["h", "part", "slope"] });
    expect(fault).toBeUndefined();
    const cells = (name: string) => [...values.get(name)!.value.data].map(Number);
    expect(cells("h")).toEqual([1, 1.5, 1.75, 1.875, 1.9375]);
    expect(cells("part")[0]).toBe(0);
    expect(cells("part").reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    expect(cells("slope")).toEqual([3, 12, 27]);
  });

  test("a syntax error is shown on the page", () => {
    const { diagnostics, program } = compile({ name: "page.ein", text: "let a = (1 + 2;\n" });
    expect(program).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(["E0112"]);
    const place = document.createElement("div");
    place.innerHTML = diagnostics.map(renderHtml).join("\n");
    document.body.append(place);
    expect(place.querySelector("figcaption")!.textContent).toContain("error[E0112]");
    expect(place.textContent).toContain("let a = (1 + 2;");
    expect(place.getBoundingClientRect().height).toBeGreaterThan(0);
  });
});
