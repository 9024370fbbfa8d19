// Says that functions and data are there to be run: who compiles a program with some calls this,
// and has what they need from then on.

export function readyToCall(): void {
  // Being called is all that it is for: it lies with what runs functions (functions.ts,
  // scalar/data.ts).
}
