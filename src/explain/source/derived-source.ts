// This folder turns derived definitions into Einlang source that people read. It does not derive,
// and it does not explain.
//
// The source of a backward program compiles again. First come the statements of the file that the
// backward program needs, as they stand there. Then come the adjoints, from the numerator back to
// the denominators, each on a line of its own:
//
//    let x = [1.0, 2.0];                 // a statement of the file
//    let d_x[i] = 2.0 * x[i];            // the adjoint for `let y = sum[i](x[i] ** 2);`

import { backward } from "../../autodiff/sweep/backward.ts";
import { newDefinition, wholeLoops } from "../../autodiff/sweep/cells.ts";
import { splitContractions } from "../../autodiff/rewrites/split-contractions.ts";
import { splitExpressions } from "../../autodiff/rewrites/split-expressions.ts";
import { splitRunning } from "../../autodiff/rewrites/split-running.ts";
import { asFormulas } from "../../autodiff/sweep/formulas.ts";
import type { Problem, Swept, Workshop } from "../../autodiff/sweep/sweep.ts";
import { addNeeds, explainProblem } from "../../autodiff/requests/requests.ts";
import { namesReadIn, namesOf as namesOfAll, pathsIn } from "../../check/names/free-names.ts";
import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import type { Term, Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { asVariable, knownOfSizes } from "../../affine/agreeing.ts";
import { dataWords, isWrittenData } from "../../print/data.ts";
import { printDefinitions } from "../../print/print.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Program, Scalar } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { functionsFrom, readsOf } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { isFloat } from "../../scalar/types.ts";
import type { Module, Statement } from "../../syntax/tree/ast.ts";
import { formatStatement } from "../../syntax/format/format.ts";
import { inOrderOfUse } from "./in-order-of-use.ts";
import { restoringClauses } from "./leaving-clauses.ts";
import {
  boundNames,
  importsAny,
  importedNames,
  namesCalledIn,
  namesUsedIn,
} from "./needed-modules.ts";
import { withoutRepeats } from "./once-each.ts";
import { withoutUnusedNumbers } from "./only-said.ts";
import { withTidyClauses } from "./tidied.ts";

export type Derived =
  | {
      readonly source: string;
      /** The names of the derivatives in `source`, in the order of the denominators. */
      readonly derivatives: readonly string[];
      /** Denominators that the numerator does not depend on. */
      readonly independent: readonly Definition[];
    }
  | { readonly diagnostics: readonly Diagnostic[] };

/**
 * The backward program of the numerator `of` for the denominators `wrt`. If the numerator is a
 * tensor, its cotangent is an input of the program.
 */
export function derivedSource(
  module: Module,
  program: Program,
  of: string,
  wrt: readonly string[],
  extents: Iterable<Variable>,
): Derived {
  const problems: Diagnostic[] = [];
  const numerator = findFloatValue(program, of, problems);
  const denominators = wrt.flatMap((name) => findFloatValue(program, name, problems) ?? []);
  if (!numerator || problems.length > 0) return { diagnostics: problems };
  return derivedFrom(module, program, numerator, denominators, extents);
}

/** Like `derivedSource`, for definitions instead of names. */
export function derivedFrom(
  module: Module,
  program: Program,
  numerator: Definition,
  denominators: readonly Definition[],
  extents: Iterable<Variable>,
): Derived {
  return asFormulas([numerator, ...denominators], () => {
    const derivation = derivationOf(module, program, numerator, denominators, extents, undefined, {
      onlyPrinted: true,
    });
    return "diagnostics" in derivation ? derivation : derivationSource(module, derivation);
  });
}

/**
 * One backward program: the result of the sweep, and the definitions that its source consists of.
 */
export interface Derivation extends Answered, Added {
  readonly program: Program;
  readonly numerator: Definition;
  readonly denominators: readonly Definition[];
  readonly swept: Swept;
  readonly independent: readonly Definition[];
  /**
   * Calls `look` with the numerator and all gradients. While `look` runs, the primal has the
   * clauses that the sweep gave it.
   */
  readonly asSwept: <T>(look: (all: readonly Definition[]) => T) => T;
  /** Does a definition belong to the program itself, and not to the derivation? */
  readonly isPrimal: (definition: Definition) => boolean;
}

/**
 * A request inside a recurrence: the axis of the numerator that is the step, and whether the
 * numerator has several cells at each step.
 */
export interface Within {
  readonly step: number;
  readonly jacobian: boolean;
}

interface Further extends Pick<Workshop, "keepCalls" | "keepProducts"> {
  /**
   * Whether only the printed program matters. Then printed definitions may take the names of the
   * compiler's own definitions of the primal.
   */
  readonly onlyPrinted?: boolean;
}

/**
 * With `keepCalls` and `keepProducts` the derivation is the program that runs. Without them it is
 * the program that people read.
 */
export function derivationOf(
  module: Module,
  program: Program,
  numerator: Definition,
  denominators: readonly Definition[],
  extents: Iterable<Variable>,
  within?: Within,
  { onlyPrinted = false, ...further }: Further = {},
): Derivation | { readonly diagnostics: readonly Diagnostic[] } {
  const primal = reachable([numerator, ...denominators]);
  const known = new Set(primal);
  const names = primal
    .filter(({ origin }) => origin !== "helper" || !onlyPrinted)
    .map(({ name }) => name);
  const taken = new Set([...namesInUse(module, program, primal), ...names]);
  const workshop: Workshop = {
    claim: (wanted) => claim(taken, wanted),
    known: knownOfSizes(program, extents),
    splitRunning,
    splitContractions,
    splitExpressions,
    ...further,
  };
  const hasSeed = numerator.axes.length > 0 && (within?.jacobian ?? true);
  const seed = hasSeed ? incoming(numerator, workshop.claim(`d_${numerator.name}`)) : undefined;
  const { result: swept, withRewritten } = restoringClauses([numerator, ...denominators], () =>
    backward(numerator, denominators, workshop, { seed, step: within?.step }),
  );
  if (swept.problems.length > 0) {
    const problemsBy = (wrt: Definition): readonly Problem[] =>
      backward(numerator, [wrt], workshop, { seed, step: within?.step }).problems;
    return {
      diagnostics: denominators.flatMap((wrt) =>
        problemsBy(wrt).map((problem) => problemDiagnostic(problem, numerator, wrt)),
      ),
    };
  }
  const zeroOf = (wrt: Definition): Definition =>
    zeroDefinition(workshop.claim(`d_${wrt.name}`), wrt);
  const answers = denominators.map(
    (denominator) => swept.adjoints.get(denominator) ?? zeroOf(denominator),
  );
  const independent = denominators.filter((denominator) => !swept.adjoints.has(denominator));
  const ofNames = [...swept.trace.adjoints].filter(([definition]) =>
    isOwn(module, program, definition),
  );
  const named = new Set(ofNames.map(([, adjoint]) => adjoint));
  const split = withRewritten(() => new Set(reachable([numerator])));
  const answered = { answers, primal: [numerator, ...denominators], split, seed, named };
  return {
    program,
    numerator,
    denominators,
    swept,
    asSwept: (look) =>
      withRewritten(() => look(reachable([numerator, ...swept.adjoints.values()]))),
    independent,
    isPrimal: (definition) => known.has(definition),
    ...answered,
    ...addedBy(module, program, answered),
  };
}

/** The derivative of a numerator that does not depend on the denominator. */
function zeroDefinition(name: string, { element, axes, span }: Definition): Definition {
  const value: Scalar = { kind: "constant", type: element, value: 0 };
  const clause: Clause = {
    loops: wholeLoops({ axes }),
    guards: [],
    body: { kind: "map", value },
    span,
  };
  return newDefinition(name, element, axes, [clause], span);
}

/** The source of a derivation. It compiles again. */
export function derivationSource(module: Module, derivation: Derivation): Derived {
  const { program, numerator, independent, answers } = derivation;
  const zeros = independent.map(
    (denominator) =>
      `// \`${numerator.name}\` does not depend on \`${denominator.name}\`: its derivative is 0`,
  );
  const written = sourceOf(module, program, derivation);
  if ("diagnostics" in written) return written;
  const derivatives = answers.map((answer) => written.names.get(answer) ?? answer.name);
  return { source: `${[...written.lines, ...zeros].join("\n")}\n`, derivatives, independent };
}

/** Derived definitions to print, and the primal that they belong to. */
interface Answered {
  readonly answers: readonly Definition[];
  readonly primal: readonly Definition[];
  /** The definitions of the primal after the sweep rewrote it. */
  readonly split?: ReadonlySet<Definition>;
  readonly seed?: Incoming | undefined;
  /** The gradients of values that the file names. Each of them gets a line of its own. */
  readonly named?: ReadonlySet<Definition>;
}

/** The definitions to print beside the statements of the file. */
interface Added {
  /** The definitions that the backward program adds, from the numerator back. */
  readonly derived: readonly Definition[];
  /** Definitions that the compiler made for the primal and that the adjoints read. */
  readonly helpers: readonly Definition[];
}

function addedBy(
  module: Module,
  program: Program,
  { answers, primal, split, seed }: Answered,
): Added {
  const known = new Set(reachable(primal));
  for (const definition of reachable(answers)) addNeeds(program, definition);
  const isInFile = (definition: Definition): boolean =>
    definition === seed || isOwn(module, program, definition);
  const added = reachable(answers).filter(
    (each) => !known.has(each) && !isInFile(each) && each.origin !== "input",
  );
  const inOrder = inOrderOfUse(added, answers);
  // Values of the primal come before the adjoints that read them.
  const isValue = (definition: Definition): boolean => split?.has(definition) === true;
  const derived = [
    ...inOrder.filter(isValue),
    ...inOrder.filter((definition) => !isValue(definition)),
  ];
  const helpers = helpersOf(derived, isInFile);
  return { derived, helpers };
}

/**
 * The lines of derived definitions: the statements of the file that they need, the cotangent of the
 * numerator, and the definitions themselves.
 */
export function sourceOf(
  module: Module,
  program: Program,
  answered: Answered,
):
  | { readonly lines: readonly string[]; readonly names: ReadonlyMap<Definition, string> }
  | { readonly diagnostics: readonly Diagnostic[] } {
  const { seed } = answered;
  const { derived, helpers } = addedBy(module, program, answered);
  const all = [...derived, ...helpers];
  const [unwritten] = all.filter(isUnwritten);
  if (unwritten) {
    const title =
      "the derivative of what looks at the text of data, written as source, cannot be run yet";
    const help = "ask for its numbers: `let g = @y / @x; print(g);`";
    return { diagnostics: [error("E0190", title, unwritten.span, { help })] };
  }
  const measured = measuredIn(program, all);
  const wanted = new Set([
    ...all.flatMap((definition) => namesRead(program, definition, seed)),
    ...measured.map((input) => input.name),
  ]);
  const inputs = [...(seed ? [seed] : []), ...measured];
  const isStaying = (definition: Definition): boolean =>
    answered.answers.includes(definition) || answered.named?.has(definition) === true;
  const there = { top: topNames(module), brought: importedNames(module) };
  const printed = withTidyClauses([...helpers, ...derived], () =>
    withoutRepeats([...helpers, ...derived], isStaying, (left) =>
      withoutUnusedNumbers(left, isStaying, (said) =>
        printDefinitions(program, inputs, said, there, dataWords),
      ),
    ),
  );
  const needed = neededStatements(module, wanted, namesCalledIn(printed.lines));
  const statements = withDimensions(module, needed, dimensionsIn(program, all, seed));
  const written = statements.map((statement) => formatStatement(statement).trimEnd());
  const incoming = seed
    ? [`input ${seed.name}: ${typeText(seed, packsOf(module), program.dimensions)};`]
    : [];
  const isMeasuredFirst = seed !== undefined && declaresFor(program, seed, statements);
  const lines = [
    ...(isMeasuredFirst ? [...incoming, ...written] : [...written, ...incoming]),
    ...printed.lines,
  ];
  return { lines, names: printed.names };
}

/**
 * Whether data is asked for its text, in a definition or in what the functions that it calls give.
 */
function isUnwritten({ clauses }: Definition): boolean {
  let found = false;
  const look = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => void (found ||= part.kind === "data" && !isWrittenData(part)));
  for (const scalar of clauses.flatMap(scalarsOf)) {
    look(scalar);
    eachScalar(scalar, (part) => {
      if (part.kind !== "call") return;
      for (const each of functionsFrom(part.invocation.function)) each.results.forEach(look);
    });
  }
  return found;
}

/**
 * Definitions that the compiler made for the primal and that the adjoints read. Statements of the
 * file are not among them: they are printed as they stand.
 */
function helpersOf(
  derived: readonly Definition[],
  isInFile: (definition: Definition) => boolean,
): readonly Definition[] {
  const seen = new Set<Definition>();
  const found: Definition[] = [];
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (seen.has(read) || derived.includes(read) || isInFile(read)) continue;
      seen.add(read);
      visit(read);
      found.push(read);
    }
  };
  for (const definition of derived) visit(definition);
  return inOrderOfUse(found, found);
}

export function problemDiagnostic(
  problem: Problem,
  numerator: Definition,
  wrt: Definition,
): Diagnostic {
  return explainProblem(problem, numerator, wrt, problem.through.span);
}

/** The output or input of a name. Reports an unknown name and a value that is not a float. */
export function findFloatValue(
  program: Program,
  name: string,
  problems: Diagnostic[],
): Definition | undefined {
  const definition =
    program.outputs.get(name)?.definition ?? program.inputs.find((input) => input.name === name);
  if (!definition) {
    const candidates = [...program.outputs.keys(), ...program.inputs.map((input) => input.name)];
    problems.push(
      error("E0884", `the program has no value \`${name}\``, undefined, {
        help: didYouMean(name, candidates),
      }),
    );
    return undefined;
  }
  if (!isFloat(definition.element)) {
    problems.push(
      error(
        "E0704",
        `\`${name}\` is ${definition.element}, and derivatives are of floats by floats`,
        definition.span,
      ),
    );
    return undefined;
  }
  return definition;
}

/** The cotangent of the numerator as an input, and the coordinates of the numerator. */
interface Incoming extends Definition {
  readonly loops: readonly Loop[];
}

function incoming(numerator: Definition, name: string): Incoming {
  const loops = numerator.clauses[0]?.loops ?? [];
  return { ...numerator, name, origin: "input", clauses: [], needs: new Set(), loops };
}

/**
 * The type of the cotangent of the numerator. `packs` are the packs in the types of the file's
 * inputs, and `dimensions` are the file's names of extents.
 */
function typeText(
  { element, axes, loops }: Incoming,
  packs: ReadonlySet<string>,
  dimensions: Program["dimensions"],
): string {
  const dims = axes.map(({ extent, name }, axis) => {
    const pack = loops[axis]?.variable.pack;
    if (extent.parts.length === 0) return String(extent.constant);
    if (pack !== undefined && packs.has(pack)) return `..${pack}`;
    const v = asVariable(extent);
    // An extent that only the run knows has no name.
    return v ? (dimensions.get(v.name) === v ? v.name : "?") : (name ?? "?");
  });
  // The axes of a pack stand together, under the one name of the pack.
  return (
    `[${element}; ` +
    `${dims.filter((dim, k) => !dim.startsWith("..") || dim !== dims[k - 1]).join(", ")}]`
  );
}

/** Do statements use a dimension name that only the type of the cotangent declares? */
function declaresFor(
  program: Program,
  seed: Definition,
  statements: readonly Statement[],
): boolean {
  const declared = new Set(statements.flatMap(dimensionNames));
  const measured = new Set(seed.axes.flatMap(({ extent }) => asVariable(extent) ?? []));
  const own = [...program.dimensions].flatMap(([name, v]) =>
    measured.has(v) && !declared.has(name) ? [name] : [],
  );
  return (
    own.length > 0 &&
    statements.some((statement) => own.some((name) => namesMeasured(statement).has(name)))
  );
}

/** The names whose extents a statement asks for: `n` in `extent(n)`. */
function namesMeasured(statement: Statement): ReadonlySet<string> {
  const found = new Set<string>();
  namesReadIn(statement, ({ callee, arguments: given }) => {
    if (callee.kind !== "path" || callee.segments[0]!.text !== "extent") return;
    for (const argument of given) for (const name of namesReadIn(argument)) found.add(name);
  });
  return found;
}

function packsOf({ statements }: Module): ReadonlySet<string> {
  return new Set(
    statements.flatMap((statement) =>
      statement.kind === "input" && statement.type.kind === "tensor"
        ? (statement.type.dims ?? []).flatMap((dim) => (dim.kind === "pack" ? [dim.name.text] : []))
        : [],
    ),
  );
}

/** Does a top-level statement of the file bind this definition? */
function isOwn(module: Module, program: Program, definition: Definition): boolean {
  if (definition.origin === "input") return true;
  for (const [name, output] of program.outputs)
    if (output.definition === definition && topNames(module).has(name)) return true;
  return false;
}

/**
 * The names of the file that a definition reads. The cotangent of the numerator is not in the file.
 */
function namesRead(
  program: Program,
  definition: Definition,
  seed: Definition | undefined,
): readonly string[] {
  const names: string[] = [];
  for (const read of readsOf(definition)) {
    if (read === seed) continue;
    if (read.origin === "input") names.push(read.name);
    for (const [name, output] of program.outputs) if (output.definition === read) names.push(name);
  }
  return names;
}

/** The dimension names in definitions, except those that the type of the cotangent declares. */
function dimensionsIn(
  program: Program,
  definitions: readonly Definition[],
  seed: Definition | undefined,
): ReadonlySet<string> {
  const used = extentsIn(definitions);
  const declared = new Set(seed?.axes.flatMap(({ extent }) => asVariable(extent) ?? []));
  return new Set(
    [...program.dimensions].flatMap(([name, v]) => (used.has(v) && !declared.has(v) ? [name] : [])),
  );
}

function extentsIn(definitions: readonly Definition[]): ReadonlySet<Variable> {
  const used = new Set<Variable>();
  const use = (term: Term): void => {
    for (const v of variablesOf(term)) used.add(v);
  };
  for (const { axes, clauses } of definitions) {
    for (const { extent } of axes) use(extent);
    for (const scalar of clauses.flatMap(scalarsOf))
      eachScalar(scalar, (part) => void (part.kind === "integer" && use(part.term)));
  }
  return used;
}

/** The inputs whose extents have no name. The source writes such extents as `shape(x)[0]`. */
function measuredIn(program: Program, definitions: readonly Definition[]): readonly Definition[] {
  const named = new Set(program.dimensions.values());
  const open = [...extentsIn(definitions)].filter((v) => !named.has(v) && !program.scalars.has(v));
  const first = open.flatMap(
    (v) =>
      program.inputs.find(({ axes }) => axes.some(({ extent }) => asVariable(extent) === v)) ?? [],
  );
  return [...new Set(first)];
}

/** The statements, and for each dimension name that none of them declares an input that does. */
function withDimensions(
  module: Module,
  statements: readonly Statement[],
  dimensions: ReadonlySet<string>,
): readonly Statement[] {
  const found = new Set(statements);
  const declared = new Set(statements.flatMap(dimensionNames));
  for (const name of dimensions) {
    if (declared.has(name)) continue;
    const declaring = module.statements.find((statement) =>
      dimensionNames(statement).includes(name),
    );
    if (!declaring) continue;
    found.add(declaring);
    for (const other of dimensionNames(declaring)) declared.add(other);
  }
  return module.statements.filter((statement) => found.has(statement));
}

/**
 * Names that the printed program may contain. Values that the primal does not need are not printed,
 * so their names are free.
 */
function namesInUse(
  module: Module,
  program: Program,
  primal: readonly Definition[],
): ReadonlySet<string> {
  const needed = new Set(primal);
  const isUnused = (name: string): boolean => {
    const definition = program.outputs.get(name)?.definition;
    return definition !== undefined && !needed.has(definition);
  };
  return new Set([...topNames(module)].filter((name) => !isUnused(name)));
}

export function topNames(module: Module): ReadonlySet<string> {
  return new Set(module.statements.flatMap(boundNames));
}

/**
 * The statements that bind the wanted names, and the statements that these need in turn, in the
 * order of the file. The `called` names may come from modules.
 */
function neededStatements(
  module: Module,
  wanted: ReadonlySet<string>,
  called: readonly string[],
): readonly Statement[] {
  const names = new Set(wanted);
  const said = new Set(called);
  const types = new Set(
    module.statements.flatMap((each) =>
      each.kind === "enum" || each.kind === "struct" ? [each.name.text] : [],
    ),
  );
  const found = new Set<Statement>();
  for (let grown = true; grown;) {
    grown = false;
    for (const statement of module.statements) {
      const binds =
        boundNames(statement).some((name) => names.has(name)) ||
        importsAny(module, statement, said);
      if (!binds || found.has(statement)) continue;
      found.add(statement);
      grown = true;
      for (const name of namesUsedIn(statement)) said.add(name);
      for (const name of namesReadIn(statement)) names.add(name);
      for (const name of dimensionNames(statement)) names.add(name);
      for (const name of typesIn(statement)) if (types.has(name)) names.add(name);
    }
  }
  return module.statements.filter((statement) => found.has(statement));
}

/** Names that may be names of types: names in types, patterns and literals, and before `::`. */
function typesIn(statement: Statement): readonly string[] {
  return [
    ...namesOfAll(statement).bound,
    ...pathsIn(statement).map(({ segments }) => segments[0]!.text),
  ];
}

function dimensionNames(statement: Statement): readonly string[] {
  if (statement.kind !== "input" || statement.type.kind !== "tensor") return [];
  return (statement.type.dims ?? []).flatMap((dim) => (dim.kind === "name" ? [dim.name.text] : []));
}
