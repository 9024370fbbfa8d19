// Statements of a block or file, in order. Clauses of one tensor are gathered; tensors that read one another form a group
// in which each sees those below it.

import type { Code } from "../diagnostics/codes.ts";
import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { components } from "../ir/components.ts";
import { ofVariable, variable } from "../ir/affine/term.ts";
import { annotationFor, inputAnnotation } from "./annotations.ts";
import { errorCount, newFrame, notBuilt, refuse, report, wrongAt, type Place } from "./context.ts";
import { isDamaged, meantNames, patternNames, wordsOf } from "./damaged.ts";
import { clauseOf, grow } from "./declarations.ts";
import { expression } from "./expressions.ts";
import { ascribe } from "./shapes.ts";
import { namesIn } from "./free-names.ts";
import { isGlobal, valueBinding } from "./integers.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { declareModules, effectsOfModule } from "./modules.ts";
import { jaggedOf } from "./jagged.ts";
import { inferRanges } from "./ranges.ts";
import { isOpenRank, namedByPack, withoutOpenRank, withRank } from "./open-ranks.ts";
import { declareRules } from "./tangents.ts";
import { knownTruth } from "./conditions.ts";
import { checkFieldTypes, declareData } from "./data.ts";
import { uncovered } from "./exhaustive.ts";
import { constructorsOf, layOver, newPatterns } from "./patterns.ts";
import { isCompound, share } from "./share.ts";
import { membersOf } from "./tuples.ts";
import { lookUp, lookUpFunction, scopeInside, type Scope } from "./scope.ts";
import type { Action, Item, TensorBinding, Typed, ValueBinding } from "./typed.ts";
import { isIntegerScalar, isScalar, openElement, settle, showType, tensor, unit } from "./types.ts";
import { distribute, otherwiseOf, whereItems } from "./where.ts";

/** The tensors that a block declares by clauses, and which of them read one another. */
interface Block {
  readonly tensors: ReadonlyMap<string, TensorBinding>;
  readonly groupOf: ReadonlyMap<TensorBinding, ReadonlySet<TensorBinding>>;
  readonly clausesLeft: Map<TensorBinding, number>;
  /** Clauses that wait for a tensor below them to get its extents. */
  readonly waiting: (() => boolean)[];
}

export function statements(place: Place, list: readonly ast.Statement[]): readonly Action[] {
  declareFunctions(place, list);
  declareRules(place, list);
  declareData(place, list);
  declareModules(place, list);
  const block = gather(place, list);
  const actions: Action[] = [];
  for (const statement of list) {
    const inside = { ...place, frame: place.indexed ? place.frame : newFrame() };
    const said = errorCount(place);
    const before = place.effects.length;
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

function spoilName(place: Place, name: string, span: Span): void {
  if (place.scope.names.get(name)?.kind !== "tensor") place.scope.names.set(name, { kind: "wrong", name, span });
}

function declareFunctions(place: Place, list: readonly ast.Statement[]): void {
  for (const statement of list) {
    if (statement.kind !== "fn") continue;
    const { name } = statement;
    const known = place.scope.functions.get(name.text);
    if (known) redefined(place, name, known.span);
    else
      place.scope.functions.set(name.text, {
        kind: "function",
        name: name.text,
        span: name.span,
        declaration: statement,
        // What a name above the function means to it stands here once the name is given anew further down.
        scope: scopeInside(place.scope),
      });
  }
}

/** A name that is given anew means to the functions above what it has meant so far. */
function keepForFunctions({ scope }: Place, { text, span }: ast.Name): void {
  const before = scope.names.get(text);
  if (!before) return;
  for (const { scope: own, span: declared } of scope.functions.values()) {
    const isAbove = own.parent === scope && declared.source === span.source && declared.start < span.start;
    if (isAbove && !own.names.has(text)) own.names.set(text, before);
  }
}

function redefined(place: Place, name: ast.Name, first: Span): void {
  report(place, "E0203", `\`${name.text}\` is defined twice`, name.span, {
    labels: [{ span: first, text: "first defined here" }],
  });
}

/** Finds the tensors of the block before its first statement is checked: an indexed `let` hides outer names everywhere in it. */
function gather(place: Place, list: readonly ast.Statement[]): Block {
  const names: string[] = [];
  const tensors = new Map<string, TensorBinding>();
  const clausesLeft = new Map<TensorBinding, number>();
  const reads: Set<string>[] = [];
  const positions = new Map<string, number>();
  const damaged = new Set(
    list.filter((statement) => statement.kind !== "fn" && isDamaged(place.checker, statement.span)),
  );
  const whole = list.filter((statement) => !damaged.has(statement));
  // The clauses that could be read say what rank the tensor has.
  for (const statement of [...whole, ...damaged]) {
    if (statement.kind !== "indexed-let") continue;
    const { name } = statement;
    let binding = tensors.get(name.text);
    if (!binding) {
      const axes = statement.slots.map((slot) => (slot.kind === "coordinate" ? { name: slot.name.text } : {}));
      binding = {
        kind: "tensor",
        name: name.text,
        span: name.span,
        clauses: [],
        type: tensor(openElement(), axes),
        complete: false,
        ...(isGlobal(place) ? { global: true } : {}),
        ranked: statement.slots.every((slot) => slot.kind !== "pack"),
      };
      const parameter = place.scope.parent?.names.get(name.text);
      if (place.inner && parameter?.kind === "value" && parameter.role === "parameter")
        redefined(place, name, parameter.span);
      tensors.set(name.text, binding);
      positions.set(name.text, names.length);
      names.push(name.text);
      reads.push(new Set());
      place.scope.names.set(name.text, binding);
    }
    if (statement.checkpoint) binding.checkpoint = true;
    clausesLeft.set(binding, (clausesLeft.get(binding) ?? 0) + (damaged.has(statement) ? 0 : 1));
    for (const read of namesIn(statement)) reads[positions.get(name.text)!]!.add(read);
  }
  for (const statement of damaged) {
    const { certain, likely } = meantNames(statement);
    // A clause that has lost its name is likely one of a tensor that it reads or that its neighbours declare.
    if (statement.kind === "indexed-let" && statement.name.text === "") {
      const at = list.indexOf(statement);
      const beside = [list[at - 1], list[at + 1]].flatMap((each) =>
        each?.kind === "indexed-let" ? [each.name.text] : [],
      );
      for (const [name, binding] of tensors)
        if (beside.includes(name) || wordsOf(statement).includes(name)) binding.broken = true;
    }
    for (const name of [...certain, likely[0] ?? ""]) {
      const binding = tensors.get(name);
      if (binding) binding.broken = true;
      else if (name !== "" && !lookUp(place.scope, name) && !lookUpFunction(place.scope, name))
        spoilName(place, name, statement.span);
      // It may have been the link that makes a recurrence of others.
      if (!names.includes(name)) {
        names.push(name);
        reads.push(new Set());
      }
      for (const read of wordsOf(statement)) reads[names.indexOf(name)]!.add(read);
    }
  }
  const groupOf = new Map<TensorBinding, ReadonlySet<TensorBinding>>();
  for (const group of components(names.length, (k) => [...reads[k]!].flatMap((name) => positions.get(name) ?? []))) {
    const members = new Set(group.flatMap((k) => tensors.get(names[k]!) ?? []));
    for (const member of members) groupOf.set(member, members);
  }
  return { tensors, groupOf, clausesLeft, waiting: [] };
}

function statementOf(place: Place, statement: ast.Statement, block: Block): readonly Action[] | undefined {
  switch (statement.kind) {
    case "let":
      return letOf(place, statement, block);
    case "indexed-let":
      return indexedLetOf(place, statement, block);
    case "const":
      if (clashes(place, statement.name, block)) return undefined;
      keepForFunctions(place, statement.name);
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

/** At the top of a file a `const` can be asked for by name: as what its literals are when nothing else decides. */
function constValue(place: Place, { name }: ast.Const): readonly Action[] | undefined {
  const value = expression(place, { kind: "path", segments: [name], span: name.span });
  if (value.kind === "wrong" || value.type.kind !== "tensor" || !isGlobal(place) || place.scope.module)
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
  return { ...scope, names: new Map(scope.names) };
}

/** A name that the block's clauses declare cannot also be a plain binding there. */
function clashes(place: Place, name: ast.Name, block: Block): boolean {
  const tensor = block.tensors.get(name.text);
  if (!tensor) return false;
  const [first, second] = tensor.span.start < name.span.start ? [tensor.span, name.span] : [name.span, tensor.span];
  redefined(place, { ...name, span: second }, first);
  tensor.broken = true;
  return true;
}

function letOf(place: Place, statement: ast.Let, block: Block): readonly Action[] | undefined {
  const { pattern } = statement;
  if (pattern.kind === "missing") {
    refusePattern(place, pattern);
    return undefined;
  }
  if (isNameless(place, statement)) return undefined;
  const moved = distribute(place, statement.value, statement.where);
  const where = whereItems(place, moved.where?.items ?? []);
  const plain =
    statement.type?.kind === "jagged"
      ? jaggedOf(where.place, moved.value, statement.type)
      : expression(where.place, moved.value);
  const written = guardedValue(where.place, where.items, plain, moved.where);
  const value = statement.type
    ? ascribe(place, written, annotationFor(place, statement.type, written), statement.type.span)
    : written;
  const whole = where.items.length > 0 && value.kind !== "wrong" ? inBlock(where.items, value) : value;
  return destructure(place, pattern, whole, block);
}

/** `let [i, j] = x[i, j];`: coordinates whose tensor has no name. */
function isNameless(place: Place, { pattern, value, where }: ast.Let): boolean {
  if (pattern.kind !== "array") return false;
  const read = namesIn({ value, where });
  const coordinates = patternNames(pattern).filter((name) => read.has(name) && !lookUp(place.scope, name));
  if (coordinates.length === 0) return false;
  const shown = coordinates.map((name) => `\`${name}\``).join(", ");
  report(place, "E0301", `${shown} cannot be bound here: the tensor on the left has no name`, pattern.span, {
    help: `name it before its coordinates: \`let y${textOf(pattern.span)} = …;\``,
  });
  for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
  return true;
}

/** A plain `let` is a tensor of one cell: where its guards do not hold, it is the `else` value, or 0. */
function guardedValue(place: Place, items: readonly Item[], value: Typed, where: ast.Where | undefined): Typed {
  const guards = items.flatMap((item) => (item.kind === "guard" ? [item.condition] : []));
  if (guards.length === 0 || value.kind === "wrong") return value;
  if (value.type.kind !== "tensor" || !isScalar(value.type)) {
    return refuse(place, "E0308", "a guard on a whole tensor has no coordinates to hold for", where!.span, {
      help: "give the tensor coordinates: `let y[i] = x[i] where …;`",
    });
  }
  const otherwise = otherwiseOf(place, where, value.type, value.span);
  if (otherwise.kind === "wrong") return otherwise;
  return guards.reduceRight<Typed>(
    (then, condition) => ({ kind: "select", condition, then, otherwise, type: value.type, span: value.span }),
    value,
  );
}

function inBlock(items: readonly { kind: string; binding?: ValueBinding }[], value: Typed): Typed {
  const bindings = items.flatMap((item) => item.binding ?? []);
  return { kind: "block", bindings, value, type: value.type, span: value.span };
}

function destructure(place: Place, pattern: ast.Pattern, value: Typed, block: Block): readonly Action[] | undefined {
  switch (pattern.kind) {
    case "name":
      return bindName(place, pattern.name, value, block);
    case "wildcard":
      return [];
    case "tuple": {
      const names = patternNames(pattern);
      const twice = names.find((name, k) => names.indexOf(name) < k);
      if (twice !== undefined && value.kind !== "wrong") {
        report(place, "E0413", `\`${twice}\` stands twice in one pattern`, pattern.span, { help: "use two names" });
        return destructure(place, pattern, wrongAt(value.span), block);
      }
      if (value.kind === "wrong") {
        for (const member of pattern.members) destructure(place, member, value, block);
        return undefined;
      }
      const members = membersOf(value);
      if (members?.length !== pattern.members.length) {
        report(place, "E0402", `${pattern.members.length} names for ${showType(value.type)}`, pattern.span);
        for (const member of pattern.members) destructure(place, member, wrongAt(value.span), block);
        return undefined;
      }
      return pattern.members.flatMap((member, k) => destructure(place, member, members[k]!, block) ?? []);
    }
    case "missing":
      refusePattern(place, pattern);
      return undefined;
    default:
      return takeApart(place, pattern, value, block);
  }
}

/** A pattern that always matches gives its names; one that may not belongs in a `match`. */
function takeApart(place: Place, pattern: ast.Pattern, value: Typed, block: Block): readonly Action[] | undefined {
  const spoilAll = (): undefined => {
    for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
    return undefined;
  };
  if (value.kind === "wrong") return spoilAll();
  const shared = share(place, { text: "whole", span: pattern.span }, value);
  const patterns = newPatterns(place);
  const { condition, names } = layOver(patterns, pattern, shared.value);
  if (condition.kind === "wrong") return spoilAll();
  const missing = uncovered([pattern], constructorsOf(patterns));
  if (missing !== undefined || knownTruth(condition) !== true) {
    report(place, "E0412", `this \`let\` may fail: it does not match \`${missing ?? "_"}\``, pattern.span, {
      help: `take the value apart with \`match\`, which has an arm for each case`,
    });
    return spoilAll();
  }
  const parts = shared.bindings.map((binding): Action => ({ kind: "bind", binding }));
  return [...parts, ...[...names.values()].flatMap((one) => bindName(place, one.name, one.value, block) ?? [])];
}

function refusePattern(place: Place, pattern: ast.Pattern): void {
  for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
  if (pattern.kind === "missing") return;
  const help =
    pattern.kind === "array"
      ? `a tensor has a name before its coordinates: \`let y${textOf(pattern.span)} = …;\``
      : undefined;
  notBuilt(place, "this pattern in a `let`", pattern.span, help);
}

function bindName(place: Place, name: ast.Name, value: Typed, block: Block): readonly Action[] | undefined {
  // A plain `let` shadows a finished tensor; a clause further down would redefine the plain binding.
  if (!block.tensors.get(name.text)?.complete && clashes(place, name, block)) return undefined;
  keepForFunctions(place, name);
  const { start, end } = value.span;
  if (value.type === unit && !isDamaged(place.checker, { start, end: end + 1 }))
    report(place, "E0505", "this gives no value", value.span);
  if (value.kind === "wrong" || value.type === unit) {
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  settle(value.type);
  const parts = isCompound(value.type) ? share(place, name, value) : { bindings: [], value };
  const binding = valueBinding(place, "let", name, parts.value);
  place.scope.names.set(name.text, binding);
  return [...parts.bindings, binding].map((bound): Action => ({ kind: "bind", binding: bound }));
}

function inputOf(place: Place, statement: ast.Input, block: Block): readonly Action[] | undefined {
  const { name } = statement;
  if (place.scope.parent || place.scope.module) {
    report(place, "E0203", "an `input` stands at the top of a file", statement.span, {
      help: "take it as a parameter",
    });
    spoilName(place, name.text, name.span);
    return undefined;
  }
  if (clashes(place, name, block)) return undefined;
  const known = place.scope.names.get(name.text);
  if (known?.kind === "value" && known.role === "input") {
    redefined(place, name, known.span);
    return undefined;
  }
  const declared = rankedType(place, statement);
  if (!declared || declared === "waiting") {
    if (declared) {
      place.checker.unranked.add(name.text);
      // Its dimension names are there already.
      inputAnnotation(place, withoutOpenRank(statement.type), place.scope);
    }
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  const type = inputAnnotation(place, declared, place.scope);
  if (type.kind !== "tensor" && type.kind !== "error") {
    report(place, "E0404", `an input is a scalar or a tensor, this is ${showType(type)}`, declared.span, {
      help: "take its parts as inputs and put them together",
    });
  }
  if (type.kind !== "tensor") {
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  const symbolic = isIntegerScalar(type) ? { term: ofVariable(variable(name.text)) } : {};
  const binding: ValueBinding = { kind: "value", role: "input", name: name.text, span: name.span, type, ...symbolic };
  if (symbolic.term) place.checker.scalars.set([...variablesOf(symbolic.term)][0]!, binding);
  place.scope.names.set(name.text, binding);
  return [{ kind: "bind", binding }];
}

/** The type with as many axes as the value that came has; "waiting" before it has come. */
function rankedType(place: Place, { name, type }: ast.Input): ast.Type | "waiting" | undefined {
  if (!isOpenRank(type)) return type;
  const packs = type.kind === "tensor" ? (type.dims ?? []).filter((dim) => dim.kind === "pack") : [];
  if (packs.length > 1) {
    report(place, "E0402", `nothing says which axes of \`${name.text}\` each of its packs takes`, packs[1]!.span, {
      labels: [{ span: packs[0]!.span, text: "the first pack" }],
      help: "write one pack, and a name or `?` for each of the other axes",
    });
    return undefined;
  }
  const rank = place.checker.ranks.get(name.text);
  if (rank === undefined) return "waiting";
  const ranked = withRank(type, rank, namedByPack);
  if (!ranked)
    report(
      place,
      "E0887",
      `the input \`${name.text}\` has more axes than the value that came, whose rank is ${rank}`,
      type.span,
    );
  return ranked;
}

function expressionStatement(place: Place, statement: ast.ExpressionStatement): readonly Action[] | undefined {
  const value = expression(place, statement.value);
  if (value.kind === "wrong" || value.type === unit) return undefined;
  return [{ kind: "value", value, span: statement.span }];
}

function indexedLetOf(place: Place, statement: ast.IndexedLet, block: Block): readonly Action[] | undefined {
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
  const inside: Place = { ...place, group: place.group ? new Set([...place.group, ...group]) : group };
  const index = binding.clauses.length;
  binding.clauses.length++;
  const left = block.clausesLeft.get(binding)! - 1;
  block.clausesLeft.set(binding, left);

  const attempt = (final: boolean): boolean => {
    const said = place.checker.diagnostics.length;
    const agreements = place.checker.agreements.length;
    const clause = clauseOf(inside, binding, statement);
    const open = !clause && place.checker.diagnostics.slice(said).some(({ code }) => mayResolve.has(code));
    if (open && !final && [...group].some((member) => block.clausesLeft.get(member)! > 0 && readsOpen(member))) {
      place.checker.diagnostics.length = said;
      place.checker.agreements.length = agreements;
      return false;
    }
    if (clause) grow(place, binding, clause, index);
    else binding.broken = true;
    return true;
  };
  if (!attempt(false))
    block.waiting.push(() => attempt([...group].every((member) => block.clausesLeft.get(member) === 0)));
  if (left > 0) return undefined;
  // Its group decides together: an integer literal here may still meet a float there.
  if ([...group].every((member) => block.clausesLeft.get(member) === 0)) group.forEach((member) => settle(member.type));
  binding.complete = true;
  return undefined;
}

/** What can be wrong with a clause only as long as a tensor below it has no extents. */
const mayResolve: ReadonlySet<Code> = new Set<Code>(["E0302", "E0306"]);

/** A tensor of which some axis has no extent yet. */
function readsOpen(binding: TensorBinding): boolean {
  return binding.type.axes.some((axis) => !axis.extent);
}
