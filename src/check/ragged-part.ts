// What programs need whose arrays are as long as the run makes them: filters, rows of different lengths, choices between arrays.

export { acceptedPositions } from "./accepted-positions.ts";
export { asLongAsTaken } from "./either-length.ts";
export { comprehendedRows, jaggedOf } from "./jagged.ts";
export { lengthInPlace } from "./length-in-place.ts";
export { longestOf, rowsBeside } from "./rows-beside.ts";
