// What goes wrong with eager tensors: an error whose message says what was asked, of what, and what
// to write instead.

export class TensorError extends Error {
  override readonly name = "TensorError";
}
