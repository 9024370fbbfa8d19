// What the library asks of its host: whether it is a page that must stay responsive, and its
// console.

interface Host {
  readonly document?: unknown;
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly console?: { log(text: string): void };
}

const host = globalThis as Host;

/** Whether this is the main thread of a browser. Node with a simulated document is not. */
export function isBrowserPage(): boolean {
  return host.document !== undefined && !isNode();
}

export function isNode(): boolean {
  return host.process?.versions?.node !== undefined;
}

export function consoleOf(): Host["console"] {
  return host.console;
}
