// The error of eager tensors. Its message says which call failed, on which values, and what to
// write instead.

export class TensorError extends Error {
  override readonly name = "TensorError";
}
