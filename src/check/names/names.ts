// This folder finds what names stand for, and advises on names that stand for nothing; it checks no
// expressions. This file refuses unknown names. The advice depends on where the name stands: in an
// index, as a value, as the start of a path or as a function.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import type { DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { adviceOnModule } from "../../diagnostics/foreign/advice.ts";
import { nearest, toldAs, write, type Repair } from "../../diagnostics/fixes.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import { isReductionName } from "../../scalar/reductions.ts";
import { isBuiltin } from "../calls/builtins.ts";
import { isBuiltinModule } from "./builtin-modules.ts";
import { refuse, silent, type Place } from "../context.ts";
import { isEnum, isStruct, type StructBinding } from "../data/data.ts";
import { adviceForCall, adviceForName, takesTensor } from "./foreign.ts";
import { declareModule } from "./foreign-use.ts";
import { indexNodes, namesReadIn } from "./free-names.ts";
import { hasNameless, lookUp, lookUpModule, namesInSight, type Scope } from "./scope.ts";
import { functionHelp } from "../values/text-help.ts";
import type { Typed } from "../types/typed.ts";

export function undefinedName(place: Place, name: ast.Name): Typed {
  if (lookUpModule(place.scope, name.text) || isBuiltinModule(name.text, name.span.source)) {
    return refuse(place, "E0201", `\`${name.text}\` is a module, not a value`, name.span, {
      help: `name something in it: \`${name.text}::…\``,
    });
  }
  if (lookUp(place.scope, `..${name.text}`)) return packAsValue(place, name.text, name.span);
  const below = boundBelow(place.scope, name);
  if (below) {
    return refuse(
      place,
      "E0201",
      `\`${name.text}\` is not defined yet: it is bound further down`,
      name.span,
      {
        labels: [{ span: below, text: "bound here" }],
        help: "move it up, before its first use",
      },
    );
  }
  const asType = typeHelp(place, name);
  if (asType) return refuse(place, "E0201", `\`${name.text}\` is not a value`, name.span, asType);
  const isInIndex =
    place.statement !== undefined &&
    indexNodes(place.statement).some((node) => namesReadIn(node.items).has(name.text));
  const isFunction =
    operationOfFunction.has(name.text) || isBuiltin(name.text) || isReductionName(name.text);
  if (isFunction)
    return refuse(place, "E0201", `\`${name.text}\` is not a value`, name.span, {
      help: `\`${name.text}\` is a function: call it`,
    });
  const near =
    (isInIndex || isIndexed(name) ? undefined : adviceForName(place, name)) ??
    nearest(name.span, name.text, namesInSight(place.scope)) ??
    toldAs(howToDefine(name, isInIndex));
  return refuse(place, "E0201", `\`${name.text}\` is not defined`, name.span, near);
}

/**
 * Whether a bracket follows the name. The name then stands for a tensor, which probably is an
 * input.
 */
function isIndexed({ span: { source, end } }: ast.Name): boolean {
  return source.text[end] === "[";
}

function howToDefine(name: ast.Name, isIndex: boolean): string {
  if (isIndex)
    return (
      "bind it as a coordinate, on the left or in the bracket of a reduction, " +
      "or define it above"
    );
  const { text } = name;
  return isIndexed(name)
    ? `to take it from outside, declare it: \`input ${text}: [f32; …];\``
    : `define it above, \`let ${text} = …;\`, or take it from outside: \`input ${text}: …;\``;
}

/** Advice for the name of a type in the place of a value, and for a variant without its enum. */
function typeHelp({ scope }: Place, { text: name, span }: ast.Name): Repair | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const own = at.types.get(name);
    if (own && isStruct(own)) return { help: `write all of it: \`${structText(own)}\`` };
    if (own) return { help: `name a variant: \`${name}::…\`` };
    for (const [type, of] of at.types)
      if (isEnum(of) && of.declaration.variants.some((variant) => variant.name.text === name))
        return write(span, `${type}::${name}`);
  }
  return undefined;
}

function structText({ name, declaration: { fields } }: StructBinding): string {
  return `${name} { ${fields.map((field) => `${field.name.text}: …`).join(", ")} }`;
}

export function packAsValue(place: Place, name: string, span: Span): Typed {
  return refuse(
    place,
    "E0201",
    `\`${name}\` is the pack \`..${name}\` here, which can only stand in index brackets`,
    span,
    {
      help: `index with it: \`x[..${name}]\``,
    },
  );
}

/** Where a block around this place binds the name further down. */
function boundBelow(scope: Scope, name: ast.Name): Span | undefined {
  const bound = boundAround(scope, name);
  return bound && bound.start > name.span.start ? bound : undefined;
}

/**
 * Labels and help for a lambda that calls itself. The name that its `let` binds is known only below
 * the `let`.
 */
function lambdaCallsItself(
  { scope, calls }: Place,
  name: ast.Name,
): Pick<DiagnosticParts, "labels" | "help"> | undefined {
  const bound = boundAround(scope, name);
  const isInLambda = calls.at(-1)?.name.text.startsWith("|");
  if (!bound || !isInLambda || bound.start > name.span.start) return undefined;
  return {
    labels: [{ span: bound, text: "bound here, and known below this statement" }],
    help:
      "a function that calls itself is declared: " +
      `\`fn ${name.text}(…) { … ${name.text}(…) … }\``,
  };
}

function boundAround(scope: Scope, { text, span }: ast.Name): Span | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const bound = at.bound.get(text);
    if (bound?.source === span.source) return bound;
  }
  return undefined;
}

/** Refuses a path that begins with neither a module nor an enum. */
export function unknownPath(place: Place, { segments }: ast.Path): Typed {
  const [first] = segments;
  if (hasNameless(place.scope)) return silent(place, first!.span);
  return refuse(place, "E0208", `there is no module or enum \`${first!.text}\``, first!.span, {
    ...(toldAs(adviceOnModule(first!.text)) ??
      nearest(first!.span, first!.text, [...placesInSight(place.scope), "std"]) ??
      declareModule(place, first!)),
  });
}

function* placesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer) {
    yield* at.modules.keys();
    yield* at.types.keys();
  }
}

export function unknownFunction(place: Place, name: ast.Name, e?: ast.Call): Typed {
  if (hasNameless(place.scope)) return silent(place, name.span);
  const own = lambdaCallsItself(place, name);
  if (own)
    return refuse(
      place,
      "E0202",
      `\`${name.text}\` is not there yet: a lambda cannot call itself`,
      name.span,
      own,
    );
  const ofTexts = toldAs(functionHelp(name.text));
  const isOfTensor = ofTexts !== undefined && e !== undefined && takesTensor(place, e);
  const known =
    typeHelp(place, name) ??
    (isOfTensor ? undefined : ofTexts) ??
    adviceForCall(place, name, e) ??
    ofTexts;
  const near = known ?? nearest(name.span, name.text, namesInSight(place.scope));
  return refuse(place, "E0202", `there is no function \`${name.text}\``, name.span, near);
}
