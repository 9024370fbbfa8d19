import { runShard } from "./run.ts";

runShard(0, 8);
