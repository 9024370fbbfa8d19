// Statements of a block or file, in order. Clauses of one tensor are gathered; tensors that read
// one another form a group in which each sees those below it.

import type { Code } from "../../diagnostics/codes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { ownAgreements } from "./agree.ts";
import { clashes, gatherTensors, isTaken, redefined, spoilName, type Block } from "./block.ts";
import { errorCount, newFrame, report, type Place } from "../context.ts";
import { isDamaged, meantNames } from "./damaged.ts";
import { patternNames } from "../names/free-names.ts";
import { clauseOf, finish, grow } from "./declarations.ts";
import { inputOf } from "./input.ts";
import { isGlobal } from "../types/integers.ts";
import { declareModules, effectsOfModule } from "../names/modules.ts";
import { rankAhead } from "../types/packs.ts";
import { checkParameterNames } from "../calls/parameters.ts";
import { lintAllowed } from "../lints/lint-allowed.ts";
import { letOf } from "./plain-let.ts";
import { inferRanges } from "../ranges/ranges.ts";
import {
  keepForFunctions,
  lookUp,
  lookUpFunction,
  Names,
  scopeInside,
  type Scope,
} from "../names/scope.ts";
import type { Action, TensorBinding, ValueBinding } from "../types/typed.ts";
import { element, settle, unify, unit } from "../types/types.ts";
import { declareRules } from "../derivatives/rules.ts";
import { declareData, checkFieldTypes } from "../data/data-declarations.ts";
import { expression } from "../elaborate.ts";

export function statementsOf(place: Place, list: readonly ast.Statement[]): readonly Action[] {
  declareFunctions(place, list);
  const has = (...kinds: readonly ast.Statement["kind"][]): boolean =>
    list.some(({ kind }) => kinds.includes(kind));
  if (has("tangent-fn")) declareRules(place, list);
  if (has("enum", "struct")) declareData(place, list);
  if (has("mod", "use")) declareModules(place, list);
  noteBound(place, list);
  const block = gatherTensors(place, list);
  const actions: Action[] = [];
  for (const statement of list) {
    if (statement.allow.length > 0) lintAllowed(place, statement);
    const inside = { ...place, frame: place.indexed ? place.frame : newFrame() };
    const said = errorCount(place);
    const before = place.effects.length;
    const agreed = place.checker.agreements.length;
    const lost = statement.kind !== "fn" && isDamaged(place.checker, statement.span);
    const done = lost ? spoilDamaged(place, statement) : statementOf(inside, statement, block);
    // A broken expression may lack the very use that determines a range.
    if (!place.indexed && errorCount(place) === said) inferRanges(inside, inside.frame, "y");
    if (errorCount(place) > said) {
      place.effects.length = before;
      spoil(place, done ?? []);
    } else {
      // What the statement prints on the way comes before what it does itself.
      if (!place.inner) actions.push(...place.effects.splice(0));
      if (done) actions.push(...done);
    }
    const bound = isGlobal(place) ? boundBy(statement, done ?? [], block) : undefined;
    if (bound) ownAgreements(place, agreed, bound);
    for (let k = 0; k < block.waiting.length;) {
      if (block.waiting[k]!()) {
        block.waiting.splice(k, 1);
        k = 0;
      } else k++;
    }
  }
  for (const binding of block.tensors.values()) {
    if (!binding.broken) actions.push({ kind: "bind", binding });
    else if (!place.inner) place.checker.salvaged.push(...remnantsOf(binding));
  }
  return actions;
}

/** What a statement binds. */
function boundBy(
  statement: ast.Statement,
  done: readonly Action[],
  block: Block,
): TensorBinding | ValueBinding | undefined {
  if (statement.kind === "indexed-let") return block.tensors.get(statement.name.text);
  return done.flatMap((action) => (action.kind === "bind" ? [action.binding] : []))[0];
}

/** The clauses of a broken tensor that are right, each by itself. */
function remnantsOf(binding: TensorBinding): readonly TensorBinding[] {
  const { broken: _, ...whole } = binding;
  return binding.clauses
    .filter((clause) => clause !== undefined)
    .map((clause) => ({ ...whole, clauses: [clause], remnant: true }));
}

/** Names of a statement that turned out wrong: their readers say nothing more. */
function spoil(place: Place, actions: readonly Action[]): void {
  for (const action of actions) {
    if (action.kind !== "bind" || action.binding.kind !== "value") continue;
    const { name, span } = action.binding;
    place.scope.names.set(name, { kind: "wrong", name, span });
  }
}

/** Nobody knows what a statement that could not be read was to bind: its readers say nothing. */
function spoilDamaged(place: Place, statement: ast.Statement): undefined {
  const { certain, likely } = meantNames(statement);
  for (const name of certain) spoilName(place, name, statement.span);
  for (const name of likely) {
    const known = lookUp(place.scope, name) ?? lookUpFunction(place.scope, name);
    if (!known) spoilName(place, name, statement.span);
  }
}

/** Where plain names are bound: one that is read above its binding is to be moved. */
function noteBound({ scope }: Place, list: readonly ast.Statement[]): void {
  for (const statement of list) {
    if (statement.kind === "let")
      for (const name of patternNames(statement.pattern))
        scope.bound.set(name, statement.pattern.span);
    else if (statement.kind === "const" || statement.kind === "input")
      scope.bound.set(statement.name.text, statement.name.span);
  }
}

function declareFunctions(place: Place, list: readonly ast.Statement[]): void {
  for (const statement of list) {
    if (statement.kind !== "fn") continue;
    const { name } = statement;
    // What its body says about such names is not worth hearing.
    if (!checkParameterNames(place, statement)) place.checker.called.add(statement);
    const known = place.scope.functions.get(name.text);
    if (known) redefined(place, name, known.span);
    else
      place.scope.functions.set(name.text, {
        kind: "function",
        name: name.text,
        span: name.span,
        declaration: statement,
        // What a name above the function means to it stands here once the name is given anew
        // further down.
        scope: scopeInside(place.scope),
      });
  }
}

function statementOf(
  place: Place,
  statement: ast.Statement,
  block: Block,
): readonly Action[] | undefined {
  switch (statement.kind) {
    case "let":
      return letOf(place, statement, block);
    case "indexed-let":
      return indexedLetOf(place, statement, block);
    case "const":
      if (clashes(place, statement.name, block) || isTaken(place, statement.name)) return undefined;
      keepForFunctions(place.scope, statement.name);
      place.scope.names.set(statement.name.text, {
        kind: "const",
        name: statement.name.text,
        span: statement.name.span,
        value: statement.value,
        scope: snapshot(place.scope),
        ...(statement.type ? { type: statement.type } : {}),
      });
      return constValue(place, statement);
    case "input":
      return inputOf(place, statement, block);
    case "expression":
      return expressionStatement(place, statement);
    case "fn":
      return undefined;
    case "tangent-fn":
      return undefined;
    case "use":
      return undefined;
    case "mod":
      return effectsOfModule(place, statement);
    case "enum":
    case "struct":
      checkFieldTypes(place, statement);
      return undefined;
    case "missing":
      return undefined;
    default:
      return statement satisfies never;
  }
}

/**
 * At the top of a file a `const` can be asked for by name: as what its literals are when nothing
 * else decides. One that is too large for i32 may have uses of wider types only, and is i64 here.
 */
function constValue(place: Place, { name }: ast.Const): readonly Action[] | undefined {
  const { literals } = place.checker;
  const before = literals.length;
  const value = expression(place, { kind: "path", segments: [name], span: name.span });
  if (
    value.type.kind === "tensor" &&
    literals.slice(before).some((literal) => literal.value > 2 ** 31)
  )
    unify(value.type.element, element("i64"));
  if (
    value.kind === "wrong" ||
    value.type.kind !== "tensor" ||
    !isGlobal(place) ||
    place.scope.module
  )
    return undefined;
  settle(value.type);
  const binding: ValueBinding = {
    kind: "value",
    role: "const",
    name: name.text,
    span: name.span,
    type: value.type,
    value,
  };
  return [{ kind: "bind", binding }];
}

/** A `const` is read anew at each use, with the names that were there when it was declared. */
function snapshot(scope: Scope): Scope {
  return { ...scope, names: new Names(scope.names) };
}

function expressionStatement(
  place: Place,
  statement: ast.ExpressionStatement,
): readonly Action[] | undefined {
  const value = expression(place, statement.value);
  // Nobody reads what is lost here: it has to be remembered.
  if (value.kind === "wrong") place.checker.silenced ??= statement.span;
  if (value.kind === "wrong" || value.type === unit) return undefined;
  return [{ kind: "value", value, span: statement.span }];
}

function indexedLetOf(
  place: Place,
  statement: ast.IndexedLet,
  block: Block,
): readonly Action[] | undefined {
  const binding = block.tensors.get(statement.name.text)!;
  if (binding.readAt) {
    report(
      place,
      "E0605",
      `this clause of \`${binding.name}\` comes after \`${binding.name}\` has been read`,
      statement.name.span,
      {
        labels: [{ span: binding.readAt, text: "read here, as a finished tensor" }],
        help: "move the clause up",
      },
    );
    binding.broken = true;
    return undefined;
  }
  const group = block.groupOf.get(binding)!;
  if (group.size > 1 && block.packed.length > 0)
    rankAhead(
      place,
      block.packed.filter(([member]) => group.has(member)),
    );
  const inside: Place = {
    ...place,
    group: place.group ? new Set([...place.group, ...group]) : group,
  };
  const index = binding.clauses.length;
  binding.clauses.length++;
  const left = block.clausesLeft.get(binding)! - 1;
  block.clausesLeft.set(binding, left);

  const attempt = (final: boolean): boolean => {
    const said = place.checker.diagnostics.length;
    const agreements = place.checker.agreements.length;
    const clause = clauseOf(inside, binding, statement);
    const open =
      !clause && place.checker.diagnostics.slice(said).some(({ code }) => mayResolve.has(code));
    if (
      open &&
      !final &&
      [...group].some((member) => block.clausesLeft.get(member)! > 0 && readsOpen(member))
    ) {
      place.checker.diagnostics.length = said;
      place.checker.agreements.length = agreements;
      return false;
    }
    if (clause) grow(place, binding, clause, index);
    else binding.broken = true;
    return true;
  };
  if (!attempt(false))
    block.waiting.push(() =>
      attempt([...group].every((member) => block.clausesLeft.get(member) === 0)),
    );
  if (left > 0) return undefined;
  // Its group decides together: an integer literal here may still meet a float there.
  if ([...group].every((member) => block.clausesLeft.get(member) === 0))
    group.forEach((member) => settle(member.type));
  binding.complete = true;
  if (!binding.broken) finish(place, binding);
  return undefined;
}

/** What can be wrong with a clause only as long as a tensor below it has no extents. */
const mayResolve: ReadonlySet<Code> = new Set<Code>(["E0302", "E0306"]);

/** A tensor of which some axis has no extent yet. */
function readsOpen(binding: TensorBinding): boolean {
  return binding.type.axes.some((axis) => !axis.extent);
}
