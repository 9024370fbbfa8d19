import { runShard } from "./run.ts";

runShard(6, 8);
