// Types of `import program from "./model.ein?program"`, for projects that use the Vite plugin: `/// <reference types="einlang/client" />`.

declare module "*.ein?program" {
  import type { Program } from "einlang";
  export const program: Program;
  export default program;
}
