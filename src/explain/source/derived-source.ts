// The derived backward program as Einlang source that compiles again: the primal statements that
// are still needed, as they stand in the file, then the adjoints from the numerator back to the
// denominators, one definition a line.

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
import { leavingClauses } from "./leaving-clauses.ts";
import { boundNames, bringsAny, broughtIn, calledIn, saidIn } from "./needed-modules.ts";
import { onceEach } from "./once-each.ts";
import { onlySaid } from "./only-said.ts";
import { tidied } from "./tidied.ts";

export type Derived =
  | {
      readonly source: string;
      /** What the derivatives are called there, in the order of the denominators. */
      readonly derivatives: readonly string[];
      /** Denominators that the numerator does not depend on. */
      readonly independent: readonly Definition[];
    }
  | { readonly diagnostics: readonly Diagnostic[] };

/**
 * The backward program of `of` with respect to `wrt`; a tensor numerator brings its incoming
 * gradient as an input.
 */
export function derivedSource(
  module: Module,
  program: Program,
  of: string,
  wrt: readonly string[],
  extents: Iterable<Variable>,
): Derived {
  const problems: Diagnostic[] = [];
  const numerator = named(program, of, problems);
  const denominators = wrt.flatMap((name) => named(program, name, problems) ?? []);
  if (!numerator || problems.length > 0) return { diagnostics: problems };
  return derivedFrom(module, program, numerator, denominators, extents);
}

/** The same, for definitions. */
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
 * One backward program: what the sweep found, and the definitions that it takes to write it down.
 */
export interface Derivation extends Answered, Added {
  readonly program: Program;
  readonly numerator: Definition;
  readonly denominators: readonly Definition[];
  readonly swept: Swept;
  readonly independent: readonly Definition[];
  /**
   * Looks at the numerator and all gradients in one program, with the primal as the sweep leaves
   * it.
   */
  readonly asSwept: <T>(look: (all: readonly Definition[]) => T) => T;
  /** Does a definition belong to the program, and not to what the derivation makes of it? */
  readonly isPrimal: (definition: Definition) => boolean;
}

/**
 * Where a derivative is asked for within a recurrence: the numerator's axis that is the step, and
 * whether each step has many cells of it.
 */
export interface Within {
  readonly step: number;
  readonly jacobian: boolean;
}

interface Further extends Pick<Workshop, "keepCalls" | "keepProducts"> {
  /**
   * Whether all that anyone sees is the printed program: what the compiler made of the primal
   * leaves its names to it.
   */
  readonly onlyPrinted?: boolean;
}

/**
 * `keepCalls` and `keepProducts` are for those who want to know what is run, and not what is read.
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
  const { result: swept, withRewritten } = leavingClauses([numerator, ...denominators], () =>
    backward(numerator, denominators, workshop, { seed, step: within?.step }),
  );
  if (swept.problems.length > 0) {
    const problemsBy = (wrt: Definition): readonly Problem[] =>
      backward(numerator, [wrt], workshop, { seed, step: within?.step }).problems;
    return {
      diagnostics: denominators.flatMap((wrt) =>
        problemsBy(wrt).map((problem) => explained(problem, numerator, wrt)),
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

/** The derivative by what nothing depends on. */
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

/** A derivation as source that compiles again. */
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

/** Derived definitions to write down, and the program that they belong to. */
interface Answered {
  readonly answers: readonly Definition[];
  readonly primal: readonly Definition[];
  /** The primal as it was rewritten to be differentiated. */
  readonly split?: ReadonlySet<Definition>;
  readonly seed?: Incoming | undefined;
  /** The gradients of what the file names: each has a line of its own. */
  readonly named?: ReadonlySet<Definition>;
}

/** What has to be written beside the statements of the file. */
interface Added {
  /** What the backward program adds to the primal, from the numerator back. */
  readonly derived: readonly Definition[];
  /** What the compiler made of the primal and the adjoints still read. */
  readonly helpers: readonly Definition[];
}

function addedBy(
  module: Module,
  program: Program,
  { answers, primal, split, seed }: Answered,
): Added {
  const known = new Set(reachable(primal));
  for (const definition of reachable(answers)) addNeeds(program, definition);
  const isThere = (definition: Definition): boolean =>
    definition === seed || isOwn(module, program, definition);
  const added = reachable(answers).filter(
    (each) => !known.has(each) && !isThere(each) && each.origin !== "input",
  );
  const inOrder = inOrderOfUse(added, answers);
  // Values of the primal that are still needed come first, then adjoints.
  const isValue = (definition: Definition): boolean => split?.has(definition) === true;
  const derived = [
    ...inOrder.filter(isValue),
    ...inOrder.filter((definition) => !isValue(definition)),
  ];
  const helpers = helpersOf(derived, isThere);
  return { derived, helpers };
}

/**
 * The lines of some derived definitions: the statements that they need, the gradient that comes in,
 * then what was derived.
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
  const there = { top: topNames(module), brought: broughtIn(module) };
  const printed = tidied([...helpers, ...derived], () =>
    onceEach([...helpers, ...derived], isStaying, (left) =>
      onlySaid(left, isStaying, (said) =>
        printDefinitions(program, inputs, said, there, dataWords),
      ),
    ),
  );
  const needed = neededStatements(module, wanted, calledIn(printed.lines));
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

/** Whether data is asked for its text, in a definition or in what the functions that it calls give. */
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
 * What the compiler made for the primal and the adjoints still read; what stands in the file is
 * printed as it stands there.
 */
function helpersOf(
  derived: readonly Definition[],
  isThere: (definition: Definition) => boolean,
): readonly Definition[] {
  const seen = new Set<Definition>();
  const found: Definition[] = [];
  const visit = (definition: Definition): void => {
    for (const read of readsOf(definition)) {
      if (seen.has(read) || derived.includes(read) || isThere(read)) continue;
      seen.add(read);
      visit(read);
      found.push(read);
    }
  };
  for (const definition of derived) visit(definition);
  return inOrderOfUse(found, found);
}

export function explained(problem: Problem, numerator: Definition, wrt: Definition): Diagnostic {
  return explainProblem(problem, numerator, wrt, problem.through.span);
}

export function named(
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

/** The gradient that comes in from outside, and the coordinates of what it is the gradient of. */
interface Incoming extends Definition {
  readonly loops: readonly Loop[];
}

function incoming(numerator: Definition, name: string): Incoming {
  const loops = numerator.clauses[0]?.loops ?? [];
  return { ...numerator, name, origin: "input", clauses: [], needs: new Set(), loops };
}

/**
 * The type of an incoming gradient; `packs` are those that inputs of the file are declared with,
 * `dimensions` its names of extents.
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
    // What only the run knows has no name.
    return v ? (dimensions.get(v.name) === v ? v.name : "?") : (name ?? "?");
  });
  // The axes of a pack stand together, under its one name.
  return (
    `[${element}; ` +
    `${dims.filter((dim, k) => !dim.startsWith("..") || dim !== dims[k - 1]).join(", ")}]`
  );
}

/** Whether statements use a dimension name that only the type of the incoming gradient declares. */
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

/** The names whose extents a statement asks for. */
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

/** Is this what a top-level statement of the file binds? */
function isOwn(module: Module, program: Program, definition: Definition): boolean {
  if (definition.origin === "input") return true;
  for (const [name, output] of program.outputs)
    if (output.definition === definition && topNames(module).has(name)) return true;
  return false;
}

/** The names of the file that a definition reads; the gradient that comes in is not of the file. */
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

/**
 * The dimension names that definitions are written with, except those that the incoming gradient's
 * type declares.
 */
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

/** The inputs whose extents have no name: `shape(x)[0]` and `shape(x)[1]` stand for them. */
function measuredIn(program: Program, definitions: readonly Definition[]): readonly Definition[] {
  const named = new Set(program.dimensions.values());
  const open = [...extentsIn(definitions)].filter((v) => !named.has(v) && !program.scalars.has(v));
  const first = open.flatMap(
    (v) =>
      program.inputs.find(({ axes }) => axes.some(({ extent }) => asVariable(extent) === v)) ?? [],
  );
  return [...new Set(first)];
}

/** The statements, and an input for every dimension name that none of them declares. */
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
 * Names of the file that a printed program may hold: a value that the primal does not need is not
 * printed.
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
 * The statements that bind some names, and what these need in turn, in their order; what is called
 * elsewhere may come from modules.
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
        boundNames(statement).some((name) => names.has(name)) || bringsAny(module, statement, said);
      if (!binds || found.has(statement)) continue;
      found.add(statement);
      grown = true;
      for (const name of saidIn(statement)) said.add(name);
      for (const name of namesReadIn(statement)) names.add(name);
      for (const name of dimensionNames(statement)) names.add(name);
      for (const name of typesIn(statement)) if (types.has(name)) names.add(name);
    }
  }
  return module.statements.filter((statement) => found.has(statement));
}

/** Names that may be those of types: in types, patterns and literals, and before `::`. */
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
