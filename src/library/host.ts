// What the library asks of the host it runs in: whether it is a page that has to stay awake, and a
// console.

interface Host {
  readonly document?: unknown;
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly console?: { log(text: string): void };
}

const host = globalThis as Host;

/** The main thread of a browser: it has a document, and is not Node with a simulation of one. */
export function isBrowserPage(): boolean {
  return host.document !== undefined && !isNode();
}

export function isNode(): boolean {
  return host.process?.versions?.node !== undefined;
}

export function consoleOf(): Host["console"] {
  return host.console;
}
