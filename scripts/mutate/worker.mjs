// A process that runs bundles, as a function: asked for an outcome, and replaced when it hangs or dies.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const runner = fileURLToPath(new URL("runner.mjs", import.meta.url));

/** @typedef {{ failure?: { name: string, message: string }, times: [string, number][], tests: number }} Outcome */

/** @param {string} root where the process runs */
export function startWorker(root) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;

  const start = () => {
    // A fault that fills the memory is to die of it soon.
    child = fork(runner, [], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"],
      execArgv: ["--max-old-space-size=1500"],
    });
    return child;
  };

  return {
    /**
     * @param {string} code @param {readonly [string, number][]} times how long each test usually takes
     * @param {number} patience ms without getting on @returns {Promise<Outcome>}
     */
    outcomeOf: (code, times, patience) =>
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
          finish({ failure: { name, message: said }, times: [], tests: 0 });
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
        one.send({ code, times });
      }),
    stop() {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
