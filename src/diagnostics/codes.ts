// Every code of a message, with the line that heads its page in docs/errors/. The first two digits
// are the family. The number of a removed code is never used again.

export const codes = {
  // E01xx: syntax
  E0101: "a character that is not part of the language",
  E0102: "a string that is not closed",
  E0103: "a malformed number",
  E0104: "an unknown escape or interpolation in a string",
  E0110: "something else was expected here",
  E0111: "a missing semicolon",
  E0112: "a bracket that is not closed",
  E0113: "a closing bracket without its opening one",
  E0114: "a keyword used as a name",
  E0115: "an expression nested too deeply",
  E0190: "a form that is not built yet",

  // E02xx: names and modules
  E0201: "an undefined name",
  E0202: "an unknown function",
  E0203: "a name defined twice",
  E0204: "a tensor read before its declaration",
  E0205: "a name that a module does not give",
  E0206: "a module that cannot be read",
  E0207: "modules that depend on one another",
  E0208: "an unknown module",

  // E03xx: coordinates, ranges and where
  E0301: "a coordinate that is neither on the left nor reduced",
  E0302: "a range that nothing determines",
  E0303: "an axis that is not there under that name",
  E0304: "extents that disagree",
  E0305: "an access that is always out of bounds",
  E0306: "two open ranges that only one use connects",
  E0307: "a range in a where clause",
  E0308: "a where clause that belongs to nothing",
  E0309: "a left-hand range that no axis can have",
  E0310: "an expression in a left-hand slot",
  E0311: "a dimension name used as a number",
  E0312: "an index that is not one integer",
  E0313: "a negative index",
  E0314: "a name bound twice in one place",

  // E04xx: types and shapes
  E0401: "types that do not fit",
  E0402: "a wrong number of indices or axes",
  E0403: "an elementwise operation on different shapes",
  E0404: "an unknown or misplaced type",
  E0405: "a cast that does not exist",
  E0406: "a condition that is not a bool",
  E0407: "a literal out of range",
  E0408: "a ragged array",
  E0409: "a reduction of the wrong element type",
  E0410: "something that cannot be indexed or has no such member",
  E0411: "a value that does not have its declared type",
  E0412: "a match that does not cover every case",
  E0413: "a pattern that does not fit",
  E0414: "a variant or field that is not there",
  E0416: "ragged rows in index notation",

  // E05xx: functions and coordinate contracts
  E0501: "a wrong number of arguments",
  E0502: "an argument for no parameter",
  E0503: "a coordinate argument that the value arguments do not ground",
  E0504: "a coordinate contract that does not hold",
  E0505: "an effect inside an indexed body",
  E0506: "a guard that a function cannot honour",
  E0507: "a result layout that the parameters do not introduce",
  E0508: "a function that only the run would know",

  // E06xx: clauses and recurrences
  E0601: "cells that no clause defines",
  E0602: "a missing base case",
  E0603: "a recurrence whose order cannot be found",
  E0604: "clauses of different rank",
  E0605: "a clause after its tensor has been read",

  // E07xx: derivatives
  E0701: "a gradient that is not defined",
  E0702: "a numerator that is not linear in its differentials",
  E0703: "a denominator that is not a name",
  E0705: "a tangent rule that is not linear",
  E0706: "a tangent rule that does not fit its function",
  E0707: "a differential used as a number",
  E0708: "a derivative across the steps of a recurrence, inside it",
  E0709: "a derivative of a function inside of itself",
  E0704: "a derivative of or by something that is not a float",

  // E08xx: host boundary and files
  E0801: "a missing input",
  E0802: "an input that is not finite",
  E0803: "a run that would stop the page",
  E0804: "a program that cannot be built as it is asked for",
  E0805: "more memory than there is",
  E0806: "a call of the library that is wrong",
  E0880: "a command line that is wrong",
  E0881: "a file that cannot be read",
  E0882: "a file that cannot be written",
  E0883: "a file format that is not supported",
  E0884: "a value asked for that the program does not have",
  E0885: "an input given that the program does not declare",
  E0886: "an error code that does not exist",
  E0887: "a value that does not fit the input it is for",
  E0889: "a cell that a value does not have",

  // E09xx: run time
  E0901: "an index out of bounds",
  E0902: "integer arithmetic without a result",
  E0903: "a reduction over nothing",
  E0904: "a cell that is not computed yet",
  E0905: "a failed assertion",
  E0907: "a value that is not finite",
  E0908: "a recursion that is too deep",
  E0909: "an integer that wraps around",

  // W01xx: lints on the text
  W0101: "a comment that reads as a division",

  // W02xx: lints on names
  W0203: "an allow for a lint that does not exist",

  // W03xx: lints on coordinates
  W0301: "different dimension names that meet",
  W0302: "a range cut short by a self-read",
  W0303: "two coordinates that could be exchanged unnoticed",
  W0304: "a term that omits what every other one has",
  W0305: "a reduction over what does not vary",
  W0306: "a guard that is never true",
  W0307: "a stencil that ends before what it reads",
  W0308: "a reduction that binds a coordinate of the left again",

  // W04xx: lints on types and patterns
  W0401: "an arm that is never reached",
  W0402: "a literal that its type rounds to 0",
  W0404: "a comparison with a type that does not exist",
  W0405: "integer arithmetic that wraps around",
  W0406: "an integer division that gives 0",

  // W05xx: lints on functions
  W0501: "a coordinate argument that nothing uses",

  // W07xx: lints on derivatives
  W0701: "a derivative that is always 0",
  W0702: "a name that a rule leaves out",
  E0999: "an error inside the compiler",
} as const satisfies Record<string, string>;

export type Code = keyof typeof codes;
