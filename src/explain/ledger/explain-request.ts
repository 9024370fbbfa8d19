// Explains a derivative that is given by the names of its numerator and denominators, or by a
// request of the program.

import type { Asked } from "../../autodiff/requests/requests.ts";
import { keepCalls } from "../../autodiff/data/calls.ts";
import { keepProducts } from "../../autodiff/rules/sparse-products.ts";
import { asFormulas } from "../../autodiff/sweep/formulas.ts";
import type { Wrong } from "../../diagnostics/diagnostic.ts";
import { addNeeds } from "../../autodiff/requests/requests.ts";
import { probe as openProbe, type Probe } from "../../run/probe.ts";
import { runProgram } from "../../run/run.ts";
import { error, Fault, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { convertInput } from "../../scalar/values/convert.ts";
import { failed } from "../../base/failure.ts";
import { fromScalars, sizeOf, type TensorValue } from "../../scalar/values/value.ts";
import type { Variable } from "../../affine/term.ts";
import { analyse, type Analysis } from "../../analyse/analyse.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Program, Scalar } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { uniform } from "../../scalar/random.ts";
import { reachable } from "../../analyse/schedule.ts";
import type { Module } from "../../syntax/tree/ast.ts";
import { costOf, type CostReport } from "../cost/cost.ts";
import { memoryOf, asOutputs, type MemoryReport } from "../cost/memory.ts";
import { accountsOf } from "./contributions.ts";
import {
  derivationOf,
  derivationSource,
  findFloatValue,
  type Derivation,
  type Within,
} from "../source/derived-source.ts";
import type { Order } from "../check/draw-extents.ts";
import { drawnFor } from "../check/draw-inputs.ts";
import { gradientStep, passagesOf, requestText, wordsOf } from "./explain.ts";
import type { Explanation } from "./explanation.ts";

/** The program of which a derivative is explained. */
interface Explained {
  readonly module: Module;
  readonly program: Program;
  readonly extents: Iterable<Variable>;
}

export interface ExplainOptions {
  /** The cell of the denominator that is followed with numbers. */
  readonly cell?: readonly number[];
  /**
   * Values for inputs. Inputs without a value are drawn. The cotangent of a tensor `C` is the input
   * `d_C`.
   */
  readonly inputs?: ReadonlyMap<string, TensorValue>;
  /** Whether floats of every type are computed in f64. */
  readonly f64?: boolean;
}

/**
 * A derivative to explain, as definitions. `within` is the step of the recurrence in which the
 * program asks for it.
 */
interface Question {
  readonly numerator: Definition;
  readonly denominators: readonly Definition[];
  readonly within?: Within | undefined;
}

/** Without `asked`, every derivative that the program itself requests is explained. */
export function explain(
  explained: Explained,
  asked: Asked | undefined,
  options: ExplainOptions,
): readonly (Explanation | Wrong)[] {
  return answered(explained, asked, (question) => explainQuestion(explained, question, options));
}

/** The costs of one backward program for all denominators of a numerator. */
export function costs(
  explained: Explained,
  asked: Asked | undefined,
  options: ExplainOptions,
): readonly (CostReport | Wrong)[] {
  return answered(
    explained,
    asked,
    (question) =>
      withRun(explained, question, options, (derivation, { probe }) => costOf(derivation, probe)),
    true,
  );
}

export function memory(
  explained: Explained,
  asked: Asked | undefined,
  options: ExplainOptions,
): readonly (MemoryReport | Wrong)[] {
  return answered(
    explained,
    asked,
    (question) =>
      withRun(explained, question, options, (derivation, { probe, program, analysis, inputs }) =>
        memoryOf(
          derivation,
          program,
          analysis,
          probe,
          peakOf(explained, derivation, inputs, options),
        ),
      ),
    true,
  );
}

/** The most bytes that a run uses if it computes only a numerator and its gradients. */
function peakOf(
  { program, extents }: Explained,
  { numerator, denominators, swept, seed }: Derivation,
  inputs: ReadonlyMap<string, TensorValue>,
  { f64 = false }: ExplainOptions,
): number {
  const answers = denominators.flatMap((denominator) => swept.adjoints.get(denominator) ?? []);
  const outputs = asOutputs([numerator, ...answers]);
  const alone: Program = {
    ...program,
    inputs: [...program.inputs, ...(seed ? [seed] : [])],
    outputs,
    actions: [],
  };
  const { fault, peakBytes } = runProgram(alone, analyse(alone, extents), {
    inputs,
    f64,
    get: [...outputs.keys()],
  });
  if (fault) throw new Fault(fault);
  return peakBytes;
}

function answered<T>(
  { program }: Explained,
  asked: Asked | undefined,
  answer: (question: Question) => T | Wrong,
  together = false,
): readonly (T | Wrong)[] {
  if (!asked) return (together ? questionsByNumerator(program) : questionsOf(program)).map(answer);
  const problems: Diagnostic[] = [];
  const numerator = findFloatValue(program, asked.of, problems);
  const denominators = asked.wrt.flatMap((name) => findFloatValue(program, name, problems) ?? []);
  if (!numerator || problems.length > 0) return [{ diagnostics: problems }];
  return [answer({ numerator, denominators })];
}

/** The requests of a program, in the order of the source. */
export function requestsOf(program: Program): readonly Definition[] {
  return reachable(rootsOf(program))
    .filter(({ request }) => request)
    .sort((a, b) => a.span.start - b.span.start);
}

function questionsOf(program: Program): readonly Question[] {
  return requestsOf(program).map(questionOf);
}

function questionOf({ request }: Definition): Question {
  const { of, wrt, step, jacobian } = request!;
  const within = step === undefined ? undefined : { step, jacobian: jacobian === true };
  return { numerator: of, denominators: [wrt], within };
}

/** Requests with equal numerators become one question. */
function questionsByNumerator(program: Program): readonly Question[] {
  const groups: {
    numerator: Definition;
    denominators: Definition[];
    within: Within | undefined;
  }[] = [];
  for (const { numerator, denominators, within } of questionsOf(program)) {
    const isSameStep = (other: Within | undefined): boolean =>
      other?.step === within?.step && other?.jacobian === within?.jacobian;
    const group = groups.find((other) => other.numerator === numerator && isSameStep(other.within));
    if (!group) groups.push({ numerator, denominators: [...denominators], within });
    else if (!group.denominators.includes(denominators[0]!))
      group.denominators.push(denominators[0]!);
  }
  return groups;
}

/** Explains a request of the program. */
export function explainDefinition(
  explained: Explained,
  request: Definition,
  options: ExplainOptions,
): Explanation | Wrong {
  return explainQuestion(explained, questionOf(request), options);
}

function withRun<T>(
  explained: Explained,
  { numerator, denominators, within }: Question,
  options: ExplainOptions,
  use: (derivation: Derivation, running: Running) => T,
): T | Wrong {
  const { module, program, extents } = explained;
  const derivation = derivationOf(module, program, numerator, denominators, extents, within, {
    keepCalls,
    keepProducts,
  });
  if ("diagnostics" in derivation) return derivation;
  try {
    return use(derivation, run(explained, derivation, options));
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure;
    return { diagnostics: [failure.diagnostic] };
  }
}

function explainQuestion(
  explained: Explained,
  question: Question,
  options: ExplainOptions,
): Explanation | Wrong {
  const { numerator, denominators } = question;
  return asFormulas([numerator, ...denominators], () =>
    explainFormulas(explained, question, options),
  );
}

function explainFormulas(
  explained: Explained,
  { numerator, denominators, within }: Question,
  options: ExplainOptions,
): Explanation | Wrong {
  const { module, program, extents } = explained;
  const derivation = derivationOf(module, program, numerator, denominators, extents, within);
  if ("diagnostics" in derivation) return derivation;
  const source = derivationSource(module, derivation);
  if ("diagnostics" in source) return source;
  const words = wordsOf(derivation);
  const passages = passagesOf(derivation);
  const steps = passages.map((passage) => gradientStep(derivation, words, passage));
  const common = {
    request: requestText(words, numerator, denominators),
    of: words.name(numerator),
    wrt: denominators.map((denominator) => words.name(denominator)),
    independent: derivation.independent.map((denominator) => words.name(denominator)),
    source: source.source,
  };
  if (!options.cell) return { ...common, drawn: [], gradients: steps };
  const held = sameCellOfAll(denominators, options.cell);
  if ("diagnostics" in held) return held;
  try {
    const { probe } = run(explained, derivation, options);
    for (const [denominator, position] of held) checkInside(probe, denominator, position);
    const accounts = accountsOf(derivation, words, passages, probe, held);
    const gradients = steps.map((one, k) => {
      const cell = accounts.get(passages[k]!);
      return cell ? { ...one, cell } : one;
    });
    return { ...common, drawn: drawnIn(program, derivation, options), gradients };
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure;
    return { diagnostics: [failure.diagnostic] };
  }
}

/** The inputs that the numerator needs and that are drawn. */
function drawnIn(
  program: Program,
  { numerator, seed }: Derivation,
  { inputs }: ExplainOptions,
): readonly string[] {
  const needed = reachable([numerator]).filter((definition) => program.inputs.includes(definition));
  return [...needed, ...(seed ? [seed] : [])]
    .map(({ name }) => name)
    .filter((name) => !inputs?.has(name));
}

function sameCellOfAll(
  denominators: readonly Definition[],
  cell: readonly number[],
): ReadonlyMap<Definition, readonly number[]> | { readonly diagnostics: readonly Diagnostic[] } {
  const other = denominators.find((denominator) => denominator.axes.length !== cell.length);
  if (!other) return new Map(denominators.map((denominator) => [denominator, cell]));
  const rank = other.axes.length;
  const title =
    `a cell of \`${other.name}\` has ${coordinatesText(rank)}, ` +
    `and \`--cell ${cell.join(",")}\` has ${cell.length}`;
  const help =
    rank === 0
      ? "a scalar has one cell: leave `--cell` out, or write `--cell ''`"
      : `write \`--cell ${Array.from({ length: rank }, () => 0).join(",")}\``;
  return { diagnostics: [error("E0889", title, undefined, { help })] };
}

function coordinatesText(rank: number): string {
  return rank === 1 ? "1 coordinate" : `${rank} coordinates`;
}

function checkInside(running: Probe, denominator: Definition, position: readonly number[]): void {
  const { shape } = running.valueOf(denominator);
  const axis = position.findIndex((at, k) => at >= shape[k]!);
  if (axis < 0) return;
  const name = denominator.axes[axis]!.name;
  const title =
    `\`${denominator.name}\` has no cell [${position.join(", ")}]: ` +
    `its shape is [${shape.join(", ")}]`;
  const end = shape[axis] === 0 ? "is empty" : `ends at ${shape[axis]! - 1}`;
  const text = `axis ${axis}${name ? ` (\`${name}\`)` : ""} ${end}`;
  throw new Fault(error("E0889", title, denominator.span, { text }));
}

/** A run of a backward program. */
interface Running {
  readonly probe: Probe;
  readonly program: Program;
  readonly analysis: Analysis;
  /** The values of the inputs, with the cotangent. */
  readonly inputs: ReadonlyMap<string, TensorValue>;
}

/** Runs the backward program. Sizes that are not given are chosen so that all values have cells. */
function run(explained: Explained, derivation: Derivation, options: ExplainOptions): Running {
  const growing = runWithSizes(explained, derivation, options, "growing");
  if (!(growing instanceof Fault) && hasCells(growing, derivation)) return growing;
  const falling = runWithSizes(explained, derivation, options, "falling");
  if (!(falling instanceof Fault) && (growing instanceof Fault || hasCells(falling, derivation)))
    return falling;
  if (growing instanceof Fault) throw growing;
  return growing;
}

function hasCells({ probe }: Running, { numerator, denominators }: Derivation): boolean {
  return [numerator, ...denominators].every(
    (definition) => sizeOf(probe.valueOf(definition).shape) > 0,
  );
}

function runWithSizes(
  { program, extents }: Explained,
  { swept, seed, numerator, denominators }: Derivation,
  { inputs = new Map(), f64 = false }: ExplainOptions,
  order: Order,
): Running | Fault {
  // The explanation shows local derivatives and incoming gradients apart, even if the program
  // computes them as one. So they are computed here, too.
  const local = swept.trace.pullbacks.flatMap(({ incoming, local, piece }) =>
    [
      local,
      ...(incoming ? [incoming] : []),
      piece.value,
      ...piece.ranges,
      ...piece.guards,
      ...piece.ties,
      ...piece.summed.flatMap(({ from, to }) => [from, to]),
    ].flatMap(definitionsReadIn),
  );
  const wanted = new Set([numerator, ...denominators, ...swept.trace.adjoints.values(), ...local]);
  const outputs = new Map([...wanted].map((definition, k) => [String(k), { definition }]));
  const extended: Program = { ...program, outputs, actions: [] };
  for (const definition of [...swept.trace.adjoints.values(), ...local])
    addNeeds(program, definition);
  const given = new Map([...inputs].filter(([name]) => name !== seed?.name));
  const all = drawnFor(program, given, order);
  try {
    const analysis = analyse(extended, extents);
    const probe = openProbe(extended, analysis, all, f64);
    const { shape } = probe.valueOf(numerator);
    const incoming = seed && incomingFor(seed, shape, inputs.get(seed.name), f64);
    if (incoming) probe.hold(seed, incoming);
    probe.valueOf(swept.adjoints.values().next().value ?? numerator);
    return {
      probe,
      program: extended,
      analysis,
      inputs: incoming ? new Map([...all, [seed.name, incoming]]) : all,
    };
  } catch (failure) {
    if (failure instanceof Fault) return failure;
    throw failure;
  }
}

/** The definitions that a scalar reads, itself or in a function that it calls. */
function definitionsReadIn(scalar: Scalar): readonly Definition[] {
  const found: Definition[] = [];
  eachScalar(scalar, (part) => {
    if (part.kind === "read") found.push(part.definition);
    if (part.kind === "call") found.push(...readsOfFunction(part.invocation.function));
  });
  return found;
}

/** The cotangent of the numerator: the given one, or a drawn one. */
function incomingFor(
  seed: Definition,
  shape: readonly number[],
  given: TensorValue | undefined,
  f64: boolean,
): TensorValue {
  const type = f64 ? "f64" : seed.element;
  const cells = Array.from({ length: sizeOf(shape) }, (_, k) => 0.5 + uniform(1, k));
  const value = given ? convertInput(given, type) : fromScalars(type, shape, cells);
  if (failed(value))
    throw new Fault(
      error("E0887", `the value for \`${seed.name}\` does not fit: ${value.error}`, undefined),
    );
  if (value.shape.join() === shape.join()) return value;
  const title =
    `\`${seed.name}\` has the shape of what it is the gradient of, [${shape.join(", ")}]; ` +
    `the value that came has [${value.shape.join(", ")}]`;
  throw new Fault(error("E0887", title, undefined));
}
