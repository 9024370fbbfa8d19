// Text as UTF-8 bytes. Browsers and Node both have `TextDecoder` and `TextEncoder`. The types of
// the core know neither of the two hosts, so this file declares the classes.

declare class TextDecoder {
  constructor(label: "utf-8", options: { readonly fatal: boolean });
  decode(bytes: Uint8Array): string;
}

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

/** The text, or undefined if the bytes are not UTF-8. */
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
