// Finds programs that nest too deeply to be compiled, and says where: a long chain of operators, or
// of functions that call one another.

import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import type * as ast from "../tree/ast.ts";
import type { Span } from "../../base/source.ts";

/** The greatest number of nodes inside one another. The paths of `a + b + c` are three deep. */
const maximalNodes = 8192;

/**
 * The greatest number of calls inside one another, where the body of each function calls the next
 * function.
 */
const maximalCalls = 2048;

/**
 * A shorter text cannot reach a limit: every node takes at least one character, and every function
 * takes more than four.
 */
const shortText = maximalNodes;

/**
 * The message for a module that is certainly too deep. It is asked for before anything else walks
 * the tree.
 */
export function beyondDepth(module: ast.Module): Diagnostic | undefined {
  if (module.source.text.length < shortText) return undefined;
  const node = deepestNode(module);
  if (node.depth > maximalNodes) return tooManyNodes(node);
  const call = deepestCall(module);
  return call && call.depth > maximalCalls ? tooManyCalls(call) : undefined;
}

/** The message for a module on which the compiler ran out of stack. */
export function outOfStack(module: ast.Module): Diagnostic {
  const call = deepestCall(module);
  const node = deepestNode(module);
  return call && call.depth * nodesOfCall > node.depth ? tooManyCalls(call) : tooManyNodes(node);
}

/** One call takes about as much of the stack as this many nodes. */
const nodesOfCall = 4;

function tooManyNodes({ depth, span }: Deep): Diagnostic {
  const help = "bind inner parts, or parts of a long chain, to names with `let`";
  return error(
    "E0115",
    `this stands ${depth} levels deep, which is too deep to be compiled`,
    span,
    { help },
  );
}

function tooManyCalls({ depth, span, outermost }: DeepCall): Diagnostic {
  const labels = [{ span: outermost, text: "the outermost of these calls" }];
  const help =
    "let one function call several of the others in turn, and bind what they give with `let`";
  const others = `${depth - 1} other calls`;
  const title = `this call stands inside ${others}, which is too deep to be compiled`;
  return error("E0115", title, span, { labels, help });
}

interface Deep {
  readonly depth: number;
  readonly span: Span;
}

interface DeepCall extends Deep {
  readonly outermost: Span;
}

interface Node {
  readonly kind: string;
  readonly span: Span;
}

/** The first of the deepest nodes of a tree. */
function deepestNode(module: ast.Module): Deep {
  let deepest: Deep = { depth: 0, span: module.span };
  const pending: { readonly node: object; readonly depth: number }[] = [
    { node: module.statements, depth: 0 },
  ];
  for (let at = pending.pop(); at; at = pending.pop()) {
    const { node, depth } = at;
    if (isNode(node) && depth > deepest.depth) deepest = { depth, span: node.span };
    for (const child of childrenOf(node).reverse())
      pending.push({ node: child, depth: isNode(child) ? depth + 1 : depth });
  }
  return deepest;
}

function childrenOf(node: object): object[] {
  return Object.entries(node).flatMap(([key, child]) =>
    key !== "span" && key !== "operatorSpan" && typeof child === "object" && child !== null
      ? [child as object]
      : [],
  );
}

function isNode(thing: object): thing is Node {
  return "kind" in thing && typeof thing.kind === "string" && "span" in thing;
}

/** One function in the search for the deepest chain of calls. */
interface Called {
  readonly uses: readonly ast.Path[];
  /** How many calls nest below this function. `undefined` before the function has been measured. */
  height?: number;
  /** The use that leads to the deepest call. */
  deepest?: ast.Path;
}

/**
 * The innermost call of the deepest chain. Calls are found by the names of functions. A function
 * that calls itself counts once.
 */
function deepestCall(module: ast.Module): DeepCall | undefined {
  const functions = new Map<string, Called>();
  const outside: ast.Path[] = [];
  for (const { paths, owner } of pathsByOwner(module)) {
    if (owner === undefined) outside.push(...paths);
    else functions.set(owner, { uses: paths });
  }
  const main: Called = { uses: outside };
  measure(main, functions);
  for (const called of functions.values())
    if (called.height === undefined) measure(called, functions);
  const all = [main, ...functions.values()];
  const first = all.reduce((best, each) => (each.height! > best.height! ? each : best));
  if (first.height === 0) return undefined;
  let last = first.deepest!;
  for (let next = calledName(last); ;) {
    const { deepest } = functions.get(next)!;
    if (!deepest) return { depth: first.height!, span: last.span, outermost: first.deepest!.span };
    last = deepest;
    next = calledName(last);
  }
}

/**
 * Computes the heights of a function and of all functions that it uses. The stack is explicit
 * because the chain may be very long.
 */
function measure(start: Called, functions: ReadonlyMap<string, Called>): void {
  const pending: { readonly at: Called; next: number; height: number }[] = [
    { at: start, next: 0, height: 0 },
  ];
  const entered = new Set([start]);
  for (let top = pending.at(-1); top; top = pending.at(-1)) {
    const use = top.at.uses[top.next];
    if (!use) {
      top.at.height = top.height;
      pending.pop();
      continue;
    }
    const used = functions.get(calledName(use));
    if (used && used.height === undefined && !entered.has(used)) {
      entered.add(used);
      pending.push({ at: used, next: 0, height: 0 });
      continue;
    }
    if (used?.height !== undefined && used.height + 1 > top.height) {
      top.height = used.height + 1;
      top.at.deepest = use;
    }
    top.next++;
  }
}

function calledName({ segments }: ast.Path): string {
  return segments.at(-1)!.text;
}

interface Owned {
  /**
   * The function, or the named lambda, that contains the paths. `undefined` for the rest of the
   * program.
   */
  readonly owner: string | undefined;
  readonly paths: ast.Path[];
}

function pathsByOwner(module: ast.Module): readonly Owned[] {
  const program: Owned = { owner: undefined, paths: [] };
  const found: Owned[] = [program];
  const pending: { readonly node: object; readonly into: Owned }[] = [
    { node: module.statements, into: program },
  ];
  for (let at = pending.pop(); at; at = pending.pop()) {
    const { node } = at;
    let { into } = at;
    if (isNode(node) && node.kind === "path") into.paths.push(node as ast.Path);
    const owner = ownerOf(node);
    if (owner !== undefined) found.push((into = { owner, paths: [] }));
    for (const child of childrenOf(node)) pending.push({ node: child, into });
  }
  return found;
}

/** The name of `fn f(…)` or of `let f = |x| …`. */
function ownerOf(node: object): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.kind === "fn") return (node as unknown as ast.Fn).name.text;
  if (node.kind !== "let") return undefined;
  const { pattern, value } = node as unknown as ast.Let;
  return value.kind === "lambda" && pattern.kind === "name" ? pattern.name.text : undefined;
}
