// Types of numbers as NumPy and PyTorch name them.

/** `f32` for `float`, `np.float32`, `torch.float` and `"float32"`; nothing for any other text. */
export function ownType(text: string): string | undefined {
  const name = /^["']?(?:(?:np|numpy|jnp|torch|tf)\.)?(\w+)["']?$/.exec(text)?.[1] ?? "";
  return types.get(name.replace(/_$/, ""));
}

const types: ReadonlyMap<string, string> = new Map([
  ["float", "f32"],
  ["float32", "f32"],
  ["single", "f32"],
  ["FloatTensor", "f32"],
  ["float16", "f16"],
  ["half", "f16"],
  ["float64", "f64"],
  ["double", "f64"],
  ["DoubleTensor", "f64"],
  ["int", "i32"],
  ["int8", "i8"],
  ["int32", "i32"],
  ["IntTensor", "i32"],
  ["int64", "i64"],
  ["long", "i64"],
  ["LongTensor", "i64"],
]);
