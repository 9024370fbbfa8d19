// A look is one thing that is held to be true of every program of the suite.

import type { SuiteProgram } from "../programs.ts";
import type { Subject } from "../subject.ts";

export interface Look {
  /** What holds, as the name of a test: "its values, prints and messages are those expected". */
  readonly name: string;
  /** One in ten programs is looked at, and all of them in a deep run. */
  readonly isDeep?: boolean;
  /** The programs that it is about, told from their text alone; absent: all. */
  readonly applies?: (one: SuiteProgram) => boolean;
  /** Whether it adds to the program that it looks at: it gets a program of its own then. */
  readonly writes?: boolean;
  /** Throws where it does not hold. */
  readonly look: (subject: Subject) => void | Promise<void>;
  /** Looks at what the programs of a shard have shown together. */
  readonly atTheEnd?: () => void;
}
