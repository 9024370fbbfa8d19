// Loads the code that runs functions and data. A compilation calls this for a program that needs
// the code, because a run cannot wait until a part of the bundle is loaded.

export function readyToCall(): void {
  // Nothing to do: this file is in the same part of the bundle as the code that runs functions
  // (functions.ts, scalar/data.ts), so a call of it loads that part.
}
