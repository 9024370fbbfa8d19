// Searches a syntax tree for names, paths, index expressions, calls and statements. The names are
// only collected here; what they stand for is decided in `scope.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";

/** The plain names that a syntax tree reads. `onCall` receives every call. */
export function namesReadIn(node: object, onCall?: (call: ast.Call) => void): Set<string> {
  const names = new Set<string>();
  eachNode(node, (at) => {
    if (isPath(at)) {
      if (at.segments.length === 1) names.add(at.segments[0]!.text);
      return false;
    }
    if (isCall(at)) onCall?.(at);
    return true;
  });
  return names;
}

/**
 * The plain names that a syntax tree reads, without those that only give a size, as `c` in
 * `extent(c)`.
 */
export function namesBesideSizes(node: object): Set<string> {
  const names = new Set<string>();
  eachNode(node, (at) => {
    if (isPath(at) && at.segments.length === 1) names.add(at.segments[0]!.text);
    return !(
      isPath(at) ||
      (isCall(at) && at.callee.kind === "path" && at.callee.segments[0]!.text === "extent")
    );
  });
  return names;
}

/** Every path in a syntax tree, once for each occurrence. */
export function pathsIn(node: object): readonly ast.Path[] {
  const found: ast.Path[] = [];
  eachNode(node, (at) => {
    if (!isPath(at)) return true;
    found.push(at);
    return false;
  });
  return found;
}

const denominators = new WeakMap<object, ReadonlySet<string>>();

/** The names of the denominators in a syntax tree: `x` for `@y / @x` and for `@y / @x[t - 1]`. */
export function denominatorsIn(node: object): ReadonlySet<string> {
  const known = denominators.get(node);
  if (known) return known;
  const names = new Set<string>();
  denominators.set(node, names);
  eachNode(node, (at) => {
    const { kind, operator, right } = at as Partial<ast.Binary>;
    if (kind !== "binary" || operator !== "/" || right?.kind !== "unary" || right.operator !== "@")
      return true;
    const { operand } = right;
    const name = operand.kind === "index" ? operand.base : operand;
    if (name.kind === "path" && name.segments.length === 1) names.add(name.segments[0]!.text);
    return true;
  });
  return names;
}

/** How often the right side and the guards of a declaration read a name. */
export function occurrences({ value, where }: ast.IndexedLet, name: string): number {
  let count = 0;
  eachNode({ value, where }, (at) => {
    if (isPath(at) && at.segments.length === 1 && at.segments[0]!.text === name) count++;
    return true;
  });
  return count;
}

/**
 * The names that a syntax tree reads, and all other names in it: bound names, fields and types.
 */
export function namesOf(node: object): {
  readonly read: readonly ast.Name[];
  readonly bound: ReadonlySet<string>;
} {
  const read: ast.Name[] = [];
  const bound = new Set<string>();
  eachNode(node, (at) => {
    if (isPath(at)) {
      if (at.segments.length === 1) read.push(at.segments[0]!);
      return false;
    }
    if (!("kind" in at) && "text" in at && typeof at.text === "string") bound.add(at.text);
    return true;
  });
  return { read, bound };
}

/** Every index expression in a syntax tree. */
export function indexNodes(node: object): readonly ast.Index[] {
  const found: ast.Index[] = [];
  eachNode(node, (at) => {
    if ("kind" in at && at.kind === "index" && "items" in at) found.push(at as ast.Index);
    return true;
  });
  return found;
}

export function hasCall(node: object): boolean {
  return callsIn(node).length > 0;
}

/** Every call in a syntax tree. */
export function callsIn(node: object): readonly ast.Call[] {
  const found: ast.Call[] = [];
  eachNode(node, (at) => {
    if (isCall(at)) found.push(at);
    return true;
  });
  return found;
}

/** The comparisons in a syntax tree. */
export function comparisons(node: object): readonly ast.Binary[] {
  const found: ast.Binary[] = [];
  eachNode(node, (at) => {
    if (
      "kind" in at &&
      at.kind === "binary" &&
      /^([=!]=|[<>]=?)$/.test((at as ast.Binary).operator)
    )
      found.push(at as ast.Binary);
    return true;
  });
  return found;
}

/** Every statement in a syntax tree, also inside functions and blocks. */
export function statementsIn(node: object): readonly ast.Statement[] {
  const found: ast.Statement[] = [];
  eachNode(node, (at) => {
    if ("kind" in at && "allow" in at) found.push(at as ast.Statement);
    return true;
  });
  return found;
}

/** The blocks of a syntax tree that contain a span, outermost first. */
export function blocksAround(node: object, { start, end }: Span): readonly ast.Block[] {
  const found: ast.Block[] = [];
  eachNode(node, (at) => {
    if (!("kind" in at) || at.kind !== "block" || !("statements" in at)) return true;
    const block = at as ast.Block;
    if (block.span.start <= start && end <= block.span.end) found.push(block);
    return true;
  });
  return found;
}

/** The expressions that contain a span, outermost first. */
export function nodesAt(node: object, { start, end }: Span): readonly ast.Expression[] {
  const found: ast.Expression[] = [];
  eachNode(node, (at) => {
    const { span } = at as { readonly span?: Span };
    if (!span) return true;
    if (start < span.start || span.end < end) return false;
    if ("kind" in at && !("allow" in at)) found.push(at as ast.Expression);
    return true;
  });
  return found;
}

/**
 * Visits nodes from the top. `visit` says whether to go on below a node. Chains of operators may be
 * long, so this function does not recurse.
 */
function eachNode(node: object, visit: (node: object) => boolean): void {
  const pending: object[] = [node];
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (!visit(at)) continue;
    for (const key in at) {
      if (key === "span" || key === "operatorSpan") continue;
      const child = (at as Record<string, unknown>)[key];
      if (!isObject(child)) continue;
      if (!Array.isArray(child)) pending.push(child);
      else for (const part of child as unknown[]) if (isObject(part)) pending.push(part);
    }
  }
}

function isObject(child: unknown): child is object {
  return typeof child === "object" && child !== null;
}

function isPath(node: object): node is ast.Path {
  return "kind" in node && node.kind === "path" && "segments" in node;
}

function isCall(node: object): node is ast.Call {
  return "kind" in node && node.kind === "call" && "callee" in node;
}

/** The names that a pattern binds. */
export function patternNames(pattern: ast.Pattern): readonly string[] {
  switch (pattern.kind) {
    case "name":
      return [pattern.name.text];
    case "at":
      return [pattern.name.text, ...patternNames(pattern.pattern)];
    case "tuple":
      return pattern.members.flatMap(patternNames);
    case "array":
      return [...pattern.before, ...pattern.after]
        .flatMap(patternNames)
        .concat(pattern.rest?.name?.text ?? []);
    case "or":
      return pattern.alternatives.flatMap(patternNames);
    case "variant":
    case "struct":
      return pattern.fields.flatMap((field) => patternNames(field.pattern));
    case "wildcard":
    case "literal":
    case "range":
    case "missing":
      return [];
    default:
      return pattern satisfies never;
  }
}
