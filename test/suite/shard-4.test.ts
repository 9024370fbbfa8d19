import { runShard } from "./run.ts";

runShard(4, 8);
