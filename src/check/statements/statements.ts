// This folder checks statements: declarations, `let`, `input`, guards and functions that nothing
// calls. Expressions are checked elsewhere. This file walks the statements of a block or file in
// order. The clauses of one tensor are put together. Tensors that read one another form a group,
// and each clause may read the tensors of its group that are declared below it.

import type { Code } from "../../diagnostics/codes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { ownAgreements } from "./agree.ts";
import {
  reportClash,
  gatherTensors,
  reportIfTaken,
  reportRedefinition,
  spoilName,
  type Block,
} from "./block.ts";
import { errorCount, newFrame, report, type Place } from "../context.ts";
import { isDamaged, meantNames } from "./damaged.ts";
import { patternNames } from "../names/free-names.ts";
import { clauseOf, setFinalExtents, addClause } from "./declarations.ts";
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
    const ownPlace = { ...place, frame: place.indexed ? place.frame : newFrame() };
    const errorsBefore = errorCount(place);
    const effectsBefore = place.effects.length;
    const agreementsBefore = place.checker.agreements.length;
    const isLost = statement.kind !== "fn" && isDamaged(place.checker, statement.span);
    const done = isLost ? spoilDamaged(place, statement) : statementOf(ownPlace, statement, block);
    // A wrong expression may lack the use that determines a range. Ranges are then not inferred.
    if (!place.indexed && errorCount(place) === errorsBefore)
      inferRanges(ownPlace, ownPlace.frame, "y");
    if (errorCount(place) > errorsBefore) {
      place.effects.length = effectsBefore;
      spoil(place, done ?? []);
    } else {
      // The prints of functions that the statement calls come before the action of the statement
      // itself.
      if (!place.inner) actions.push(...place.effects.splice(0));
      if (done) actions.push(...done);
    }
    const bound = isGlobal(place) ? bindingOfStatement(statement, done ?? [], block) : undefined;
    if (bound) ownAgreements(place, agreementsBefore, bound);
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

/** The value or tensor that a statement binds. */
function bindingOfStatement(
  statement: ast.Statement,
  done: readonly Action[],
  block: Block,
): TensorBinding | ValueBinding | undefined {
  if (statement.kind === "indexed-let") return block.tensors.get(statement.name.text);
  return done.flatMap((action) => (action.kind === "bind" ? [action.binding] : []))[0];
}

/** A broken tensor as several tensors of one right clause each. */
function remnantsOf(binding: TensorBinding): readonly TensorBinding[] {
  const { broken: _, ...whole } = binding;
  return binding.clauses
    .filter((clause) => clause !== undefined)
    .map((clause) => ({ ...whole, clauses: [clause], remnant: true }));
}

/** Marks the names of a wrong statement as wrong. Readers of them report nothing more. */
function spoil(place: Place, actions: readonly Action[]): void {
  for (const action of actions) {
    if (action.kind !== "bind" || action.binding.kind !== "value") continue;
    const { name, span } = action.binding;
    place.scope.names.set(name, { kind: "wrong", name, span });
  }
}

/** Marks every name that a damaged statement may have been meant to bind as wrong. */
function spoilDamaged(place: Place, statement: ast.Statement): undefined {
  const { certain, likely } = meantNames(statement);
  for (const name of certain) spoilName(place, name, statement.span);
  for (const name of likely) {
    const known = lookUp(place.scope, name) ?? lookUpFunction(place.scope, name);
    if (!known) spoilName(place, name, statement.span);
  }
}

/**
 * Records where plain names are bound. A read above its binding is then reported with that place.
 */
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
    // A name that stands for two parameters, or for a parameter and an axis, has been reported.
    // Further errors in the body would only mislead, so the function counts as called.
    if (!checkParameterNames(place, statement)) place.checker.called.add(statement);
    const known = place.scope.functions.get(name.text);
    if (known) reportRedefinition(place, name, known.span);
    else
      place.scope.functions.set(name.text, {
        kind: "function",
        name: name.text,
        span: name.span,
        declaration: statement,
        // Holds what an outer name means at the declaration of the function. It is filled when a
        // later statement binds the name again.
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
      if (reportClash(place, statement.name, block) || reportIfTaken(place, statement.name))
        return undefined;
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
 * The value of a `const` at the top of a file, which a host can ask for by name. Its literals get
 * their default types. A literal that is too large for `i32` makes the value `i64`, because all
 * uses of the `const` may have wider types.
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

/**
 * A copy of the scope. A `const` is elaborated anew at each use, with the names at its declaration.
 */
function snapshot(scope: Scope): Scope {
  return { ...scope, names: new Names(scope.names) };
}

function expressionStatement(
  place: Place,
  statement: ast.ExpressionStatement,
): readonly Action[] | undefined {
  const value = expression(place, statement.value);
  // No later statement reads the lost value, so the place is recorded here.
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

  const checkClause = (final: boolean): boolean => {
    const messagesBefore = place.checker.diagnostics.length;
    const agreementsBefore = place.checker.agreements.length;
    const clause = clauseOf(inside, binding, statement);
    const mayBecomeRight =
      !clause &&
      place.checker.diagnostics.slice(messagesBefore).some(({ code }) => mayResolve.has(code));
    if (
      mayBecomeRight &&
      !final &&
      [...group].some((member) => block.clausesLeft.get(member)! > 0 && hasOpenExtent(member))
    ) {
      place.checker.diagnostics.length = messagesBefore;
      place.checker.agreements.length = agreementsBefore;
      return false;
    }
    if (clause) addClause(place, binding, clause, index);
    else binding.broken = true;
    return true;
  };
  if (!checkClause(false))
    block.waiting.push(() =>
      checkClause([...group].every((member) => block.clausesLeft.get(member) === 0)),
    );
  if (left > 0) return undefined;
  // An integer literal may still meet a float in another tensor of the group. The element types are
  // decided when all tensors of the group are complete.
  if ([...group].every((member) => block.clausesLeft.get(member) === 0))
    group.forEach((member) => settle(member.type));
  binding.complete = true;
  if (!binding.broken) setFinalExtents(place, binding);
  return undefined;
}

/** Errors that may disappear once a tensor declared below has its extents. */
const mayResolve: ReadonlySet<Code> = new Set<Code>(["E0302", "E0306"]);

/** Whether some axis of a tensor has no extent yet. */
function hasOpenExtent(binding: TensorBinding): boolean {
  return binding.type.axes.some((axis) => !axis.extent);
}
