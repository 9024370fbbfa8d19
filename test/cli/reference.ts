// Writes the part of docs/command-line.md that comes from the table of commands, and reads it back.

import { commands, spelling, usage } from "../../src/cli/commands.ts";

export const opening =
  "<!-- from src/cli/commands.ts; to renew: UPDATE=1 npx vitest run test/cli/help.test.ts -->";
export const closing = "<!-- end of the tables -->";

export function commandReference(): string {
  return commands
    .map((command) => {
      const flags = command.flags.map((flag) => {
        const often = flag.repeatable ? "; may be repeated" : "";
        return `| \`${spelling(flag)}\` | ${flag.about}${often} |`;
      });
      const table = flags.length > 0 ? ["", "| flag | meaning |", "| --- | --- |", ...flags] : [];
      return [`### \`ein ${command.name} ${usage(command)}\``, "", command.about, ...table].join(
        "\n",
      );
    })
    .join("\n\n");
}

/** The commands and long flags that a documentation page lists. */
export function documented(page: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let flags: string[] = [];
  for (const line of page.split("\n")) {
    const heading = /^### `ein ([\w-]+)/.exec(line);
    if (heading) found.set(heading[1]!, (flags = []));
    const flag = /^\| `(?:-\w, )?(--[\w-]+)/.exec(line);
    if (flag) flags.push(flag[1]!);
  }
  return found;
}
