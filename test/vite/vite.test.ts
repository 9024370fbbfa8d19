// The Vite plugin of the built package: a page that Vite bundles, and a page that Vite serves and
// reloads, in a real Chromium.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { build, createServer, preview, type InlineConfig, type Plugin } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type einlangPlugin from "../../src/doors/node/vite.ts";

/** The door of the package for Vite. */
interface Door {
  readonly default: typeof einlangPlugin;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const plugin = new URL("../../dist/vite.js", import.meta.url).href;

const files: Readonly<Record<string, string>> = {
  "index.html": '<!doctype html><p id="out"></p><script type="module" src="/main.ts"></script>',
  "main.ts": `
    import { run } from "./model.ein";
    import program from "./open.ein?program";
    const out = document.querySelector("#out")!;
    declare global {
      interface Window {
        show: () => string;
        started: number;
        any: (x: number[]) => Promise<number>;
      }
    }
    window.started = Math.random();
    window.show = () => {
      const { y, total } = run({ x: Float32Array.of(1, 2, 3, 4) });
      const shape: readonly [4] = y.shape;
      return [shape.join(), ...y.data, total.data[0]].join(" ");
    };
    window.any = async (x) => Number((await program.runAsync({ x })).s!.data[0]);
    out.textContent = window.show();
  `,
  "model.ein":
    "mod scale;\ninput x: [f32; n];\nlet y[i] = scale::by(x[i]);\nlet total = sum[i](y[i]);\n",
  "scale.ein": "pub fn by(x: f32) -> f32 { 2.0 * x }\n",
  "open.ein": "input x: [f32; n];\nlet s = sum[i](x[i]);\n",
};

let folder = "";
let browser: Browser;
let config: InlineConfig;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ein-vite-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/einlang"));
  const { default: einlang } = (await import(/* @vite-ignore */ plugin)) as Door;
  // The plugin has the type that Vite declares for plugins.
  const plugins: Plugin[] = [einlang({ extents: { n: 4 } })];
  config = {
    root: folder,
    configFile: false,
    logLevel: "silent",
    plugins,
    server: { fs: { strict: false } },
  };
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function opened(address: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector("#out")?.textContent !== "");
  return page;
}

const shown = (page: Page): Promise<string> => page.evaluate(() => window.show());

declare global {
  interface Window {
    show: () => string;
    started: number;
    any: (x: number[]) => Promise<number>;
  }
}

describe("a page that Vite builds", () => {
  test(
    "computes in the browser without a compiler; " +
      "a program with one takes any extents, on another thread",
    async () => {
      await build({ ...config, build: { outDir: "out", minify: true } });
      const chunks = readdirSync(join(folder, "out/assets"));
      expect(chunks.length).toBeGreaterThan(1);
      const server = await preview({ ...config, build: { outDir: "out" }, preview: { port: 0 } });
      try {
        const page = await opened(server.resolvedUrls!.local[0]!);
        expect(await shown(page)).toBe("4 2 4 6 8 20");
        expect(await page.evaluate(() => window.any([1, 2, 3]))).toBe(6);
        await page.close();
      } finally {
        await server.close();
      }
    },
  );

  test("has the compiler only for what asks for it", async () => {
    writeFileSync(
      join(folder, "small.ts"),
      'import { run } from "./model.ein";\nconsole.log(run({ x: new Float32Array(4) }));\n',
    );
    const lib = { entry: join(folder, "small.ts"), formats: ["es" as const], fileName: "small" };
    await build({ ...config, build: { outDir: "lib", lib, minify: true } });
    const text = readFileSync(join(folder, "lib/small.mjs"), "utf8");
    expect(text.length).toBeLessThan(40_000);
    expect(execFileSync(process.execPath, [join(folder, "lib/small.mjs")]).toString()).toContain(
      "dtype: 'f32'",
    );
  });

  test.each(["tensor", "showTensor", "EinError", "renderText", "useRelaxedSimd"])(
    "has nothing of the compiler for `%s`",
    async (name) => {
      const page = { html: join(folder, `${name}.html`), script: join(folder, `${name}.js`) };
      writeFileSync(page.html, `<!doctype html><script type="module" src="./${name}.js"></script>`);
      writeFileSync(page.script, `import { ${name} } from "einlang";\nconsole.log(${name});\n`);
      const result = await build({
        ...config,
        build: { write: false, rollupOptions: { input: page.html } },
      });
      const { output } = result as Extract<typeof result, { readonly output: unknown }>;
      const files = new Map(
        output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])),
      );
      const loaded = new Set(
        [...files.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
      );
      for (const file of loaded) for (const next of files.get(file)!.imports) loaded.add(next);
      const bytes = [...loaded].reduce((sum, file) => sum + files.get(file)!.code.length, 0);
      expect(bytes).toBeLessThan(25_000);
    },
  );

  test("takes any extent of what is computed row by row", async () => {
    writeFileSync(join(folder, "rows.ein"), "input x: [f32; m, 2];\nlet y[i] = sum[k](x[i, k]);\n");
    writeFileSync(
      join(folder, "rows.ts"),
      'import { run } from "./rows.ein";\n' +
        "for (const m of [0, 1, 20]) console.log(run({ x: " +
        "new Float32Array(2 * m).fill(1.5) }).y);\n",
    );
    const lib = { entry: join(folder, "rows.ts"), formats: ["es" as const], fileName: "rows" };
    await build({ ...config, build: { outDir: "lib", lib } });
    const said = execFileSync(process.execPath, [join(folder, "lib/rows.mjs")]).toString();
    for (const m of [0, 1, 20]) expect(said).toContain(`shape: [ ${m} ]`);
    expect(readFileSync(join(folder, "rows.d.ein.ts"), "utf8")).toContain("for any extent of `m`");
  });

  test("says what is wrong with a program, and where", async () => {
    writeFileSync(join(folder, "wrong.ein"), "input x: [f32; m];\nlet y = x[i];\n");
    writeFileSync(join(folder, "wrong.ts"), 'import { run } from "./wrong.ein";\nrun({});\n');
    const lib = { entry: join(folder, "wrong.ts"), formats: ["es" as const] };
    const wrong = build({ ...config, build: { outDir: "lib", lib } });
    await expect(wrong).rejects.toThrow("error[E0301]");
    writeFileSync(join(folder, "wrong.ein"), "input x: [f32; m];\nlet y = sum[i](x[i]);\n");
    await expect(build({ ...config, build: { outDir: "lib", lib } })).rejects.toThrow(
      "`--extent m=64`",
    );
  });
});

describe("types", () => {
  test("stand beside the program, and TypeScript holds imports to them", () => {
    expect(readFileSync(join(folder, "model.d.ein.ts"), "utf8")).toContain(
      "readonly shape: readonly [4]",
    );
    const check = (main: string): string => {
      writeFileSync(join(folder, "check.ts"), main);
      const flags =
        "--noEmit --strict --module preserve --allowArbitraryExtensions --lib es2022,dom " +
        "--types --pretty false --skipLibCheck";
      try {
        execFileSync(
          process.execPath,
          [join(root, "node_modules/typescript/bin/tsc"), ...flags.split(" "), "check.ts"],
          { cwd: folder },
        );
        return "";
      } catch (problem) {
        return String((problem as { stdout: Buffer }).stdout);
      }
    };
    expect(check(`/// <reference types="einlang/client" />\n${files["main.ts"]!}`)).toBe("");
    expect(check('import { run } from "./model.ein";\nrun({ x: new Float64Array(4) });')).toContain(
      "Float64Array",
    );
    expect(check('import { run } from "./model.ein";\nrun({ z: new Float32Array(4) });')).toContain(
      "'z' does not exist",
    );
  });
});

describe("a page that Vite serves", () => {
  test("gets the new program when a file changes, without being loaded again", async () => {
    const server = await createServer({
      ...config,
      server: { ...config.server, port: 0, watch: { usePolling: true, interval: 50 } },
    });
    try {
      await server.listen();
      const page = await opened(server.resolvedUrls!.local[0]!);
      expect(await shown(page)).toBe("4 2 4 6 8 20");
      const started = await page.evaluate(() => window.started);
      writeFileSync(
        join(folder, "model.ein"),
        files["model.ein"]!.replace("scale::by(x[i])", "scale::by(x[i]) + 1.0"),
      );
      await page.waitForFunction(() => window.show() === "4 3 5 7 9 24", undefined, {
        polling: 100,
      });
      // A module that the program reads counts like the program itself.
      writeFileSync(join(folder, "scale.ein"), files["scale.ein"]!.replace("2.0", "3.0"));
      await page.waitForFunction(() => window.show() === "4 4 7 10 13 34", undefined, {
        polling: 100,
      });
      expect(await page.evaluate(() => window.started)).toBe(started);
      expect(await page.evaluate(() => window.any([4, 5]))).toBe(9);
      await page.close();
    } finally {
      await server.close();
    }
  });
});
