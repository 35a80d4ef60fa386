/** Demos of workflow-core 1.3.4, as their users run them. The folders beside this file are those of `examples/from-workflow-core`. */
import { runOriginal as runAgent } from "./original/agent.ts";
import { runOriginal as runBranches } from "./original/branches.ts";
import { runOriginal as runWalk } from "./original/walk.ts";

console.log("branches:", await runBranches());
console.log("agent:", await runAgent("Ada"));
console.log("walk:", (await runWalk(new URL("original", import.meta.url).pathname)).split("\n")[0]?.split("/").at(-1));
