// The rows in ONNX Runtime with native code, under Node.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { serve } from "../serve.ts";
import { contenderOf } from "./lib/ort.mjs";

const threads = Number(process.env.EIN_BENCH_THREADS ?? 1);

await serve(async () => {
  const imported = await import("onnxruntime-node");
  const ort = imported.default ?? imported;
  const manifest = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  const options = { executionProviders: ["cpu"], intraOpNumThreads: threads, interOpNumThreads: 1 };
  const size = (shape) => shape.reduce((cells, extent) => cells * extent, 1);
  const inPlace = (outputs) =>
    Object.fromEntries(
      Object.entries(outputs).map(([name, shape]) => [
        name,
        new ort.Tensor("float32", new Float32Array(size(shape)), shape),
      ]),
    );
  return contenderOf(ort, { "onnxruntime-node": version }, options, inPlace);
});
