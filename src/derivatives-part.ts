// The part of the compiler for derivatives of tensors (their contractions, pushforwards, Jacobians in closed form, and how they are printed), and through
// what is split before it is differentiated: contractions of many factors and long expressions.

export { contractJacobians } from "./autodiff/contractions.ts";
export { eliminateDeltas } from "./autodiff/deltas.ts";
export { forward } from "./autodiff/forward.ts";
export { jacobianSource } from "./explain/jacobian-source.ts";
export { splitContractions } from "./autodiff/split-contractions.ts";
export { splitExpressions } from "./autodiff/split-expressions.ts";
