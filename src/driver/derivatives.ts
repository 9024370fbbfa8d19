// The stage that answers derivatives. Only programs that request some need it
// (`analyse/asked-of-program.ts`).

import { leftOutOf } from "../autodiff/legality/left-out.ts";
import { checkRules } from "../autodiff/legality/linearity.ts";
import { answerRequests, zeroDerivative, type Asked } from "../autodiff/requests/requests.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { derivedFrom } from "../explain/source/derived-source.ts";
import { jacobianSource } from "../explain/source/jacobian-source.ts";
import { tangentEquation } from "../explain/ledger/tangent.ts";
import type { Variable } from "../affine/term.ts";
import type { HostPart, Program } from "../ir/program.ts";
import type { Module } from "../syntax/tree/ast.ts";
import type { Span } from "../base/source.ts";

export { derivedSource } from "../explain/source/derived-source.ts";

/** Gives every request its definition, and every `print` of a derivation its text. */
export function withDerivatives(
  module: Module,
  program: Program,
  extents: Iterable<Variable>,
  asked?: Asked,
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } {
  const wrong = answerDerivatives(program, extents, asked);
  const { program: told, diagnostics: shown } = withDerivations(module, program, extents);
  return { program: told, diagnostics: [...shown, ...wrong] };
}

/**
 * Answers requests in place. The result says what is wrong with the requests and with the tangent
 * rules that they use.
 */
export function answerDerivatives(
  program: Program,
  extents: Iterable<Variable>,
  asked?: Asked,
): readonly Diagnostic[] {
  return [...checkRules(program), ...answerRequests(program, extents, asked)];
}

/** Writes the texts of `print(@y)` and `print(@y / @x)`. */
function withDerivations(
  module: Module,
  program: Program,
  extents: Iterable<Variable>,
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const named = new Set([...program.outputs.values()].map((output) => output.definition));
  const shown = (part: HostPart, span: Span): HostPart => {
    if (part.kind !== "derivation") return part;
    if (!part.wrt)
      return {
        kind: "text",
        text: tangentEquation(part.of, (definition) => named.has(definition)),
      };
    const derived =
      part.of.axes.length > 0
        ? jacobianSource(module, program, part.of, part.wrt, part.names ?? [], extents)
        : derivedFrom(module, program, part.of, [part.wrt], extents);
    if ("diagnostics" in derived) {
      diagnostics.push(...derived.diagnostics.map((each) => ({ ...each, span })));
      return { kind: "text", text: "" };
    }
    const { of } = part;
    const leftOut = leftOutOf(program, of)(part.wrt, span);
    const independent = leftOut.length > 0 ? [] : derived.independent;
    diagnostics.push(...leftOut, ...independent.map((wrt) => zeroDerivative(of, wrt, span)));
    return { kind: "text", text: derived.source.trimEnd() };
  };
  const actions = program.actions.map((action) =>
    action.kind === "print"
      ? {
          ...action,
          parts: action.parts.map((parts) => parts.map((part) => shown(part, action.span))),
        }
      : action,
  );
  return { program: { ...program, actions }, diagnostics };
}
