import { runShard } from "./run.ts";

runShard(3, 8);
