// What the library loads when it is first asked to compile a text: the front end of the compiler,
// and calls of functions, which are texts too.

export { compileCore } from "../driver/core.ts";
export { needsDerivatives } from "../driver/rooms.ts";
export { callProgram } from "./call.ts";
