import { describe, expect, test } from "vitest";
import { readCommand, sessionCommands } from "./commands.ts";
import { foreignLine } from "./elsewhere.ts";

const names = sessionCommands.map(({ name }) => name);
const helpOf = (line: string, bound: readonly string[] = ["x"]): string | undefined =>
  foreignLine(line, names, bound)?.help;

describe("words of other prompts", () => {
  test.each(["help(x)", "?x", "x?", "help x", "doc(x)"])("%s asks about a name", (line) => {
    expect(helpOf(line)).toBe("`:type x` shows its type; `:help` lists the commands");
  });

  test.each([
    ["%time 1", "commands begin with a colon: `:time 1`"],
    ["type x", "commands begin with a colon: `:type x`"],
    ["clear", "commands begin with a colon: `:clear`"],
    ["whos", "`:names` lists what is bound, with its types"],
    ["!ls", "`:names` lists what is bound, with its types"],
    ["reset()", "the command is `:clear`"],
    ["plot x", "pictures are drawn of a file: `:save p.ein`, then `ein explain p.ein --heat NAME`"],
  ])("%s", (line, help) => {
    expect(helpOf(line)).toBe(help);
  });

  test.each(["x", "x + 1", "let who = 1;", "f(x)", "help", "plot(x)", "1 / 2", "!x", "-x"])(
    "%s is an entry",
    (line) => {
      expect(helpOf(line, ["x", "help"])).toBeUndefined();
    },
  );

  test("a name of the session is an entry", () => {
    expect(helpOf("who", ["who"])).toBeUndefined();
  });

  test.each([
    [":plot x", "`ein explain p.ein --heat NAME`"],
    [":heat x", "`ein explain p.ein --heat NAME`"],
    [":doc f", "`:type NAME`"],
    [":whos", "`:names`"],
    [":typ x", "`:type`"],
    [":zzz", "`:help` lists the commands"],
  ])("%s", (line, help) => {
    const read = readCommand(line);
    expect("help" in read ? read.help : read.name).toContain(line === ":typ x" ? "type" : help);
  });
});
