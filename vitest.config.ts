// Three test projects: everything under Node, pages that Vite builds and serves, and the library in a real browser.

import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

/** What hangs is ended. How long a test takes says nothing: machines are slow and busy. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // One would stay idle otherwise: of two cores, half of the time.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...patience,
          name: "node",
          environment: "node",
          setupFiles: ["test/setup.ts"],
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/browser/**", "test/vite/**"],
        },
      },
      {
        test: {
          name: "vite",
          environment: "node",
          include: ["test/vite/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...patience,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
                args: ["--no-sandbox", "--disable-gpu"],
              },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
