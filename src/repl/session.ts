// The session of the prompt: its entries, its commands, and the questions that it answers, for any
// host. Terminals, threads and files are in `cli/repl`.
//
// A session holds the entries that were accepted and the values that were computed. A new entry is
// compiled together with the entries that it needs, so that derivatives go through all of them.
// Kept values are not computed again.

import type { Asked } from "../autodiff/requests/requests.ts";
import { continueRun } from "../run/run.ts";
import { withoutAllowed } from "../check/lints/allow.ts";
import { divisionLints } from "../check/lints/divisions.ts";
import type { ModuleText, ReadModule } from "../check/names/modules.ts";
import { scopeInside, type Scope } from "../check/names/scope.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import type { RunOptions } from "../backends/results.ts";
import { allRooms, declaredInput, derive, withinLimits, type Indexed } from "../driver/compile.ts";
import { declaredElement } from "../driver/without-ranks.ts";
import { error, isError, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { rootsOf } from "../ir/roots.ts";
import type { Definition, Program } from "../ir/program.ts";
import { reachable } from "../analyse/schedule.ts";
import type { Input, Module } from "../syntax/tree/ast.ts";
import { parse } from "../syntax/parse/parser.ts";
import type { Source } from "../base/source.ts";
import { checkEntries, bindingKey, type CheckedEntries, type Key } from "./check-entries.ts";
import { supersedes, type Entry } from "./entry.ts";
import { readings } from "./clauses.ts";
import { neededBy, placed, type Placed } from "./needed.ts";

export interface Session {
  readonly entries: readonly Entry[];
  /** Values of inputs, and of names that have been computed. */
  readonly kept: ReadonlyMap<Key, TensorValue>;
  /** Warnings that have been shown. Each one is shown once. */
  readonly warned: ReadonlySet<string>;
  /** The texts of `mod m;` as they were when their entry was made. */
  readonly texts: ReadonlyMap<string, ModuleText>;
}

export const emptySession: Session = {
  entries: [],
  kept: new Map(),
  warned: new Set(),
  texts: new Map(),
};

export interface EnterOptions extends Pick<RunOptions, "f64" | "maxMemory" | "trap" | "onPrint"> {
  readonly readModule?: ReadModule | undefined;
  /** The value of an input that is being declared, if the host has one. */
  readonly supply?: (input: DeclaredInput) => TensorValue | undefined;
}

type Entered =
  | {
      readonly ok: true;
      readonly session: Session;
      readonly warnings: readonly Diagnostic[];
      /** The scope after the entry, with the names that the entry declares. */
      readonly scope: Scope;
      /** Inputs of this entry that have no value yet. */
      readonly waiting: readonly DeclaredInput[];
    }
  /** The entry is refused, and the session stays the same. */
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The compiled entries of a session. */
export interface CompiledEntries extends Indexed {
  readonly checked: CheckedEntries;
  /** One module with the declarations that are in scope. */
  readonly module: Module;
  readonly texts: ReadonlyMap<string, ModuleText>;
}

/** The reasons why an entry or a question is refused. */
export interface Refusal {
  readonly refused: readonly Diagnostic[];
}

/** Takes one more entry: binds its names, and shows its prints and bare expressions. */
export function enter(session: Session, source: Source, options: EnterOptions): Entered {
  const { module, diagnostics } = parse(source);
  if (diagnostics.some(isError)) return { ok: false, diagnostics };
  if (module.statements.length === 0)
    return { ok: true, session, warnings: [], scope: scopeInside(), waiting: [] };
  const next = firstAccepted(
    withUnranked(session, module, options),
    { source, module, continued: 0 },
    options,
  );
  if ("refused" in next) return { ok: false, diagnostics: next.refused };
  const { compiled, entry } = next;
  const entries = [...session.entries, entry];
  const inputs = suppliedInputs(next.kept, next, options);
  const kept = new Map([...next.kept, ...inputs.values]);
  const ran = compute(compiled, kept, options);
  const found = compiled.diagnostics.filter((each) => !session.warned.has(warningKey(each)));
  const warnings = [...withoutAllowed(divisionLints({ module, diagnostics })), ...found];
  if ("fault" in ran) return { ok: false, diagnostics: [...warnings, ran.fault] };
  const warned = new Set([...session.warned, ...warnings.map(warningKey)]);
  return {
    ok: true,
    session: { entries, kept: ran.kept, warned, texts: compiled.texts },
    warnings,
    scope: compiled.checked.scope,
    waiting: inputs.missing,
  };
}

/** `asked` is a derivative to derive, as in `:grad loss W`. */
interface CompileOptions extends Pick<EnterOptions, "readModule"> {
  readonly asked?: Asked;
}

/** Compiles all entries of a session, without running them. */
export function compileSession(
  session: Session,
  options: CompileOptions,
): CompiledEntries | Refusal {
  if (session.entries.length === 0)
    return { refused: [error("E0884", "nothing has been entered yet", undefined)] };
  return compileEntries(session, options, placed(session.entries));
}

/**
 * Compiles one more entry with the entries that it needs. If this fails, all entries take part,
 * because a message may suggest a name of any entry.
 */
export function compileNext(
  session: Session,
  options: Pick<EnterOptions, "readModule">,
  entry: Entry,
): CompiledEntries | Refusal {
  const needed = neededBy(session.entries, entry);
  const compiled = compileEntries(session, options, needed);
  if (!("refused" in compiled) || needed.length > session.entries.length) return compiled;
  return compileEntries(session, options, placed([...session.entries, entry]));
}

function compileEntries(
  session: Session,
  options: CompileOptions,
  entries: readonly Placed[],
): CompiledEntries | Refusal {
  const texts = new Map(session.texts);
  const compiled = withinLimits(entries.at(-1)!.entry.source, (): CompiledEntries => {
    const checked = checkEntries(entries, {
      rankOf: (key) => session.kept.get(key)?.shape.length,
      readModule: options.readModule && readOncePerEntry(options.readModule, texts),
    });
    const module = visibleModule(entries.map(({ entry }) => entry));
    return {
      ...derive(module, checked, [], allRooms, { asked: options.asked }),
      checked,
      module,
      texts,
    };
  });
  return "checked" in compiled && !compiled.diagnostics.some(isError)
    ? compiled
    : { refused: compiled.diagnostics };
}

/**
 * One module with the declarations of all entries, except those that a later entry declares again.
 */
function visibleModule(entries: readonly Entry[]): Module {
  const last = entries.at(-1)!.module;
  const declarations = entries.flatMap(({ module }, at) =>
    module.statements.map((statement) => ({ at, statement })),
  );
  const statements = declarations
    .filter(
      ({ at, statement }) =>
        !declarations.some((later) => later.at > at && supersedes(later.statement, statement)),
    )
    .map(({ statement }) => statement);
  return { ...last, statements, comments: [] };
}

/**
 * Reads a module file once for each entry. When the file changes, only later entries see the new
 * text.
 */
function readOncePerEntry(
  readModule: ReadModule,
  texts: Map<string, ModuleText>,
): (entry: number) => ReadModule {
  return (entry) => (name, from) => {
    const key = `${entry} ${from.name} ${name}`;
    const known = texts.get(key);
    if (known) return known;
    const read = readModule(name, from);
    if ("why" in read) return read;
    // Sources are told apart by their names, so a newer version of a file needs another name.
    const older = [...texts.values()].flatMap((text) =>
      "source" in text && text.source.name.startsWith(read.source.name) ? [text.source] : [],
    );
    const same = older.find(({ text }) => text === read.source.text);
    const source =
      same ??
      (older.length === 0 ? read.source : { ...read.source, name: newerName(read.source, older) });
    texts.set(key, { source });
    return { source };
  };
}

function newerName({ name }: Source, older: readonly Source[]): string {
  return `${name} (version ${older.length + 1})`;
}

// ── accepting ───────────────────────────────────────────────────────────────────────────────────

interface Accepted {
  readonly compiled: CompiledEntries;
  readonly entry: Entry;
  readonly kept: ReadonlyMap<Key, TensorValue>;
}

/**
 * The first reading of an entry that compiles. If none does, the refusal of the likeliest reading.
 */
function firstAccepted(session: Session, fresh: Entry, options: EnterOptions): Accepted | Refusal {
  let likeliest: Refusal | undefined;
  for (const entry of readings(session.entries, fresh)) {
    const compiled = compileNext(session, options, entry);
    if (!("refused" in compiled)) return { compiled, entry, kept: session.kept };
    likeliest ??= compiled;
    // Earlier clauses help only if cells are missing.
    if (
      entry === fresh &&
      !compiled.refused.some(({ code }) => code === "E0601" || code === "E0602")
    )
      break;
  }
  return likeliest!;
}

/**
 * An input without a rank gets its rank from its value, so the value must be known before the
 * check.
 */
function withUnranked(session: Session, module: Module, { supply }: EnterOptions): Session {
  const kept = new Map(session.kept);
  for (const statement of module.statements) {
    if (statement.kind !== "input" || !isUnranked(statement)) continue;
    const { text, span } = statement.name;
    const value = supply?.({ name: text, dtype: declaredElement(statement.type) });
    if (value) kept.set(bindingKey(session.entries.length, text, span.start), value);
  }
  return { ...session, kept };
}

function isUnranked({ type }: Input): boolean {
  return type.kind === "tensor" && type.dims?.length === 1 && type.dims[0]!.kind === "any-rank";
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

/** An input that can be given a value. Of several inputs with one name, this is the last one. */
interface OpenInput extends DeclaredInput {
  readonly key: Key;
}

export function inputsOf(session: Session, compiled: CompiledEntries): readonly OpenInput[] {
  const found = new Map<string, OpenInput>();
  session.entries.forEach(({ module }, at) => {
    for (const statement of module.statements) {
      if (statement.kind !== "input") continue;
      const { text, span } = statement.name;
      found.set(text, {
        name: text,
        dtype: declaredElement(statement.type),
        key: bindingKey(at, text, span.start),
      });
    }
  });
  for (const [binding, key] of compiled.checked.keys) {
    const definition = compiled.definitionOf(binding);
    if (definition?.origin !== "input" || found.get(binding.name)?.key !== key) continue;
    found.set(binding.name, { ...declaredInput(definition), name: binding.name, key });
  }
  return [...found.values()];
}

/**
 * Gives an input its value. Values that were computed from an older value are dropped, and computed
 * again when an entry needs them.
 */
export function give(
  session: Session,
  compiled: CompiledEntries,
  { key, name }: OpenInput,
  value: TensorValue,
  options: EnterOptions,
): Session | Refusal {
  const input = [...compiled.checked.keys].find(([, own]) => own === key)?.[0];
  const definition = input && compiled.definitionOf(input);
  const kept = new Map(session.kept);
  for (const [binding, own] of compiled.checked.keys) {
    const reader = compiled.definitionOf(binding);
    if (definition && reader && reachable([reader]).includes(definition)) kept.delete(own);
  }
  kept.set(key, value);
  const given = { ...session, kept };
  // The new value may have another rank, so the entries are checked again.
  const again = compileSession(given, options);
  if ("refused" in again) return { refused: [misfit(name), ...again.refused.filter(isError)] };
  return { ...given, texts: again.texts };
}

function misfit(name: string): Diagnostic {
  return error(
    "E0887",
    `with this value of \`${name}\` the entries so far do not fit together`,
    undefined,
  );
}

/**
 * The values that the host has for the inputs of the last entry, and the inputs without a value.
 */
function suppliedInputs(
  kept: ReadonlyMap<Key, TensorValue>,
  { compiled, entry }: Accepted,
  { supply }: EnterOptions,
): {
  readonly values: readonly (readonly [Key, TensorValue])[];
  readonly missing: readonly DeclaredInput[];
} {
  const values: (readonly [Key, TensorValue])[] = [];
  const missing: DeclaredInput[] = [];
  for (const action of compiled.checked.last) {
    if (
      action.kind !== "bind" ||
      action.binding.kind !== "value" ||
      action.binding.role !== "input"
    )
      continue;
    const key = compiled.checked.keys.get(action.binding)!;
    const definition = compiled.definitionOf(action.binding);
    if (!definition || kept.has(key)) continue;
    const input = { ...declaredInput(definition), name: action.binding.name };
    const value = supply?.(input);
    if (value) values.push([key, value]);
    else missing.push(input);
  }
  for (const statement of entry.module.statements) {
    if (statement.kind !== "input" || !compiled.checked.checker.unranked.has(statement.name.text))
      continue;
    missing.push({ name: statement.name.text, dtype: declaredElement(statement.type) });
  }
  return { values, missing };
}

// ── computing ───────────────────────────────────────────────────────────────────────────────────

/** Runs the last entry, and keeps the values of the names that it has computed. */
function compute(
  { program, analysis, checked, definitionOf }: CompiledEntries,
  kept: ReadonlyMap<Key, TensorValue>,
  options: EnterOptions,
): { readonly kept: ReadonlyMap<Key, TensorValue> } | { readonly fault: Diagnostic } {
  const inputs = new Map<string, TensorValue>();
  const present = new Map<Definition, TensorValue>();
  for (const [binding, key] of checked.keys) {
    const [definition, value] = [definitionOf(binding), kept.get(key)];
    if (!definition || !value) continue;
    if (definition.origin === "input") inputs.set(definition.name, value);
    else present.set(definition, value);
  }
  const missing = new Set(program.inputs.filter((input) => !inputs.has(input.name)));
  const needed = (roots: readonly Definition[]): Definition | undefined =>
    missing.size === 0 ? undefined : reachable(roots).find((definition) => missing.has(definition));
  const absent = needed(
    rootsOf({ ...program, outputs: new Map(), texts: new Map(), scalars: new Map() }),
  );
  if (absent) return { fault: missingInput(absent) };
  // A name that the same entry binds again and that nothing reads is not part of the program.
  const scheduled = new Set(analysis.schedules.flatMap(({ definitions }) => definitions));
  const wanted = checked.last.flatMap((action): readonly Definition[] => {
    const definition = action.kind === "bind" ? definitionOf(action.binding) : undefined;
    if (!definition || definition.origin === "input" || !scheduled.has(definition)) return [];
    return needed([definition]) ? [] : [definition];
  });
  const ran = continueRun(withoutMissing(program, missing), analysis, {
    ...options,
    inputs,
    kept: present,
    wanted,
  });
  if ("fault" in ran) return ran;
  const after = new Map(kept);
  for (const [binding, key] of checked.keys) {
    const definition = definitionOf(binding);
    const value = definition && ran.valueOf(definition);
    if (value && definition.origin !== "input") after.set(key, value);
  }
  return { kept: after };
}

function withoutMissing(program: Program, missing: ReadonlySet<Definition>): Program {
  return {
    ...program,
    inputs: program.inputs.filter((input) => !missing.has(input)),
    scalars: new Map([...program.scalars].filter(([, definition]) => !missing.has(definition))),
  };
}

function missingInput(input: Definition): Diagnostic {
  return error("E0801", `the input \`${input.name}\` has no value yet`, input.span, {
    help: howToGive(declaredInput(input)),
  });
}

/** What to type to give an input a value. */
export function howToGive({ name, shape }: DeclaredInput): string {
  const written = shape?.length === 0 ? "…" : "[…]";
  return `give it one: \`:set ${name}=${written}\`, or \`:in ${name}=file.npy\``;
}

function warningKey({ code, title, span }: Diagnostic): string {
  return `${code} ${span?.source.name} ${span?.start} ${title}`;
}
