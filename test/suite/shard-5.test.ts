import { runShard } from "./run.ts";

runShard(5, 8);
