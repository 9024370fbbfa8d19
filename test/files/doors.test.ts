// The file functions of the library: a written file can be read again, by them and by the readers
// of bytes, and wrong files throw.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  readCsv,
  readNpy,
  readNpz,
  readSafetensors,
  writeCsv,
  writeNpy,
  writeNpz,
  writeSafetensors,
} from "../../src/doors/formats.ts";
import { load, save } from "../../src/doors/node/files.ts";
import { EinError, tensor, type Value } from "../../src/index.ts";

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ein-doors-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const x = tensor("f32", [2, 2], Float32Array.of(1, 2.5, -3, 0));
const n = tensor("i64", [2], BigInt64Array.of(1n, -(2n ** 60n)));

test("bytes of every format", () => {
  expect(readNpy(writeNpy(x))).toEqual(x);
  expect(readNpz(writeNpz({ x, n }), "n")).toEqual(n);
  expect(readSafetensors(writeSafetensors({ x, n }), "x")).toEqual(x);
  expect(readCsv(writeCsv(x))).toEqual(x);
  expect(readCsv("a\n1\n2\n", "i32", 1)).toEqual(tensor("i32", [2], Int32Array.of(1, 2)));
});

test("files of every format", () => {
  const at = (name: string): string => join(folder, name);
  save(at("x.npy"), x);
  save(at("x.csv"), x);
  save(at("all.npz"), { x, n });
  save(at("all.safetensors"), { x, n });
  writeFileSync(at("x.json"), "[[1, 2.5], [-3, 0]]");
  expect(load(at("x.npy"))).toEqual(x);
  expect(load(at("x.csv"))).toEqual(x);
  expect(load(at("all.npz:n"))).toEqual(n);
  expect(load(at("all.safetensors:x"))).toEqual(x);
  expect(load(at("x.json"))).toEqual(x);
  expect(load(at("x.json"), { dtype: "f64" }).dtype).toBe("f64");
  expect(readNpy(new Uint8Array(readFileSync(at("x.npy"))))).toEqual(x);
});

test("what `fetch` gives", () => {
  const { buffer } = writeNpy(x).slice();
  expect(readNpy(buffer)).toEqual(x);
  expect(() => readNpy([1, 2] as unknown as Uint8Array)).toThrow(
    "given as a Uint8Array or an ArrayBuffer",
  );
});

test(
  "many files in one turn of the event loop leave no listeners behind, " +
    "and those of the process are its own",
  async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    for (let k = 0; k < 20; k++) save(join(folder, `x${k}.npy`), x);
    expect(process.listenerCount("SIGINT")).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(process.listenerCount("SIGINT")).toBe(0);
    const own = (): void => undefined;
    process.on("SIGINT", own);
    save(join(folder, "x.npy"), x);
    expect(process.listeners("SIGINT")).toEqual([own]);
    process.off("SIGINT", own);
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  },
);

test("what cannot be read or written is thrown, with a reason", () => {
  const messages = [
    () => load(join(folder, "nothing.npy")),
    () => load("x.txt"),
    () => load(join(folder, "all.npz:z")),
    () => save(join(folder, "y.npy"), { x }),
    () => save(join(folder, "y.npz"), x),
    () => save(join(folder, "y.csv"), tensor("f32", [1, 1, 1], new Float32Array(1))),
    () => save("y.json", x),
    () => save(join(folder, "y.npy"), undefined as unknown as Value),
    () => save(join(folder, "y.npy"), null as unknown as Value),
    () => save(join(folder, "y.safetensors"), { __metadata__: x }),
    () => save(join(folder, "no/where.npy"), x),
    () => readNpy(new Uint8Array(3)),
    () => readCsv("1,2\n3\n"),
    () => save(join(folder, "y.npy"), { ...x, shape: [99] }),
    () => writeNpz({ x: { ...x, data: new Float64Array(6) } as unknown as Value }),
    () => writeNpy(tensor("bf16", [1], new Float32Array(1))),
  ].map((action) => {
    try {
      action();
      return "";
    } catch (problem) {
      return problem instanceof EinError ? problem.diagnostics[0]!.code : String(problem);
    }
  });
  expect(messages).toEqual([
    "E0881",
    "E0883",
    "E0881",
    "E0882",
    "E0882",
    "E0882",
    "E0883",
    "E0882",
    "E0882",
    "E0882",
    "E0882",
    "E0881",
    "E0881",
    "E0882",
    "E0882",
    "E0882",
  ]);
});

test("the build's doors throw the error that the library exports", async () => {
  const built = (name: string): Promise<unknown> =>
    import(new URL(`../../dist/${name}.js`, import.meta.url).href);
  const [library, files] = (await Promise.all([built("index"), built("files")])) as [
    { EinError: typeof EinError },
    { load: typeof load },
  ];
  expect(() => files.load(join(folder, "nothing.npy"))).toThrow(library.EinError);
});
