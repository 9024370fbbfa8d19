import { runShard } from "./run.ts";

runShard(1, 8);
