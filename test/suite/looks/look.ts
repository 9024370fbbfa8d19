// A look checks one property of every program of the suite.

import type { SuiteProgram } from "../programs.ts";
import type { Subject } from "../subject.ts";

export interface Look {
  /** The property, as the name of a test: "its values, prints and messages are those expected". */
  readonly name: string;
  /** Only one in ten programs is checked, except in a deep run. */
  readonly isDeep?: boolean;
  /** Chooses programs by their text. Absent: all programs. */
  readonly applies?: (one: SuiteProgram) => boolean;
  /** Whether the look changes the program. It then gets a copy. */
  readonly writes?: boolean;
  /** Throws if the program does not have the property. */
  readonly look: (subject: Subject) => void | Promise<void>;
  /** Checks the programs of a shard together. */
  readonly atTheEnd?: () => void;
}
