// The part of the compiler for derivatives of tensors: their contractions, pushforwards, Jacobians in closed form, and how they are printed.

export { contractJacobians } from "./autodiff/contractions.ts";
export { eliminateDeltas } from "./autodiff/deltas.ts";
export { forward } from "./autodiff/forward.ts";
export { jacobianSource } from "./explain/jacobian-source.ts";
