// The thread that computes for a session. The terminal can react meanwhile, and can stop any
// computation.

import { parentPort, workerData } from "node:worker_threads";
import { changesBetween, type Changes } from "../../repl/changes.ts";
import type { Io, Stream } from "../io.ts";
import { submit, type Interpreter, type SessionSettings, type State } from "./interpreter.ts";

/** The data with which the thread starts: a new session, or one that continues after a stop. */
export interface Start {
  readonly settings: SessionSettings;
  readonly env: Io["env"];
  readonly state: State;
}

export interface Task {
  readonly text: string;
  readonly columns: number;
}

export type Report =
  | { readonly kind: "write"; readonly stream: "out" | "err"; readonly text: string }
  | {
      readonly kind: "done";
      readonly leaves: boolean;
      readonly changes: Changes;
      readonly state: Omit<State, "session">;
    }
  /** A defect of the compiler. The session keeps its previous state. */
  | { readonly kind: "failed"; readonly message: string };

if (parentPort) serve(parentPort, workerData as Start);

function serve(port: NonNullable<typeof parentPort>, { settings, env, state }: Start): void {
  const say = (report: Report): void => port.postMessage(report);
  let columns = 100;
  const stream = (name: "out" | "err"): Stream => ({
    isTerminal: true,
    get columns() {
      return columns;
    },
    write: (text) => say({ kind: "write", stream: name, text }),
  });
  const io: Io = { out: stream("out"), err: stream("err"), env, now: () => performance.now() };
  const interpreter: Interpreter = { ...state, settings, io };
  port.on("message", (task: Task) => {
    columns = task.columns;
    const before = interpreter.session;
    try {
      const { leaves } = submit(interpreter, task.text);
      const { session, vocabulary, count, files, scalars } = interpreter;
      const changes = changesBetween(before, session);
      say({ kind: "done", leaves, changes, state: { vocabulary, count, files, scalars } });
    } catch (problem) {
      interpreter.session = before;
      say({
        kind: "failed",
        message: problem instanceof Error ? problem.message : String(problem),
      });
    }
  });
}
