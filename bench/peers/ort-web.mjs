// The rows in ONNX Runtime as WebAssembly, under Node.

import { serve } from "../serve.ts";
import { contenderOf } from "./lib/ort.mjs";

const threads = Number(process.env.EIN_BENCH_THREADS ?? 1);

await serve(async () => {
  const imported = await import("onnxruntime-web");
  const ort = imported.default ?? imported;
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = "error";
  const versions = {
    "onnxruntime-web": ort.env.versions.web,
    "node (ort-web)": process.versions.node,
  };
  return contenderOf(ort, versions, { executionProviders: ["wasm"] }, (outputs) =>
    Object.keys(outputs),
  );
});
