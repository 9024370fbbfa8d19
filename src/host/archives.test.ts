// `.npz`, `.safetensors` and `.csv` files: files that NumPy and safetensors saved, and malicious
// files.

import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { concatenated } from "./bytes.ts";
import { crc32Of } from "./crc32.ts";
import { readCsv, readCsvPieces, writeCsv } from "./csv.ts";
import { failed } from "../base/failure.ts";
import { inflate } from "./node/inflate.ts";
import { writeNpy } from "./npy.ts";
import { readNpz, writeNpz } from "./npz.ts";
import { readSafetensors, writeSafetensors } from "./safetensors.ts";
import { fromNested, type Nested } from "../scalar/values/value.ts";
import { zipParts, type Inflate } from "./zip.ts";

interface Saved {
  readonly files: Readonly<Record<string, string>>;
  readonly tensors: Readonly<
    Record<string, { readonly shape: number[]; readonly data: (number | string | boolean)[] }>
  >;
}

const saved = JSON.parse(
  readFileSync(new URL("../../test/reference/files.json", import.meta.url), "utf8"),
) as Saved;
const file = (name: string): Uint8Array =>
  Uint8Array.from(atob(saved.files[name]!), (c) => c.charCodeAt(0));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

function good<T>(outcome: T): Exclude<T, { readonly error: string }> {
  if (failed(outcome)) throw new Error(outcome.error);
  return outcome as Exclude<T, { readonly error: string }>;
}

function why(outcome: unknown): string {
  if (!failed(outcome)) throw new Error("it was read");
  return outcome.error;
}

const npz = (bytes: Uint8Array, key?: string): ReturnType<typeof readNpz> =>
  readNpz(bytes, { name: "x", ...(key === undefined ? {} : { key }) }, inflate);
const safetensors = (bytes: Uint8Array, key?: string): ReturnType<typeof readSafetensors> =>
  readSafetensors(bytes, { name: "x", ...(key === undefined ? {} : { key }) });

const matrix = good(
  fromNested("f64", [
    [1, 0.1],
    [NaN, -Infinity],
  ]),
);
const vector = good(fromNested("i64", ["9007199254740993", -1]));

describe.each([
  ["saved.npz", npz],
  ["compressed.npz", npz],
  ["saved.safetensors", safetensors],
] as const)("%s", (name, read) => {
  it.each(Object.entries(saved.tensors))("has %s as it was saved", (key, { shape, data }) => {
    const value = good(read(file(name), key));
    expect(value.shape).toEqual(shape);
    expect(Array.from(value.data as ArrayLike<number | bigint>, String)).toEqual(
      data.map((cell) => (typeof cell === "boolean" ? String(Number(cell)) : String(cell))),
    );
  });

  it("says which keys there are", () => {
    expect(why(read(file(name), "f65"))).toContain("it holds no `f65`; did you mean");
    expect(why(read(file(name)))).toContain("it holds no `x`; it has `");
  });

  it("says so wherever it is cut off", () => {
    const whole = file(name);
    for (let length = 0; length < whole.length; length += 97) {
      expect(failed(read(whole.subarray(0, length), "zeros"))).toBe(true);
    }
    expect(failed(read(whole.subarray(0, whole.length - 1), "zeros"))).toBe(true);
  });

  it("gives a value or a reason for damaged bytes", () => {
    const whole = file(name);
    for (let at = 0; at < whole.length; at += 13) {
      const damaged = whole.slice();
      damaged[at] = damaged[at]! ^ 0x41;
      for (const key of ["f64", "zeros"]) {
        const value = read(damaged, key);
        if (!failed(value)) expect(value.data.length).toBeLessThanOrEqual(whole.length * 1032);
      }
    }
  });
});

describe("npz", () => {
  it("reads back what it writes, to the bit", () => {
    const bytes = good(
      writeNpz(
        new Map([
          ["a b", matrix],
          ["é", vector],
        ]),
      ),
    );
    expect(npz(bytes, "a b")).toEqual(matrix);
    expect(npz(bytes, "é")).toEqual(vector);
    expect(why(writeNpz(new Map([["s", good(fromNested("str", ["a"]))]])))).toBe(
      "`s`: a .npy file cannot hold strings",
    );
  });

  it("takes the only tensor there is, or the one with the input's name", () => {
    expect(npz(good(writeNpz(new Map([["a", matrix]]))))).toEqual(matrix);
    expect(
      npz(
        good(
          writeNpz(
            new Map([
              ["a", matrix],
              ["x", vector],
            ]),
          ),
        ),
      ),
    ).toEqual(vector);
    expect(why(npz(concatenated(good(zipParts(new Map())))))).toBe("it holds no tensors");
  });

  it("refuses what is no archive, and archives that mean two things", () => {
    expect(why(npz(bytesOf("hello")))).toContain("not a zip archive");
    const twice = textOf(
      good(
        writeNpz(
          new Map([
            ["a1", matrix],
            ["a2", vector],
          ]),
        ),
      ),
    ).replaceAll("a2.npy", "a1.npy");
    expect(why(npz(bytesOf(twice), "a1"))).toBe("the zip archive has two files `a1.npy`");
    const bytes = good(
      writeNpz(
        new Map([
          ["a1", matrix],
          ["a2", vector],
        ]),
      ),
    );
    // The second entry of the directory points at the first file.
    const entry = textOf(bytes).lastIndexOf("PK\u0001\u0002");
    new DataView(bytes.buffer).setUint32(entry + 42, 0, true);
    expect(why(npz(bytes, "a1"))).toContain("lies over another file");
    const damaged = good(writeNpz(new Map([["a", matrix]])));
    damaged[60] = 0x7f;
    expect(why(npz(damaged, "a"))).toContain("its check sum differs");
  });

  it("unpacks no more than a file claims, and believes no claim that cannot be", () => {
    const small = file("compressed.npz");
    const entry = textOf(small).indexOf("PK\u0001\u0002");
    const names: string[] = [];
    for (let at = entry; at >= 0; at = textOf(small).indexOf("PK\u0001\u0002", at + 1)) {
      const bytes = small.slice();
      const view = new DataView(bytes.buffer);
      const name = textOf(bytes.subarray(at + 46, at + 46 + view.getUint16(at + 28, true))).replace(
        ".npy",
        "",
      );
      names.push(name);
      view.setUint32(at + 24, 10, true);
      expect(why(npz(bytes, name))).toBe("it unpacks to more than the 10 bytes it claims");
      view.setUint32(at + 24, 0x7fffffff, true);
      expect(why(npz(bytes, name))).toContain('more than "deflate" can pack');
    }
    expect(names).toEqual(Object.keys(saved.tensors));
  });
});

describe("safetensors", () => {
  const withHeader = (header: string, data = ""): Uint8Array => {
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
    return bytesOf(`${textOf(length)}${header}${data}`);
  };
  const entry = (shape: string, offsets: string, dtype = "F32"): string =>
    `{"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}}`;

  it("reads back what it writes, to the bit", () => {
    const half = good(fromNested("bf16", [1.5, -2, 0.1]));
    const bytes = good(
      writeSafetensors(
        new Map([
          ["a", matrix],
          ["b", half],
          ["__proto__", vector],
        ]),
      ),
    );
    expect(safetensors(bytes, "a")).toEqual(matrix);
    expect(safetensors(bytes, "b")).toEqual(half);
    expect(safetensors(bytes, "__proto__")).toEqual(vector);
  });

  it.each([
    ["", "", "not a JSON object"],
    ["[]", "", "not a JSON object"],
    ["{", "", "not a JSON object"],
    ["{}", "", "holds no tensors"],
    ["{}", "abc", "3 bytes at the end that belong to no tensor"],
    [`{"x":${entry("[2]", "[0,8]")}}`, "1234", "need 8 bytes, 4 are there"],
    [`{"x":${entry("[2]", "[0,4]")}}`, "1234", "needs 8 bytes, 4 are set aside"],
    [`{"x":${entry("[2]", "[8,0]")}}`, "12345678", "needs 8 bytes, -8 are set aside"],
    [`{"x":${entry("[-2]", "[0,8]")}}`, "12345678", "is not a list of extents"],
    [`{"x":${entry(`[${"1,".repeat(64)}1]`, "[0,4]")}}`, "1234", "the shape has 65 axes"],
    [
      `{"x":${entry(`${"[".repeat(1e5)}${"]".repeat(1e5)}`, "[0,4]")}}`,
      "1234",
      "its shape a nested list is not",
    ],
    [`{"x":${entry("[1e9,1e9,1e9]", "[0,8]")}}`, "12345678", "is too large"],
    [`{"x":${entry("[1]", "[0,4]", "F8")}}`, "1234", 'dtype "F8" has no counterpart'],
    [`{"x":${entry("[1]", "[0,4]", "constructor")}}`, "1234", "has no counterpart"],
    [`{"x":3}`, "", "its description is not an object"],
    [`{"x":${entry("[1]", "[0]")}}`, "1234", "not two positions"],
    [`{"x":${entry("[1]", "[0,4]")},"x":${entry("[1]", "[0,4]")}}`, "1234", "the key `x` twice"],
    [
      `{"x":${entry("[1]", "[0,4]")},"\\u0078":${entry("[1]", "[0,4]")}}`,
      "1234",
      "the key `x` twice",
    ],
    [
      `{"x":${entry("[1]", "[0,4]")},"y":${entry("[1]", "[2,6]")}}`,
      "123456",
      "`y` lies over another tensor",
    ],
    [`{"x":${entry("[1]", "[4,8]")}}`, "12345678", "4 bytes before `x` that belong to no tensor"],
  ])("refuses %s", (header, data, message) => {
    expect(why(safetensors(withHeader(header, data)))).toContain(message);
  });

  it("refuses a header that is longer than the file, or than any", () => {
    expect(why(safetensors(bytesOf("\u0010\0\0\0\0\0\0\0{}")))).toContain(
      "its header has 16 bytes, 2 are there",
    );
    expect(why(safetensors(bytesOf("\xff\xff\xff\xff\xff\xff\xff\xff{}")))).toContain(
      "more than the format allows",
    );
    expect(why(safetensors(bytesOf("\u0001")))).toContain("truncated");
  });
});

describe("names that lead out of a folder", () => {
  it.each(["../x", "a/../../x", "/x", "\\x", "..\\x", "C:\\x", "c:/x"])(
    "%s is neither written nor read",
    (key) => {
      expect(why(writeNpz(new Map([[key, matrix]])))).toContain(
        "a name that leads out of the folder",
      );
      // The harmless name has as many bytes as the harmful one.
      const harmless = "_".repeat(key.length);
      const bytes = textOf(good(writeNpz(new Map([[harmless, matrix]]))));
      const harmful = bytesOf(bytes.replaceAll(`${harmless}.npy`, `${key}.npy`));
      expect(why(npz(harmful))).toContain("a name that leads out of the folder");
    },
  );

  it.each(["layer/W", "W:0", "a..b", "...", "__proto__", "constructor"])(
    "%s is a key as any other",
    (key) => {
      for (const [write, read] of [
        [writeNpz, npz],
        [writeSafetensors, safetensors],
      ] as const) {
        const bytes = good(write(new Map([[key, matrix]])));
        expect(read(bytes, key)).toEqual(matrix);
        expect(why(read(bytes, "toString"))).toContain("it holds no `toString`");
      }
    },
  );
});

describe("a compressed tensor", () => {
  /** An archive of one compressed file. */
  function packed(name: string, content: Uint8Array): Uint8Array {
    const data = deflateRawSync(content);
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32Of([content]), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(label.length, 22);
    const directory = Buffer.concat([
      Buffer.from("PK\u0001\u0002\u0014\u0000"),
      common,
      Buffer.alloc(14),
      label,
    ]);
    const end = Buffer.alloc(18);
    end.writeUInt16LE(1, 4);
    end.writeUInt16LE(1, 6);
    end.writeUInt32LE(directory.length, 8);
    end.writeUInt32LE(30 + label.length + data.length, 12);
    const local = [Buffer.from("PK\u0003\u0004"), common, label, data];
    return new Uint8Array(Buffer.concat([...local, directory, Buffer.from("PK\u0005\u0006"), end]));
  }

  const vector = (cells: number): Uint8Array =>
    good(writeNpy({ dtype: "f32", shape: [cells], data: new Float32Array(cells) }));

  it("is unpacked where its header is as long as it says", () => {
    for (const cells of [3, 1 << 20])
      expect(good(readNpz(packed("x.npy", vector(cells)), { name: "x" }, inflate)).shape).toEqual([
        cells,
      ]);
  });

  it("that is longer than its header says is refused before it is unpacked", () => {
    const asked: number[] = [];
    const watched: Inflate = (bytes, size, isBeginning) => {
      const found = inflate(bytes, size, isBeginning);
      if (!failed(found)) asked.push(found.length);
      return found;
    };
    const small = vector(6);
    const bomb = new Uint8Array(1 << 26);
    bomb.set(small);
    expect(why(readNpz(packed("x.npy", bomb), { name: "x" }, watched))).toContain(
      "the .npy file is too long",
    );
    expect(Math.max(...asked)).toBeLessThan(1 << 23);
  });
});

const notNames = " (nor are these the names of columns, which do not begin like numbers)";

describe("csv", () => {
  const wanted = saved.tensors["f64"]!;
  it.each(["table.csv", "named.csv"])("reads %s", (name) => {
    const value = good(readCsv(textOf(file(name)), "f64", 2));
    expect(value.shape).toEqual(wanted.shape);
    expect([...(value.data as Float64Array)]).toEqual(wanted.data);
  });

  it("reads back what it writes", () => {
    expect(readCsv(good(writeCsv(matrix)), "f64", 2)).toEqual(matrix);
    expect(readCsv(good(writeCsv(vector)), "i64", 1)).toEqual(vector);
    const words = good(
      fromNested("str", [
        ["a,b", 'say "no"'],
        ["", "two\nlines"],
      ]),
    );
    expect(readCsv(good(writeCsv(words)), "str", 2)).toEqual(words);
    const few = good(fromNested("str", ["a", "", ""]));
    expect(readCsv(good(writeCsv(few)), "str", 1)).toEqual(few);
    const zeros = good(fromNested("f64", [-0, 0]));
    expect(readCsv(good(writeCsv(zeros)), "f64", 1)).toEqual(zeros);
    expect(good(writeCsv(good(fromNested("bool", true))))).toBe("true\n");
    expect(why(writeCsv(good(fromNested("f32", [[[1]]]))))).toContain("this has rank 3");
  });

  it.each<[string, Nested, number]>([
    [
      "1,2\r\n3,4\r\n",
      [
        [1, 2],
        [3, 4],
      ],
      2,
    ],
    ["\uFEFFa,b\n1,2\n", [[1, 2]], 2],
    ["1\n2\n\n3", [1, 2, 3], 1],
    ["1, 2 ,.5e1", [1, 2, 5], 1],
    ['"1","-inf"', [[1, -Infinity]], 2],
    ["a\n", [], 1],
  ])("reads %j", (text, nested, rank) => {
    expect(readCsv(text.replace("\uFEFF", ""), "f64", rank)).toEqual(
      good(fromNested("f64", nested)),
    );
  });

  it("has no rows below its names, and is refused without a line", () => {
    const none = { dtype: "f32" as const, shape: [0, 3], data: new Float32Array(0) };
    expect(readCsv("a,b,c\n", "f32", 2)).toEqual(none);
    expect(readCsv(good(writeCsv(none)), "f32", 2)).toEqual(none);
    for (const text of ["", "\n", "\r\n\r\n"])
      expect(why(readCsv(text, "f32", 2))).toBe(
        "the file is empty; a table without rows has a line of column names",
      );
    expect(why(writeCsv({ ...none, shape: [3, 0] }))).toContain(
      "cannot hold the shape [3, 0] of f32",
    );
    expect(why(writeCsv({ dtype: "str", shape: [0], data: [] }))).toContain(
      "in a table of texts every line is a row",
    );
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])(
    "reads %s as no number",
    (word) => {
      expect(why(readCsv(`1\n${word}\n3\n`, "f32", 1))).toBe(
        `line 2, column 1: "${word}" is not a number`,
      );
      expect(why(readCsv(`1\n${word}\n3\n`, "i64", 1))).toBe(
        `line 2, column 1: "${word}" is not an integer`,
      );
      expect(why(readCsv(`true\n${word}\n`, "bool", 1))).toBe(
        `line 2, column 1: "${word}" is not a bool`,
      );
      expect(readCsv(`${word}\n1\n2`, "f32", 1)).toEqual(good(fromNested("f32", [1, 2])));
    },
  );

  it.each([
    [
      '"1,000"\n2',
      '"1,000" is not a number; numbers have a point before their fraction, and no commas',
    ],
    ["1e\n2", '"1e" is not a number'],
    ["-\n2", '"-" is not a number; a missing number is written NaN'],
    ["NA\n2", '"NA" is not a number; a missing number is written NaN'],
    ["$5\n2", '"$5" is not a number'],
    ["\u22125\n2", '"\u22125" is not a number'],
    ["1st,second\n1,2", '"1st" is not a number'],
    ["0x10\n2", '"0x10" is not a number; in decimal digits: 16'],
    [",\n1,2", "there is nothing; a missing number is written NaN"],
    [
      "1;2\n3;4",
      '"1;2" is not a number; columns are separated by `;`, and only `,` is read: ' +
        "save the table with commas",
    ],
    [
      "1 2\n3 4",
      '"1 2" is not a number; columns are separated by blanks, and only `,` is read: ' +
        "save the table with commas",
    ],
  ])("takes no mistake in the first line of %j for the name of a column", (text, message) => {
    expect(why(readCsv(text, "f64", 2))).toContain(`line 1, column 1: ${message}`);
  });

  it("takes names for names", () => {
    const wanted = good(fromNested("f64", [[1, 2]]));
    for (const names of ["a,b", ",b", "x1,_2", "#,°C", "e5,-x", '"height (m)","weight, kg"'])
      expect(readCsv(`${names}\n1,2\n`, "f64", 2)).toEqual(wanted);
  });

  it("says what separates columns where that is no comma", () => {
    expect(why(readCsv("a\tb\n1\t2\n", "f64", 2))).toContain("columns are separated by tabs");
    expect(why(readCsv("a;b\n1,5;2,5\n", "f64", 2))).toBe(
      "line 2 has 3 fields, line 1 has 1 field; " +
        "columns are separated by `;`, and only `,` is read: save the table with commas",
    );
  });

  it("refuses what is too large for its type, and takes infinity", () => {
    expect(why(readCsv("1\n1e999", "f64", 1))).toContain(
      "line 2, column 1: 1e999 is too large for f64",
    );
    expect(why(readCsv("1\n-1e39", "f32", 1))).toContain("-1e39 is too large for f32");
    expect(why(readCsv("7e4", "f16", 1))).toContain("7e4 is too large for f16");
    expect(why(readCsv("9".repeat(1000), "i64", 1))).toMatch(
      /^line 1, column 1: 9{28}…9{28} does not fit in i64/,
    );
    expect(readCsv("0001\n-Infinity", "f32", 1)).toEqual(good(fromNested("f32", [1, -Infinity])));
    expect(readCsv(`${"0".repeat(30)}7`, "i64", 1)).toEqual(good(fromNested("i64", [7])));
  });

  it("takes no longer than its length, and repeats little of it", () => {
    const long = 2_000_000;
    const message = why(readCsv(`${"1".repeat(long)}x`, "f64", 1));
    expect(message).toBe(
      `line 1, column 1: "${"1".repeat(28)}…${"1".repeat(27)}x" is not a number${notNames}`,
    );
    const text = `"${'a""'.repeat(long)}"`;
    expect(good(readCsv(text, "str", 1)).data[0]).toHaveLength(2 * long);
  });

  it.each([
    ["1,2\n3", "line 2 has 1 field, line 1 has 2 fields"],
    ["1,2\n3,x", 'line 2, column 2: "x" is not a number'],
    ["1,2\n3,", "line 2, column 2: there is nothing; a missing number is written NaN"],
    ['1,2\n"3,4', "line 2: a quote begins or ends in the middle of a field"],
    ['1,2\n3"4,5', "line 2: a quote begins or ends in the middle of a field"],
    ['"a\nb",c\n1,2\n3,0x10', 'line 4, column 2: "0x10" is not a number; in decimal digits: 16'],
  ])("says what is wrong with %j", (text, message) => {
    expect(why(readCsv(text, "f64", 2))).toBe(message);
  });

  it(
    "reads lines that come in pieces, between quotes too, " +
      "and gives up on one that does not end",
    () => {
      const text = '"a\nb","c""d"\r\ne,"f,\n"\n';
      const wanted = good(readCsv(text, "str", 2));
      for (let size = 1; size < text.length; size++) {
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, k) =>
          text.slice(k * size, (k + 1) * size),
        );
        expect(readCsvPieces(pieces, "str", 2)).toEqual(wanted);
      }
      const endless = Array.from(
        { length: 40 },
        (_, k) => (k === 0 ? '"' : "") + "1,2\n".repeat(1 << 17),
      );
      expect(why(readCsvPieces(endless, "f64", 2))).toContain("line 1 is longer than");
    },
  );

  it("takes no numbers for the names of columns", () => {
    expect(why(readCsv("1.5,2.5\n3,4\n", "i32", 2))).toBe(
      'line 1, column 1: "1.5" is not an integer',
    );
    expect(why(readCsv("true\n1\n", "f32", 1))).toBe(
      'line 1, column 1: "true" is not a number; an input of bool takes it; ' +
        "a number is written 1 or 0",
    );
    expect(readCsv("name,true\n1,2\n", "f32", 2)).toMatchObject({ shape: [1, 2] });
    expect(why(readCsv("1e3\n4\n", "i64", 1))).toBe('line 1, column 1: "1e3" is not an integer');
    expect(why(readCsv("1,0\ntrue,false\n", "bool", 2))).toBe(
      'line 1, column 1: "1" is not a bool',
    );
  });
});
