import { runShard } from "./run.ts";

runShard(2, 8);
