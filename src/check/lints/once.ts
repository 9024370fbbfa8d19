// One mistake, one message. If the same mistake occurs at several places, it is reported at the
// first, and the other places are labels.

import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";

/**
 * Removes repeated messages. A function is checked anew for each of its calls, but a mistake in it
 * is reported once. A lint is reported again if its title differs, for example by the names of the
 * axes.
 */
export function onceEach(diagnostics: readonly Diagnostic[], module: ast.Module): Diagnostic[] {
  const places = new Set<string>();
  const distinct = diagnostics.filter(({ level, code, title, span }) => {
    const said = level === "error" ? code : title;
    const key = `${level} ${said} ${span?.source.name} ${span?.start} ${span?.end}`;
    if (!span || !places.has(key)) return places.add(key);
    return false;
  });
  return oncePerName(distinct, module);
}

/**
 * Merges the messages about one name. An undefined name is one mistake however often it is used,
 * and so is a function that lacks a parameter.
 */
function oncePerName(diagnostics: readonly Diagnostic[], module: ast.Module): Diagnostic[] {
  // A message about another file belongs to the name of that file.
  const statementOf = ({ start, source }: Span): number | string =>
    source === module.source
      ? module.statements.findIndex(({ span }) => span.start <= start && start < span.end)
      : source.name;
  // A free coordinate belongs to its statement. There, its use as a value (E0201) is the same
  // mistake as its use as an index (E0301).
  const free = new Set(
    diagnostics.flatMap(({ code, span }) =>
      code === "E0301" && span ? [`${textOf(span)}@${statementOf(span)}`] : [],
    ),
  );
  const mistakeKeyOf = ({
    code,
    title,
    span,
    labels: [declared],
  }: Diagnostic): string | undefined => {
    if (!span) return undefined;
    // These messages have the same words for every use, and point at one declaration.
    if (code === "E0410" && title.endsWith("cannot be indexed"))
      return declared && `${code} ${title} ${declared.span.start}`;
    if (code === "E0501" || code === "E0402" || code === "E0414")
      return declared && `${code} ${title} ${declared.span.start}`;
    if (
      code === "E0205" ||
      code === "E0208" ||
      (code === "E0404" && title.startsWith("there is no"))
    )
      return `${code} ${title}`;
    if (code !== "E0201" && code !== "E0202" && code !== "E0301") return undefined;
    const local = `${textOf(span)}@${statementOf(span)}`;
    return free.has(local) ? local : textOf(span);
  };
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const key = mistakeKeyOf(diagnostic);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), diagnostic]);
  }
  return diagnostics.flatMap((diagnostic): Diagnostic[] => {
    const group = groups.get(mistakeKeyOf(diagnostic) ?? "");
    if (!group || group.length === 1) return [diagnostic];
    // The message that knows the name as a coordinate (E0301) explains best.
    const [first, ...others] = [...group].sort(
      (a, b) => rank(a) - rank(b) || a.span!.start - b.span!.start,
    );
    if (diagnostic !== first) return [];
    const known = new Set([first.span!.start, ...first.labels.map((label) => label.span.start)]);
    const labels = others
      .filter(({ span }) => !known.has(span!.start))
      .map(({ span }) => ({ span: span!, text: "and here" }));
    const whole = { ...first, labels: [...first.labels, ...labels] };
    return [first.code === "E0410" ? { ...whole, ...jointRepair(group) } : whole];
  });
}

/**
 * One repair with the edits of all messages. Without fixes if a message has no repair of its own.
 */
function jointRepair(group: readonly Diagnostic[]): Pick<Diagnostic, "fixes"> {
  const fixes = group.flatMap(({ fixes: own }) => own?.slice(0, 1) ?? []);
  if (fixes.length < group.length) return {};
  const titles = [...new Set(fixes.map(({ title }) => title))].join(", ");
  return { fixes: [{ title: titles, edits: fixes.flatMap(({ edits }) => edits) }] };
}

function rank({ code }: Diagnostic): number {
  return code === "E0301" ? 0 : 1;
}
