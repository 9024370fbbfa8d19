import { runShard } from "./run.ts";

runShard(7, 8);
