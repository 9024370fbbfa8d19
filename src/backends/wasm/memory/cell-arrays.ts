// The array types through which the host sees cells in the kernels' memory. Half-width floats are
// kept as f32.

export const cellArrays = {
  bool: Uint8Array,
  i8: Int8Array,
  i32: Int32Array,
  i64: BigInt64Array,
  f16: Float32Array,
  bf16: Float32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
