// Which functions a function mentions: whether it is recursive, how many calls one call stands for,
// and whether it prints.

import type * as ast from "../../../syntax/tree/ast.ts";
import { pathsIn } from "../../names/free-names.ts";
import {
  lookUp,
  lookUpCallee,
  lookUpModule,
  type FunctionBinding,
  type Scope,
} from "../../names/scope.ts";
import type { Typed } from "../../types/typed.ts";

/** Facts about the text of a function, which does not change. */
interface Facts {
  /**
   * The functions that the body names, also by a path through modules. A function that is named
   * twice occurs twice.
   */
  readonly functions: readonly FunctionBinding[];
  /** The single names in the body. */
  readonly names: ReadonlySet<string>;
  /** The first `print` or `assert` of the body. */
  readonly effect: ast.Path | undefined;
  /** True if no function that this one reaches prints or asserts. */
  isSilent?: true;
  isRecursive?: boolean;
  weight?: number;
}

const known = new WeakMap<FunctionBinding, Facts>();

function factsOf(callee: FunctionBinding): Facts {
  const earlier = known.get(callee);
  if (earlier) return earlier;
  const paths = pathsIn(callee.declaration.body);
  const alone = paths.filter(({ segments }) => segments.length === 1);
  const textOf = ({ segments }: ast.Path): string => segments[0]!.text;
  const facts: Facts = {
    functions: paths.flatMap((path) => functionsAt(callee, path)),
    names: new Set(alone.map(textOf)),
    effect: alone.find((path) => textOf(path) === "print" || textOf(path) === "assert"),
  };
  known.set(callee, facts);
  return facts;
}

function functionsAt(
  { scope }: FunctionBinding,
  { segments }: ast.Path,
): FunctionBinding | readonly FunctionBinding[] {
  const [first, ...rest] = segments.map((segment) => segment.text);
  if (rest.length === 0) return functionsNamed(scope, first!);
  let module = lookUpModule(scope, first!);
  for (const step of rest.slice(0, -1)) module = module?.scope.modules.get(step);
  return module?.scope.functions.get(rest.at(-1)!) ?? [];
}

/** The functions that a call of a name may call. */
function functionsNamed(scope: Scope, name: string): FunctionBinding | readonly FunctionBinding[] {
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
      return value.binding.kind === "value" && value.binding.value
        ? functionsAmong(value.binding.value)
        : [];
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

/** Whether the body reaches a call of the function itself. */
export function isRecursive(callee: FunctionBinding): boolean {
  const facts = factsOf(callee);
  if (facts.isRecursive === undefined) {
    const reached = new Set(facts.functions);
    for (const next of reached) for (const further of factsOf(next).functions) reached.add(further);
    facts.isRecursive = [...reached].some(({ declaration }) => declaration === callee.declaration);
  }
  return facts.isRecursive;
}

/** The functions that a function reaches, itself included. */
function reachedFrom(callee: FunctionBinding): ReadonlySet<FunctionBinding> {
  const found = new Set([callee]);
  for (const current of found) for (const reached of factsOf(current).functions) found.add(reached);
  return found;
}

/**
 * The number of calls that stand in place of one call if all of them are replaced by their bodies.
 */
export function weightOf(callee: FunctionBinding): number {
  const facts = factsOf(callee);
  if (facts.weight === undefined) {
    // A recursive call that comes back here counts once: it is a call of an instance.
    facts.weight = 1;
    facts.weight = facts.functions.reduce((sum, each) => sum + weightOf(each), 1);
  }
  return facts.weight;
}

/**
 * The first `print` or `assert` that a call may reach, through its function or through functions
 * that are passed.
 */
export function effectIn(callee: FunctionBinding, given: readonly Typed[]): ast.Path | undefined {
  for (const start of [callee, ...given.flatMap(functionsAmong)]) {
    if (factsOf(start).isSilent) continue;
    const reached = [...reachedFrom(start)];
    const loud = reached.find((each) => factsOf(each).effect);
    if (loud) return factsOf(loud).effect;
    for (const each of reached) factsOf(each).isSilent = true;
  }
  return undefined;
}

const serials = new WeakMap<object, number>();
let count = 0;

/** A number that is the same for one object and differs for others. */
export function serialOf(thing: object): number {
  let number = serials.get(thing);
  if (number === undefined) serials.set(thing, (number = count++));
  return number;
}

/**
 * A text that tells apart what the names around a function mean at a call. A later `let` may give a
 * name another meaning.
 */
export function surroundings(callee: FunctionBinding): string {
  const seen: number[] = [];
  for (const reached of reachedFrom(callee)) {
    for (const name of factsOf(reached).names) {
      const binding = lookUp(reached.scope, name);
      if (binding) seen.push(serialOf(binding));
    }
  }
  return seen.join();
}
