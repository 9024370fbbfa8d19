// Text as UTF-8 bytes. Browsers and Node both have the coders; the core's types, which know
// neither, are told so here.

declare class TextDecoder {
  constructor(label: "utf-8", options: { readonly fatal: boolean });
  decode(bytes: Uint8Array): string;
}

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

/** Nothing where the bytes are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
