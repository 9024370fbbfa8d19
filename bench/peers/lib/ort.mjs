// A contender out of an ONNX Runtime: sessions for the rows' graphs.

import { graphOf } from "./onnx-rows.mjs";

/**
 * `wanted` says what a session is asked for: names of outputs, or tensors that it writes them into.
 *
 * @returns {import("../../serve.ts").Contender}
 */
export function contenderOf({ InferenceSession, Tensor }, versions, options, wanted) {
  return {
    versions,
    async prepare(task, inputs) {
      const graph = graphOf(task.id, inputs);
      if (!graph) return undefined;
      const session = await InferenceSession.create(graph.bytes, options);
      const feeds = Object.fromEntries(
        graph.inputs.map((name) => {
          const { dtype, shape, data } = inputs[name];
          return [name, new Tensor(dtype === "i32" ? "int32" : "float32", data, shape)];
        }),
      );
      const fetches = wanted(graph.outputs);
      let latest;
      return {
        run: async () => {
          latest = await session.run(feeds, fetches);
        },
        outputs: () => task.outputs.map((name) => latest[name].data),
        release: () => void session.release(),
      };
    },
  };
}
