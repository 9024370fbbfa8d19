// A literate case: a program whose comments give the expected values, prints and messages.
//
//   //# 5 Reductions            a section of the language that the case covers
//   //< x = [[1.0, 2.0]]        the value of an input, as JSON
//   //= C = [[19.0, 22.0]]      the value of a name, as `print` shows it
//   //> loss 0.5                the next line that the program prints
//   //! E0304 4:9 extents       a message: its code, line and column, and a part of its texts

export interface Case {
  readonly name: string;
  readonly text: string;
  readonly sections: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly json: string }[];
  readonly values: readonly { readonly name: string; readonly shown: string }[];
  /** Absent if the case says nothing about prints. */
  readonly printed: readonly string[] | undefined;
  readonly messages: readonly ExpectedMessage[];
}

export interface ExpectedMessage {
  readonly code: string;
  /** `line:column`, or `-` for a message without a place. */
  readonly at: string;
  readonly part: string;
}

const directive = /^\s*\/\/([#<=>!])(?: (.*))?$/;

export function readCase(name: string, text: string): Case {
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const match = directive.exec(line);
    return match ? [{ mark: match[1]!, rest: match[2] ?? "", number: index + 1 }] : [];
  });
  const marked = (mark: string) => lines.filter((line) => line.mark === mark);
  const wrong = (number: number, form: string): never => {
    throw new Error(`${name}:${number}: expected the form ${form}`);
  };
  const equation = (line: {
    rest: string;
    number: number;
    mark: string;
  }): readonly [string, string] => {
    const match = /^(\w+) = (.*)$/.exec(line.rest);
    return match ? [match[1]!, match[2]!] : wrong(line.number, `//${line.mark} name = value`);
  };
  const found: Case = {
    name,
    text,
    sections: marked("#").map(({ rest }) => rest.trim()),
    inputs: marked("<")
      .map(equation)
      .map(([input, json]) => ({ name: input, json })),
    values: marked("=")
      .map(equation)
      .map(([value, shown]) => ({ name: value, shown })),
    printed: marked(">").length > 0 ? marked(">").map(({ rest }) => rest) : undefined,
    messages: marked("!").map(({ rest, number }) => {
      const match = /^([EW]\d{4}) (\d+:\d+|-)(?: (.*))?$/.exec(rest);
      return match
        ? { code: match[1]!, at: match[2]!, part: match[3] ?? "" }
        : wrong(number, "//! E0304 line:column part of the message");
    }),
  };
  if (lines.length === marked("#").length)
    throw new Error(`${name}: a case has to expect something`);
  if (found.sections.length === 0)
    throw new Error(`${name}: a case names the section it covers, //# 5 Reductions`);
  return found;
}
