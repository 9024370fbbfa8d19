// Makes a process that runs bundles available as a function. The process is replaced when it hangs
// or dies.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const runner = fileURLToPath(new URL("runner.mjs", import.meta.url));

/**
 * @typedef {object} Request
 * @property {string} code
 * @property {number} [places] how many places the code notes
 * @property {readonly number[]} [usual] how long each test usually takes, in the order of their
 *   declarations
 * @property {readonly number[]} [only] the tests to run
 */
/**
 * @typedef {object} Outcome
 * @property {{ name: string, message: string }} [failure]
 * @property {{ time: number, reached: number[] }[]} tests time in ms, and the places that each test
 *   reached
 * @property {number[]} loading the places that are reached before any test
 */

/** @param {string} root where the process runs */
export function startWorker(root) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;

  const start = () => {
    // A fault that fills the memory should fail soon.
    child = fork(runner, [], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"],
      execArgv: ["--max-old-space-size=1500"],
    });
    return child;
  };

  return {
    /**
     * @param {Request} request @param {number} patience ms without getting on @returns
     * {Promise<Outcome>}
     */
    outcomeOf: (request, patience) =>
      new Promise((resolve) => {
        const one = child ?? start();
        let timer;
        let said = "";
        const finish = (outcome) => {
          clearTimeout(timer);
          for (const emitter of [one, one.stderr, one.stdio[3]]) emitter.removeAllListeners();
          resolve(outcome);
        };
        const giveUp = (name) => {
          one.removeAllListeners();
          one.kill("SIGKILL");
          child = undefined;
          finish({ failure: { name, message: said }, tests: [], loading: [] });
        };
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(() => giveUp("(no end)"), patience);
        };
        one.on("message", finish);
        one.on("exit", () => giveUp("(the process died)"));
        one.stderr.on("data", (text) => (said = `${said}${text}`.slice(-2000)));
        one.stdio[3].on("data", wait);
        wait();
        one.send(request);
      }),
    stop() {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
