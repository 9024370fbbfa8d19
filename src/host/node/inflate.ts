// "Deflate" for Node, with a limit on the size of the result.

import { failure } from "../../base/failure.ts";
import type { Inflate } from "../zip.ts";

export const inflate: Inflate = (bytes, size, isBeginning = false) => {
  // Loaded only if something is compressed.
  const { constants, inflateRawSync } = process.getBuiltinModule("node:zlib");
  const finishFlush = isBeginning ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1), finishFlush });
  } catch (problem) {
    const code = problem instanceof Error && "code" in problem ? problem.code : undefined;
    return failure(
      code === "ERR_BUFFER_TOO_LARGE"
        ? `it unpacks to more than the ${size} bytes it claims`
        : "its compressed data is damaged",
    );
  }
};
