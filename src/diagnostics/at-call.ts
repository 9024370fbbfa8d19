// Reports an error inside the standard library at the call in the user's program.
//
//   topk([1.0, 2.0], 5)      the call is underlined; the line of `std/array.ein` gets a label

import { isInLibrary, textOf, type Span } from "../base/source.ts";
import { error, type Diagnostic } from "./diagnostic.ts";

/** The same message at the call. A message about the program itself stays as it is. */
export function atCall(diagnostic: Diagnostic, call: Span | undefined): Diagnostic {
  const { level, code, title, span, text, labels } = diagnostic;
  if (level !== "error" || !call || !span || !isInLibrary(span)) return diagnostic;
  const callee = /[\w:]+(?=\s*[[(])/.exec(textOf(call))?.[0] ?? textOf(call);
  const name = callee.split("::").at(-1)!;
  const reason = reasonOf(diagnostic);
  return error(code, `\`${name}\` fails in this call: ${title}`, call, {
    labels: [{ span, text: text ?? "here" }, ...labels.filter((label) => isInLibrary(label.span))],
    help:
      reason === undefined
        ? `\`${name}\` cannot be computed for these arguments: give it others`
        : `${reason}; give \`${name}\` other arguments`,
  });
}

/**
 * The reason that the library gives. A comment before a declaration says why a value there may not
 * be finite, and may name the operand that shows it:
 *
 *   // Not finite where u[i, i] = 0.0: the matrix is singular
 */
function reasonOf({ code, span, text = "" }: Diagnostic): string | undefined {
  if (code !== "E0907" || !span) return undefined;
  const [, operand, reason] =
    /\/\/ Not finite(?: where (.+))?: (.+)\n\s*$/.exec(span.source.text.slice(0, span.start)) ?? [];
  const isShown = operand === undefined || text.replaceAll("-0.0", "0.0").includes(operand);
  return isShown ? reason : undefined;
}
