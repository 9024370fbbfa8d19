// Encodes WebAssembly modules in their binary format, as far as kernels need it: imported functions
// and memory, functions, and exports.

export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

const valueTypes: Record<ValueType, number> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

export interface Signature {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** A function of the host that kernels call. */
export interface ImportedFunction {
  readonly name: string;
  readonly signature: Signature;
}

export interface EncodedFunction {
  readonly signature: Signature;
  /** The types of the locals after the parameters. */
  readonly locals: readonly ValueType[];
  /** Instructions, without the final `end`. */
  readonly code: readonly number[];
  /**
   * Functions of the same module that this function calls; they are not exported. Their indices are
   * not known yet, so the code uses `firstCalled` for the first, `firstCalled + 1` for the next,
   * and so on.
   */
  readonly calls?: readonly EncodedFunction[];
}

/** Larger than every byte of code. */
export const firstCalled = 256;

/**
 * The limits that engines agree on for one function, by the JavaScript interface of WebAssembly.
 */
export const mostParameters = 1000;
const mostLocals = 50_000;
const mostBytes = 7_654_321;

/** Whether engines refuse a function because of its size. */
export function isTooLarge({ signature: { parameters }, locals, code }: EncodedFunction): boolean {
  return (
    parameters.length > mostParameters ||
    parameters.length + locals.length > mostLocals ||
    // The index of a called function takes up to three bytes, and the list of locals a few.
    code.length + 6 * locals.length + 64 > mostBytes
  );
}

export interface ModuleParts {
  readonly imports: readonly ImportedFunction[];
  readonly memory: { readonly pages: number; readonly shared?: { readonly most: number } };
  /** Exported as "0", "1", … */
  readonly functions: readonly EncodedFunction[];
}

/** Unsigned LEB128. */
export function unsigned(out: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}

/** Signed LEB128 of a 32-bit integer. */
export function signed(out: number[], value: number): void {
  let rest = value | 0;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && !(byte & 0x40)) || (rest === -1 && byte & 0x40)) {
      out.push(byte);
      return;
    }
    out.push(byte | 0x80);
  }
}

/** Signed LEB128 of a 64-bit integer. */
export function signedBig(out: number[], value: bigint): void {
  let rest = BigInt.asIntN(64, value);
  for (;;) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    if ((rest === 0n && !(byte & 0x40)) || (rest === -1n && byte & 0x40)) {
      out.push(byte);
      return;
    }
    out.push(byte | 0x80);
  }
}

const view = new DataView(new ArrayBuffer(8));

/** The four bytes of an f32, little-endian. */
export function float32(out: number[], value: number): void {
  view.setFloat32(0, value, true);
  for (let k = 0; k < 4; k++) out.push(view.getUint8(k));
}

/** The eight bytes of an f64, little-endian. */
export function float64(out: number[], value: number): void {
  view.setFloat64(0, value, true);
  for (let k = 0; k < 8; k++) out.push(view.getUint8(k));
}

/**
 * A counted loop, because most of the time of making a kernel is spent here. Before an engine
 * optimises the function, `for … of` makes an object for each byte.
 */
export function append(out: number[], bytes: readonly number[]): void {
  for (let at = 0; at < bytes.length; at++) out.push(bytes[at]!);
}

function encodeText(out: number[], name: string): void {
  // Names have ASCII letters only.
  const bytes = [...name].map((letter) => letter.charCodeAt(0));
  unsigned(out, bytes.length);
  append(out, bytes);
}

function encodeSection(out: number[], id: number, content: readonly number[]): void {
  out.push(id);
  unsigned(out, content.length);
  append(out, content);
}

function encodeVector<T>(
  items: readonly T[],
  write: (out: number[], item: T, at: number) => void,
): number[] {
  const out: number[] = [];
  unsigned(out, items.length);
  items.forEach((item, at) => write(out, item, at));
  return out;
}

function signatureKey({ parameters, results }: Signature): string {
  return `${parameters.join()}>${results.join()}`;
}

/** The bytes of a function's body, as in the code section. */
function encodeBody(
  { locals, code, calls = [] }: EncodedFunction,
  indexOf: (called: EncodedFunction) => number,
): number[] {
  const runs: { type: ValueType; count: number }[] = [];
  for (const type of locals) {
    const last = runs.at(-1);
    if (last?.type === type) last.count++;
    else runs.push({ type, count: 1 });
  }
  const body = encodeVector(runs, (out, { type, count }) => {
    unsigned(out, count);
    out.push(valueTypes[type]);
  });
  if (calls.length === 0) append(body, code);
  else
    for (const byte of code) {
      if (byte < firstCalled) body.push(byte);
      else unsigned(body, indexOf(calls[byte - firstCalled]!));
    }
  body.push(0x0b);
  return body;
}

export function encodeModule({
  imports,
  memory,
  functions: exported,
}: ModuleParts): Uint8Array<ArrayBuffer> {
  const called = new Set(exported.flatMap(({ calls = [] }) => calls));
  const functions = [...exported, ...called];
  const types: Signature[] = [];
  const typeAt = new Map<string, number>();
  const indexOfType = (signature: Signature): number => {
    const key = signatureKey(signature);
    let index = typeAt.get(key);
    if (index === undefined) typeAt.set(key, (index = types.push(signature) - 1));
    return index;
  };
  const importTypes = imports.map((each) => indexOfType(each.signature));
  const functionTypes = functions.map((each) => indexOfType(each.signature));

  const out: number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  const typeSection = encodeVector(types, (content, { parameters, results }) => {
    content.push(0x60);
    append(
      content,
      encodeVector(parameters, (to, type) => void to.push(valueTypes[type])),
    );
    append(
      content,
      encodeVector(results, (to, type) => void to.push(valueTypes[type])),
    );
  });
  encodeSection(out, 1, typeSection);
  const importSection: number[] = [];
  unsigned(importSection, imports.length + 1);
  encodeText(importSection, "host");
  encodeText(importSection, "memory");
  importSection.push(0x02);
  if (memory.shared) {
    importSection.push(0x03);
    unsigned(importSection, memory.pages);
    unsigned(importSection, memory.shared.most);
  } else {
    importSection.push(0x00);
    unsigned(importSection, memory.pages);
  }
  imports.forEach((each, k) => {
    encodeText(importSection, "host");
    encodeText(importSection, each.name);
    importSection.push(0x00);
    unsigned(importSection, importTypes[k]!);
  });
  encodeSection(out, 2, importSection);
  encodeSection(out, 3, encodeVector(functionTypes, unsigned));
  const exportSection = encodeVector(exported, (content, _each, k) => {
    encodeText(content, String(k));
    content.push(0x00);
    unsigned(content, imports.length + k);
  });
  encodeSection(out, 7, exportSection);
  const codeSection = encodeVector(functions, (content, each) => {
    const body = encodeBody(each, (other) => imports.length + functions.indexOf(other));
    unsigned(content, body.length);
    append(content, body);
  });
  encodeSection(out, 10, codeSection);
  return new Uint8Array(out);
}
