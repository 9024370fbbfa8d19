// Which functions a function mentions: whether it comes back to itself, how many calls it stands for, and whether it prints.

import type * as ast from "../syntax/ast.ts";
import { pathsIn } from "./free-names.ts";
import { lookUp, lookUpCallee, lookUpModule, type FunctionBinding, type Scope } from "./scope.ts";
import type { Typed } from "./typed.ts";

const mentioned = new WeakMap<FunctionBinding, readonly FunctionBinding[]>();

/** The functions that a body names, also by a path through modules, as often as it does. */
function mentionedIn(callee: FunctionBinding): readonly FunctionBinding[] {
  let known = mentioned.get(callee);
  if (!known) mentioned.set(callee, (known = pathsIn(callee.declaration.body).flatMap((path) => at(callee, path))));
  return known;
}

function at({ scope }: FunctionBinding, { segments }: ast.Path): FunctionBinding | readonly FunctionBinding[] {
  const [first, ...rest] = segments.map((segment) => segment.text);
  if (rest.length === 0) return named(scope, first!);
  let module = lookUpModule(scope, first!);
  for (const step of rest.slice(0, -1)) module = module?.scope.modules.get(step);
  return module?.scope.functions.get(rest.at(-1)!) ?? [];
}

/** What a name calls: a function, or those that a value may be. */
function named(scope: Scope, name: string): FunctionBinding | readonly FunctionBinding[] {
  const found = lookUpCallee(scope, name);
  if (found?.kind === "function") return found;
  return found?.kind === "value" && found.value ? functionsAmong(found.value) : [];
}

/** The functions that a value is, may be, or holds. */
function functionsAmong(value: Typed): readonly FunctionBinding[] {
  switch (value.kind) {
    case "closure":
      return typeof value.callee === "string" ? [] : [value.callee];
    case "block":
      return functionsAmong(value.value);
    case "reference":
      return value.binding.kind === "value" && value.binding.value ? functionsAmong(value.binding.value) : [];
    case "select":
      return [...functionsAmong(value.then), ...functionsAmong(value.otherwise)];
    case "tuple":
      return value.members.flatMap(functionsAmong);
    case "functions":
      return value.among.flatMap(functionsAmong);
    default:
      return [];
  }
}

const recursive = new WeakMap<FunctionBinding, boolean>();

/** Whether the body reaches a call of the function itself. */
export function isRecursive(callee: FunctionBinding): boolean {
  let known = recursive.get(callee);
  if (known === undefined) {
    const reached = new Set(mentionedIn(callee));
    for (const each of reached) for (const further of mentionedIn(each)) reached.add(further);
    known = [...reached].some(({ declaration }) => declaration === callee.declaration);
    recursive.set(callee, known);
  }
  return known;
}

/** The functions that a function reaches, itself included. */
function reachedFrom(callee: FunctionBinding): ReadonlySet<FunctionBinding> {
  const found = new Set([callee]);
  for (const each of found) for (const reached of mentionedIn(each)) found.add(reached);
  return found;
}

const weights = new WeakMap<FunctionBinding, number>();

/** How many calls stand in place of one if all of them are replaced by their bodies. */
export function weightOf(callee: FunctionBinding): number {
  const known = weights.get(callee);
  if (known !== undefined) return known;
  // What comes back here on the way is a function of its own and counts once.
  weights.set(callee, 1);
  const weight = mentionedIn(callee).reduce((sum, each) => sum + weightOf(each), 1);
  weights.set(callee, weight);
  return weight;
}

/** The first `print` or `assert` that a call may reach, itself or through the functions that it is given. */
export function effectIn(callee: FunctionBinding, given: readonly Typed[]): ast.Path | undefined {
  const all = new Set([callee, ...given.flatMap(functionsAmong)].flatMap((each) => [...reachedFrom(each)]));
  const paths = [...all].flatMap(({ declaration }) => pathsIn(declaration.body));
  return paths.find(
    ({ segments: [first, ...rest] }) => rest.length === 0 && (first!.text === "print" || first!.text === "assert"),
  );
}

const numbers = new WeakMap<object, number>();
let count = 0;

/** One number for each thing. */
export function numberOf(thing: object): number {
  let number = numbers.get(thing);
  if (number === undefined) numbers.set(thing, (number = count++));
  return number;
}

/** What the names around a function stand for where it is called: a later `let` may give one of them anew. */
export function surroundings(callee: FunctionBinding): string {
  const seen: number[] = [];
  for (const { declaration, scope } of reachedFrom(callee)) {
    const names = pathsIn(declaration.body).flatMap(({ segments }) =>
      segments.length === 1 ? [segments[0]!.text] : [],
    );
    for (const name of new Set(names)) {
      const binding = lookUp(scope, name);
      if (binding) seen.push(numberOf(binding));
    }
  }
  return seen.join();
}
