// Writes the result of a run as a Markdown page: a table of ratios for each number of threads, and
// the bars.

import { best, counts, judge, namesOf, plural, shown } from "./bars.ts";
import type { Contest, Line, Outcome } from "./contest.ts";
import { leastMs, type Limits } from "./limits.ts";
import { withGradients } from "./rows.ts";

export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly load: number;
  readonly command: string;
  /** The text of `notes.md` about rows that fall short: their profiles, and what was tried. */
  readonly notes: string;
  readonly limits: ReadonlyMap<number, Limits>;
}

export function report(contest: Contest, circumstances: Circumstances): string {
  const threads = [...circumstances.limits.keys()];
  return `${[
    "# Results",
    introduction(contest, circumstances),
    ...threads.map((count) => table(contest, count, circumstances.limits.get(count)!)),
    gradients(contest),
    startUp(contest),
    freshProcess(contest),
    verdicts(contest),
    remarks(contest),
    circumstances.notes.trim(),
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

function introduction(
  { versions, absent }: Contest,
  { date, machine, load, command }: Circumstances,
): string {
  const lines = [
    `Written by \`${command}\` on ${date}, on ${machine}, ` +
      `with a load of ${load.toFixed(1)} when it began.`,
    `Versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
  ];
  for (const [name, why] of absent)
    lines.push(`${name} is absent (${why}): nothing is claimed against it.`);
  lines.push(
    "A number under a peer is its best time over ours: above 1 we are faster. " +
      "A number counts only if the peer's checksums agree with ours; " +
      "`≠` marks one that does not, and a time of ours that no peer agrees with is marked as " +
      "unchecked. `–` stands for a row that a peer has no way to say.",
  );
  return lines.join("\n");
}

function table(contest: Contest, threads: number, limits: Limits): string {
  const lines = contest.lines.filter(({ row, threads: of }) => of === threads && !isOfProcess(row));
  if (lines.length === 0) return "";
  const peers = contest.present.filter(({ family }) => family !== "ours").map(({ name }) => name);
  const head = ["row", "ours, ms", "rate", "limit, ms", "near", "web", "native", ...peers];
  const cells = lines.map((line) => [
    line.row.title,
    ...oursOf(line, limits),
    ratioToBest(line, namesOf(contest, "web")),
    ratioToBest(line, namesOf(contest, "native")),
    ...peers.map((name) => ratioTo(line, line.outcomes.get(name))),
  ]);
  const rates =
    `${(limits.flopsPerMs / 1e6).toFixed(0)} GFLOP/s with 128-bit vectors and ` +
    `${(limits.bytesPerMs / 1e6).toFixed(0)} GB/s copied`;
  const heading = `## ${plural(threads)[0]!.toUpperCase()}${plural(threads).slice(1)}`;
  return (
    `${heading}\n\nMeasured limits: ${rates}. ` +
    `"Limit" is the time that a row's arithmetic or its memory traffic takes at these rates, ` +
    `whichever is longer; "near" is that time over ours. ` +
    `"Web" and "native" are the ratios to the best peer of each family.\n\n` +
    markdown(head, cells)
  );
}

/** The promised limit: how many times as long a program may take with its gradients. */
const mostWithGradients = 4;

/** The time of a program with its gradients over the time without, for each number of threads. */
function gradients({ lines }: Contest): string {
  const timeOf = (id: string, threads: number): number | undefined => {
    const line = lines.find((each) => each.row.id === id && each.threads === threads);
    const outcome = line?.outcomes.get("ours");
    return outcome?.kind === "timed" ? outcome.ms : undefined;
  };
  const threads = [...new Set(lines.map((line) => line.threads))];
  const cells = withGradients.flatMap(({ without, row }) => {
    const ratios = threads.map((count) => {
      const [both, own] = [timeOf(row, count), timeOf(without, count)];
      return both === undefined || own === undefined ? undefined : both / own;
    });
    const known = ratios.filter((ratio) => ratio !== undefined);
    if (known.length === 0) return [];
    const isKept = known.every((ratio) => ratio <= mostWithGradients);
    const shownRatios = ratios.map((ratio) => (ratio === undefined ? "–" : ratio.toFixed(2)));
    return [[row, without, ...shownRatios, isKept ? "kept" : "**broken**"]];
  });
  if (cells.length === 0) return "";
  const promise = `at most ${mostWithGradients} is promised`;
  const what = `Our time with gradients over our time without: ${promise}.`;
  const head = ["with", "without", ...threads.map(plural), "promise"];
  return `## Gradients\n\n${what}\n\n${markdown(head, cells)}`;
}

/** Whether a row measures whole processes. Such rows have a section of their own. */
function isOfProcess({ id }: Line["row"]): boolean {
  return id === "startup" || id.startsWith("fresh-");
}

function oursOf(line: Line, limits: Limits): readonly string[] {
  const { row, outcomes } = line;
  const outcome = outcomes.get("ours");
  if (outcome?.kind !== "timed") return [outcome?.kind ?? "–", "", "", ""];
  const time = `${outcome.ms.toPrecision(3)}${counts(line) ? "" : " (unchecked)"}`;
  if (row.flops === 0) return [time, "", "", ""];
  const { ms, by } = leastMs(row, limits);
  const rate =
    by === "arithmetic"
      ? `${(row.flops / outcome.ms / 1e6).toPrecision(3)} GFLOP/s`
      : `${(row.bytes / outcome.ms / 1e6).toPrecision(3)} GB/s`;
  return [time, rate, `${ms.toPrecision(3)} (${by})`, `${((ms / outcome.ms) * 100).toFixed(0)} %`];
}

function ratioTo(line: Line, outcome: Outcome | undefined): string {
  const ours = line.outcomes.get("ours");
  if (!outcome || outcome.kind === "unable") return "–";
  if (outcome.kind === "failed") return "failed";
  if (ours?.kind !== "timed") return "";
  return outcome.agrees ? shown(outcome.ms / ours.ms) : "≠";
}

function ratioToBest(line: Line, names: readonly string[]): string {
  const ours = line.outcomes.get("ours");
  const theirs = best(line, names);
  return ours?.kind === "timed" && theirs ? shown(theirs.ms / ours.ms) : "–";
}

function freshProcess({ lines }: Contest): string {
  const cells = lines.flatMap(({ row, outcomes }) => {
    const ours = outcomes.get("ours");
    if (!row.id.startsWith("fresh-") || ours?.kind !== "timed") return [];
    return [[row.title, ours.ms.toFixed(0)]];
  });
  if (cells.length === 0) return "";
  const what =
    "From starting Node to the end of a process that compiles 20 lines and runs them once.";
  return `## A fresh process\n\n${what}\n\n${markdown(["row", "ours, ms"], cells)}`;
}

function startUp({ lines }: Contest): string {
  const line = lines.find(({ row }) => row.id === "startup");
  if (!line) return "";
  const cells = [...line.outcomes].map(([name, outcome]) => [
    name,
    outcome.kind === "timed" ? outcome.ms.toFixed(0) : outcome.kind,
    ratioTo(line, outcome),
  ]);
  return (
    "## Start-up\n\nFrom starting a process to its end: " +
    `\`ein -e "print(1 + 1);"\`, a peer's library loaded and ready, and Node alone.\n\n` +
    markdown(["who", "ms", "over ours"], cells)
  );
}

function verdicts(contest: Contest): string {
  const all = judge(contest);
  if (all.length === 0) return "";
  const words = new Map([
    [true, "met"],
    [false, "**missed**"],
    [undefined, "no claim"],
  ]);
  const cells = all.map(({ text, wanted, got, met }) => [text, wanted, got, words.get(met)!]);
  const met = all.filter((verdict) => verdict.met).length;
  return (
    `## Bars\n\n${met} of ${all.length} met.\n\n` + markdown(["bar", "wanted", "got", ""], cells)
  );
}

/** Lists what failed or disagreed, which explains the missing numbers. */
function remarks({ lines }: Contest): string {
  const notes = lines.flatMap(({ row, threads, outcomes }) =>
    [...outcomes].flatMap(([name, outcome]) => {
      const where = `${row.id}, ${plural(threads)}: ${name}`;
      if (outcome.kind === "failed") return [`- ${where} failed: ${outcome.why}`];
      return outcome.kind === "timed" && !outcome.agrees
        ? [`- ${where} computed something else: checksums ${outcome.apart.toExponential(1)} apart.`]
        : [];
    }),
  );
  return notes.length === 0 ? "" : `## What went wrong\n\n${notes.join("\n")}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [
    line(head),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...rows.map(line),
  ].join("\n");
}
