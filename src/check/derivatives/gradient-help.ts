// Gradients as PyTorch and JAX ask for them, and how they are asked for here, with the names of
// the program.
//
//   loss.backward();        let d_w = @loss / @w;
//   w.grad                  `d_w`, bound by such a `let`
//   grad(loss)(w)           @loss(w) / @w, or @loss / @w where `loss` is a number

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Source } from "../../base/source.ts";
import { replacing, type Advice } from "../../diagnostics/foreign/advice.ts";
import { fix, fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { isFloat } from "../../scalar/types.ts";
import { statementsOf } from "../lints/allow.ts";
import { refuse, type Place } from "../context.ts";
import { namesReadIn } from "../names/free-names.ts";
import { lookUp, lookUpFunction, type Scope } from "../names/scope.ts";
import type { Closure, Typed } from "../types/typed.ts";
import { decided } from "../types/types.ts";

/** More names than these are not listed. */
const most = 4;

/** For `loss.backward()`. */
export function adviceOnBackward(place: Place, base: ast.Expression, whole: ast.Call): Advice {
  const loss = textOf(base.span);
  const { source, start, end } = whole.span;
  const leaves = isName(base) ? leavesOf(place, source, loss) : [];
  if (leaves.length === 0)
    return { help: "a gradient is asked for by name: `let g = @loss / @w;`" };
  const asked = leaves.filter((name) => new RegExp(`\\b${name}\\.grad\\b`).test(source.text));
  const names = asked.length > 0 ? asked : leaves.slice(0, 1);
  const others = leaves.filter((name) => !names.includes(name));
  const lines = names.map((name) => `let ${gradientName(source, name)} = @${loss} / @${name};`);
  const way = lines.join(" ");
  const also =
    asked.length > 0 || others.length === 0
      ? ""
      : `; \`${loss}\` depends on ${quotedNames(others)} as well`;
  const isStatement =
    /(?:^|[;{}\n])[ \t]*$/.test(source.text.slice(0, start)) &&
    /^\s*;/.test(source.text.slice(end));
  return {
    help: `a gradient is asked for by name: \`${way}\`${also}`,
    ...(isStatement ? fixed(`write \`${way}\``, replace(whole.span, way.slice(0, -1))) : {}),
  };
}

/** For `w.grad`. */
export function adviceOnGrad({ base, span: { source } }: ast.Member): Advice {
  const name = textOf(base.span);
  if (!isName(base)) return { help: "a gradient is asked for by name: `let g = @loss / @w;`" };
  const loss = /\b(\w+)\.backward\(/.exec(source.text)?.[1] ?? "loss";
  const gradient = gradientName(source, name);
  const way = `let ${gradient} = @${loss} / @${name};`;
  return { help: `a gradient is asked for by name: \`${way}\`, and \`${gradient}\` is read here` };
}

/** For `grad(loss)(w)`; nothing for any other call. */
export function gradientOfCall(place: Place, e: ast.Call): Typed | undefined {
  const asking = e.callee;
  if (asking.kind !== "call" || asking.bracket) return undefined;
  const called = /(\w+)$/.exec(textOf(asking.callee.span))?.[1] ?? "";
  const [of, ...options] = asking.arguments;
  if (!/^(?:grad|gradient|value_and_grad|jacobian|jacfwd|jacrev)$/.test(called) || !of)
    return undefined;
  if (lookUp(place.scope, called) || lookUpFunction(place.scope, called)) return undefined;
  return refuse(
    place,
    "E0202",
    `there is no function \`${called}\``,
    asking.callee.span,
    curried(place, e, of.value, options),
  );
}

function curried(
  place: Place,
  e: ast.Call,
  of: ast.Expression,
  options: readonly ast.Argument[],
): Repair {
  const given = e.arguments.map(({ value }) => value);
  const chosen = (options[0] && textOf(options[0].value.span).match(/\d+/g)) ?? ["0"];
  const by = chosen.flatMap((position) => given[Number(position)] ?? []);
  const all = given.map((value) => textOf(value.span)).join(", ");
  const binding = isName(of) ? lookUp(place.scope, textOf(of.span)) : undefined;
  const isNumber = binding?.kind === "value" && binding.type.kind === "tensor";
  const value = isNumber ? textOf(of.span) : `${operand(of)}(${all})`;
  if (by.length === 0 || !by.every(isName)) {
    const request = `@${operand(of)}(w) / @w`;
    return { help: `write \`let w = …;\` for what it is taken by, and \`${request}\`` };
  }
  const ways = by.map((name) => `@${value} / @${textOf(name.span)}`);
  if (ways.length > 1) return { help: `write each: \`${ways.join("`, `")}\`` };
  const { text } = e.span.source;
  const isBound = /\blet\s+\w+\s*=\s*$/.test(text.slice(0, e.span.start));
  if (isBound) return { help: `write \`${ways[0]}\``, fixes: [replacing(e.span, ways[0]!)] };
  const line = `let ${gradientName(e.span.source, textOf(by[0]!.span))} = ${ways[0]};`;
  return { help: `write \`${line}\`` };
}

/** For a numerator that is a function: its value is meant, with the arguments it is called with. */
export function calledNumerator(
  primal: ast.Expression,
  value: Typed,
  { text: by }: ast.Name,
): Repair {
  if (value.kind !== "closure" || typeof value.callee === "string" || !isName(primal)) return {};
  const { parameters } = (value as Closure & { callee: { declaration: ast.Fn } }).callee
    .declaration;
  const all = parameters.length === 1 ? by : parameters.map(({ name }) => name.text).join(", ");
  const call = `${textOf(primal.span)}(${all})`;
  return {
    help: `the derivative is that of a value: write \`@${call} / @${by}\``,
    ...(parameters.length === 1
      ? { fixes: [fix(`write \`@${call}\``, replace(primal.span, call))] }
      : {}),
  };
}

/**
 * The float inputs and tensors that a name depends on, as the statements say, which depend on no
 * other: those that can be a parameter.
 */
function leavesOf({ scope }: Place, source: Source, loss: string): readonly string[] {
  const bound = new Map<string, ReadonlySet<string>>();
  const inOrder = [...statementsOf(source)].sort((a, b) => a.span.start - b.span.start);
  for (const statement of inOrder) {
    if (statement.kind === "input") bound.set(statement.name.text, new Set());
    else if (statement.kind === "indexed-let")
      bound.set(
        statement.name.text,
        namesReadIn({ value: statement.value, where: statement.where }),
      );
    else if (statement.kind === "let" && statement.pattern.kind === "name")
      bound.set(statement.pattern.name.text, namesReadIn(statement.value));
  }
  const reached = new Set([loss]);
  for (const name of reached)
    for (const other of bound.get(name) ?? []) if (isFloatName(scope, other)) reached.add(other);
  const isLeaf = (name: string): boolean =>
    name !== loss && [...(bound.get(name) ?? [])].every((other) => !isFloatName(scope, other));
  return [...bound.keys()].filter((name) => reached.has(name) && isLeaf(name)).slice(0, most);
}

function isFloatName(scope: Scope, name: string): boolean {
  const binding = lookUp(scope, name);
  return (
    (binding?.kind === "value" || binding?.kind === "tensor") &&
    binding.type.kind === "tensor" &&
    isFloat(decided(binding.type.element))
  );
}

/** `d_w`, or `d_w1` where that is taken. */
function gradientName({ text }: Source, name: string): string {
  let free = `d_${name}`;
  for (let k = 1; new RegExp(`\\b${free}\\b`).test(text); k++) free = `d_${name}${k}`;
  return free;
}

function isName(e: ast.Expression): boolean {
  return e.kind === "path" && e.segments.length === 1;
}

function operand(e: ast.Expression): string {
  return isName(e) ? textOf(e.span) : `(${textOf(e.span)})`;
}

function quotedNames(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.at(-1)!;
  return quoted.length === 1 ? last : `${quoted.slice(0, -1).join(", ")} and ${last}`;
}
