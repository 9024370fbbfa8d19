// Large and malicious files, on the built package. The memory that they need is measured in a
// process of its own.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ein = fileURLToPath(new URL("../../dist/ein.js", import.meta.url));
const MB = 1e6;
const patience = { timeout: 120_000 };
let folder = "";
let resting = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ein-files-"));
  writeFileSync(
    at("hook.cjs"),
    'process.on("exit", () => process._rawDebug("RSS " + process.resourceUsage().maxRSS * 1024));',
  );
  resting = run(["-e", "print(1);"]).rss;
}, patience.timeout);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

/** A run of the command, and its peak memory. */
function run(words: readonly string[]): {
  readonly out: string;
  readonly err: string;
  readonly rss: number;
  readonly code: number;
} {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--require", at("hook.cjs"), ein, ...words],
    {
      encoding: "utf8",
      cwd: folder,
    },
  );
  const [, rss] = /RSS (\d+)/.exec(stderr) ?? [];
  return {
    out: stdout,
    err: stderr.replace(/RSS \d+\n?/, ""),
    rss: Number(rss),
    code: status ?? -1,
  };
}

/** A file with some bytes at given offsets, and zeros between them. */
function sparse(
  name: string,
  size: number,
  pieces: readonly (readonly [at: number, bytes: Uint8Array])[],
): void {
  const file = openSync(at(name), "w");
  ftruncateSync(file, size);
  for (const [place, bytes] of pieces) writeSync(file, bytes, 0, bytes.length, place);
  closeSync(file);
  expect(statSync(at(name)).size).toBe(size);
}

const latin1 = (text: string): Uint8Array =>
  Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** The beginning of a `.npy` file, 128 bytes. */
function npyHeader(descr: string, shape: string): Uint8Array {
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117);
  return latin1(`\u0093NUMPY\u0001\u0000v\u0000${dict}\n`);
}

const little = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, k) => Math.floor(value / 256 ** k) % 256);

describe("large files", () => {
  const program = "input x: [f32; n]; print(x[0], x[len(x) - 1]);";

  test(".npy goes straight into its cells", patience, () => {
    const cells = 80 * MB;
    sparse("large.npy", 128 + 4 * cells, [
      [0, npyHeader("<f4", `(${cells},)`)],
      [128, latin1("\0\0\u0080?")],
      [128 + 4 * (cells - 1), latin1("\0\0\0@")],
    ]);
    const { out, rss } = run(["-e", program, "--in", "x=large.npy"]);
    expect(out).toBe("1.0 2.0\n");
    expect(rss - resting).toBeLessThan(4 * cells * 1.25 + 60 * MB);
  });

  test("of narrower numbers, some at a time", patience, () => {
    const cells = 60 * MB;
    sparse("narrow.npy", 128 + cells, [
      [0, npyHeader("|u1", `(${cells},)`)],
      [128, little(7, 1)],
      [127 + cells, little(9, 1)],
    ]);
    const { out, rss } = run(["-e", program.replace("f32", "i32"), "--in", "x=narrow.npy"]);
    expect(out).toBe("7 9\n");
    expect(rss - resting).toBeLessThan(4 * cells * 1.25 + 60 * MB);
  });

  test("of a .safetensors archive of many gigabytes only one tensor is read", patience, () => {
    const size = 6e9;
    const header = JSON.stringify({
      first: { dtype: "F32", shape: [(size - 8) / 4], data_offsets: [0, size - 8] },
      last: { dtype: "F32", shape: [2], data_offsets: [size - 8, size] },
    }).padEnd(256);
    const start = 8 + header.length;
    sparse("archive.safetensors", start + size, [
      [0, little(header.length, 8)],
      [8, latin1(header)],
      [start + size - 4, latin1("\0\0\0@")],
    ]);
    const { out, err, rss } = run(["-e", program, "--in", "x=archive.safetensors:last"]);
    expect(err).toBe("");
    expect(out).toBe("0.0 2.0\n");
    expect(rss - resting).toBeLessThan(60 * MB);
  });

  test(".csv is read and written line by line", patience, () => {
    const made = run([
      "-e",
      "let x[i in 0..200000, j in 0..3] = (i * 3 + j) as f32;",
      "--save",
      "x=table.csv",
    ]);
    expect(made.code).toBe(0);
    expect(statSync(at("table.csv")).size).toBeGreaterThan(4 * MB);
    const { out, rss } = run([
      "-e",
      "input x: [f32; n, 3]; print(len(x), x[199999, 2]);",
      "--in",
      "x=table.csv",
    ]);
    expect(out).toBe("200000 599999.0\n");
    expect(rss - resting).toBeLessThan(130 * MB);
  });

  test("what is saved is read again, through every format", patience, () => {
    const save = ["a.npy", "a.npz", "a.safetensors", "a.csv"].flatMap((name) => [
      "--save",
      `x=${name}`,
    ]);
    expect(run(["-e", "let x[i in 0..100000] = sin(i as f32);", ...save]).err).toBe("");
    const sums = ["a.npy", "a.npz", "a.safetensors", "a.csv"].map(
      (name) =>
        run(["-e", "input x: [f32; n]; print(sum[i](x[i] * x[i]));", "--in", `x=${name}`]).out,
    );
    expect(new Set(sums).size).toBe(1);
    expect(Number(sums[0])).toBeGreaterThan(49_000);
  });
});

describe("files that mean harm", () => {
  const huge = 9e9;
  const program = "input x: [f32; n]; print(len(x));";
  const cases: readonly (readonly [
    string,
    string,
    readonly (readonly [number, Uint8Array])[],
    number,
    RegExp,
  ])[] = [
    ["bad-magic.npy", "x=bad-magic.npy", [[0, latin1("\u0092NUMPY")]], huge, /does not begin with/],
    [
      "long-header.npy",
      "x=long-header.npy",
      [[0, latin1("\u0093NUMPY\u0002\0\0\0\0\u00f0")]],
      huge,
      /would have 4026531840 bytes/,
    ],
    [
      "false-shape.npy",
      "x=false-shape.npy",
      [[0, npyHeader("<f4", "(2000000000, 500)")]],
      4096,
      /needs 4000000000000 bytes, 3968 are there/,
    ],
    [
      "overflow.npy",
      "x=overflow.npy",
      [[0, npyHeader("<f4", "(9007199254740993, 9007199254740993)")]],
      4096,
      /too large/,
    ],
    ["truncated.npy", "x=truncated.npy", [[0, npyHeader("<f8", "(100,)")]], 200, /truncated/],
    [
      "long-header.safetensors",
      "x=long-header.safetensors",
      [[0, little(8e9, 8)]],
      huge,
      /more than the format allows/,
    ],
    [
      "empty-header.safetensors",
      "x=empty-header.safetensors",
      [[0, little(50e6, 8)]],
      huge,
      /not a JSON object/,
    ],
    ["no-end.npz", "x=no-end.npz", [[0, latin1("PK\u0003\u0004")]], huge, /end record is missing/],
    [
      "long-directory.npz",
      "x=long-directory.npz",
      [
        [0, latin1("PK\u0003\u0004")],
        [4e9 + 22 - 22, latin1("PK\u0005\u0006\0\0\0\0\u0001\0\u0001\0\0\0\0\0\u0010\0\0\0\0\0")],
      ],
      4e9 + 22,
      /longer than 64 MB/,
    ],
    [
      "one-line.csv",
      "x=one-line.csv",
      [[0, latin1("1,2")]],
      huge,
      /is longer than|not a number|begins or ends/,
    ],
  ];

  test.each(cases)("%s", patience, (name, input, pieces, size, message) => {
    sparse(name, size, pieces);
    const { err, rss, code } = run(["-e", program, "--in", input]);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\bat .*:\d+:\d+\)/);
    expect(code).toBeGreaterThan(0);
    expect(rss - resting).toBeLessThan(250 * MB);
  });
});
