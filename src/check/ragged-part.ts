// Arrays that are made element by element, and those whose lengths only a run can tell: comprehensions, rows of different lengths, choices.

export { asLongAsTaken } from "./either-length.ts";
export { comprehensionOf } from "./comprehensions.ts";
export { jaggedOf } from "./jagged.ts";
export { lengthInPlace } from "./length-in-place.ts";
