// Terms of the solver as scalars at a site. A term is written in the coordinates of the site; a
// lookup inside it, as in `at[i] + 1`, becomes a read. Here too are the definitions whose values
// terms use.

import { resolved } from "../check/types/sizes.ts";
import type { Typed } from "../check/types/typed.ts";
import { scalar as scalarType } from "../check/types/types.ts";
import { constant, ofVariable, type Atom, type Term, type Variable } from "../affine/term.ts";
import { someVariable, substitute, variablesOf } from "../affine/visit.ts";
import { writtenOut } from "../affine/write-out.ts";
import { compared } from "../ir/integers.ts";
import { define, lower, materialise } from "./forms.ts";
import { enclosing, type Lowering, type Site } from "./site.ts";
import { isMade, stopped } from "./functions/made.ts";
import { outerVariables } from "../check/ranges/outer-variables.ts";
import type { Scalar } from "../ir/program.ts";
import type { Agreement } from "../affine/agreement.ts";
import { claim } from "../base/claim.ts";
import { integerScalar } from "../ir/substitute.ts";
import type { OperationName } from "../scalar/operations.ts";

/** A term in the coordinates of the definition that is being lowered. */
export function termHere(site: Site, written: Term): Term {
  const term = resolved(written);
  const values = new Map<Variable, Term>();
  for (const v of variablesOf(term)) {
    const here = site.here.get(v);
    if (here) values.set(v, here);
  }
  needScalars(site, term);
  return values.size === 0 ? term : substitute(term, values);
}

/** Makes the definition wait for the integer scalars whose values a term uses. */
export function needScalars(site: Site, term: Term): void {
  const { lowering } = site;
  for (const v of variablesOf(term)) {
    let definition = lowering.scalars.get(v);
    if (!definition) {
      const binding = lowering.checker.scalars.get(v);
      const value = lowering.checker.opaqueValue.get(v);
      if (!binding && !value) continue;
      const top: Site = {
        ...site,
        here: new Map(),
        conditions: [],
        locals: new Map(),
        owner: "extent",
        needs: new Set(),
      };
      definition = binding
        ? define(top, binding).definition
        : materialise(top, value!, value!.span, claim(lowering.taken, "extent")).definition;
      lowering.scalars.set(v, definition);
    }
    site.needs.add(definition);
  }
}

/** Whether the opaque variables of a term are the same for all coordinates around the site. */
export function evaluable(site: Site, term: Term): boolean {
  return !someVariable(term, (v) => {
    const value = site.lowering.checker.opaqueValue.get(v);
    return (
      value !== undefined &&
      (outerVariables([value], enclosing(site), site.lowering.checker.opaqueValue).length > 0 ||
        isMade(site, value))
    );
  });
}

/** A term as an expression, with the expressions that its opaque variables stand for. */
export function typedOf(lowering: Lowering, term: Term): Typed {
  const span = [...variablesOf(term)].flatMap(
    (v) => lowering.checker.opaqueValue.get(v)?.span ?? [],
  )[0]!;
  const type = scalarType("i32");
  const integer_ = (value: Term): Typed => ({ kind: "integer", term: value, type, span });
  const apply = (operation: OperationName, operands: readonly Typed[]): Typed => ({
    kind: "apply",
    operation,
    operands,
    type,
    span,
  });
  const ofAtom = (atom: Atom): Typed => {
    switch (atom.kind) {
      case "variable":
        return (
          lowering.checker.opaqueValue.get(atom.variable) ?? integer_(ofVariable(atom.variable))
        );
      case "floor":
        return apply("divide", [typedOf(lowering, atom.dividend), typedOf(lowering, atom.divisor)]);
      case "min":
      case "max": {
        const { kind } = atom;
        return atom.members
          .map((member) => typedOf(lowering, member))
          .reduce((a, b) => apply(kind, [a, b]));
      }
      default:
        return atom satisfies never;
    }
  };
  return writtenOut(term, {
    constant: (value) => integer_(constant(value)),
    atom: ofAtom,
    apply: (operation, a, b) => apply(operation, [a, b]),
  });
}

/** A bound as a scalar, even if it is looked up by coordinates. */
export function extentAt(site: Site, written: Term): Scalar {
  const extent = resolved(written);
  return evaluable(site, extent)
    ? integerScalar(termHere(site, extent))
    : lower(site, typedOf(site.lowering, extent));
}

/** A value that ends the run where extents disagree. */
export function agreed(
  site: Site,
  agreements: readonly Agreement[] | undefined,
  value: Scalar,
): Scalar {
  return (agreements ?? []).reduceRight<Scalar>((then, { left, right, text, span }) => {
    const [a, b] = [extentAt(site, left), extentAt(site, right)];
    const otherwise = stopped({ kind: "agreement", text, span }, [a, b], then.type);
    return {
      kind: "select",
      type: then.type,
      condition: compared("equal", a, b, span),
      then,
      otherwise,
    };
  }, value);
}
