// WebAssembly as every host offers it, with the types that this backend needs.

export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Module {
  readonly module?: never;
}

export interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WebAssemblyHost {
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: boolean;
  }) => Memory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => Module;
  readonly Instance: new (
    module: Module,
    imports: { readonly host: Readonly<Record<string, unknown>> },
  ) => Instance;
  readonly RuntimeError: new () => Error;
  readonly CompileError: new () => Error;
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

const found = (globalThis as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly;

// (func (result v128) i32.const 0 i32x4.splat)
const vectorModule = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 17,
  11,
]);
let supportsVectors: boolean | undefined;

/** Whether this host runs WebAssembly with vector instructions. The answer is found once. */
export function hasWebAssembly(): boolean {
  supportsVectors ??= found !== undefined && found.validate(vectorModule);
  return supportsVectors;
}

export function webAssembly(): WebAssemblyHost {
  if (!found) throw new Error("this host has no WebAssembly");
  return found;
}

/**
 * Whether a kernel stopped at an instruction that it could not do, such as a read outside of the
 * memory.
 */
export function isTrap(failure: unknown): boolean {
  return found !== undefined && failure instanceof found.RuntimeError;
}

/** Whether the host refused a module because it, or a part of it, is too large. */
export function isRefusal(failure: unknown): boolean {
  const isCompileError = found !== undefined && failure instanceof found.CompileError;
  return isCompileError || failure instanceof RangeError;
}
