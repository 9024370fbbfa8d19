// Writes an ONNX model, in the few parts of the format that the rows need. The numbers are those of
// the fields in the format's published description.

const float = 1;
const int32 = 6;
const int64 = 7;

/**
 * A graph: nodes as `[operation, inputs, outputs, attributes]`, inputs and outputs by name with
 * their type and shape, constants by name with their cells.
 *
 * @typedef {readonly [string, readonly string[], readonly string[], Record<string, unknown>?]} Node
 * @param {readonly Node[]} nodes
 * @param {Record<string, { dtype: string, shape: readonly number[] }>} inputs
 * @param {Record<string, readonly number[]>} outputs
 * @param {Record<string, number | readonly number[]>} constants
 * @returns {Uint8Array}
 */
export function model(nodes, inputs, outputs, constants = {}) {
  const graph = [
    ...nodes.flatMap((node) => part(1, nodeBytes(...node))),
    ...text(2, "row"),
    ...Object.entries(constants).flatMap(([name, value]) => part(5, constantBytes(name, value))),
    ...Object.entries(inputs).flatMap(([name, { dtype, shape }]) =>
      part(11, valueInfo(name, dtype === "i32" ? int32 : float, shape)),
    ),
    ...Object.entries(outputs).flatMap(([name, shape]) => part(12, valueInfo(name, float, shape))),
  ];
  const operations = [...text(1, ""), ...number(2, 17)];
  return Uint8Array.from([...number(1, 8), ...part(7, graph), ...part(8, operations)]);
}

function nodeBytes(operation, inputs, outputs, attributes = {}) {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...outputs.flatMap((name) => text(2, name)),
    ...text(4, operation),
    ...Object.entries(attributes).flatMap(([name, value]) =>
      part(5, [...text(1, name), ...attributeBytes(value)]),
    ),
  ];
}

/** An integer, a list of integers, or a real number written as `{ real: 0.1 }`. */
function attributeBytes(value) {
  if (Array.isArray(value)) return [...value.flatMap((each) => number(8, each)), ...number(20, 7)];
  if (typeof value === "object")
    return [(2 << 3) | 5, ...bytesOf(Float32Array.of(value.real)), ...number(20, 1)];
  return [...number(3, value), ...number(20, 2)];
}

/** A real scalar, or a list of integers. */
function constantBytes(name, value) {
  const isList = Array.isArray(value);
  const cells = isList ? BigInt64Array.from(value, BigInt) : Float32Array.of(value);
  return [
    ...(isList ? number(1, value.length) : []),
    ...number(2, isList ? int64 : float),
    ...text(8, name),
    ...part(9, bytesOf(cells)),
  ];
}

function valueInfo(name, element, shape) {
  const dimensions = shape.flatMap((extent) => part(1, number(1, extent)));
  return [...text(1, name), ...part(2, part(1, [...number(1, element), ...part(2, dimensions)]))];
}

const bytesOf = (cells) => [...new Uint8Array(cells.buffer)];
const part = (field, bytes) => [...varint((field << 3) | 2), ...varint(bytes.length), ...bytes];
const text = (field, characters) => part(field, [...Buffer.from(characters)]);
const number = (field, value) => [...varint(field << 3), ...varint(value)];

function varint(value) {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(value));
  while (left > 127n) {
    bytes.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  return [...bytes, Number(left)];
}
