// Makes sure that a bundle contains what runs functions and data: whoever compiles a program with
// functions or data calls this.

export function readyToCall(): void {
  // The import alone has the effect: this file lies with the code that runs functions
  // (functions.ts, scalar/data.ts).
}
