// Three demos of workflow-core, and what became of them. `pnpm --filter ./examples from-workflow-core`
import { fileURLToPath } from "node:url";
import { answer, begin } from "./agent.js";
import { branches } from "./branches.js";
import { runOriginal as runAgent } from "./original/agent.js";
import { runOriginal as runBranches } from "./original/branches.js";
import { runOriginal as runWalk } from "./original/walk.js";
import { walk } from "./walk.js";

const directory = fileURLToPath(new URL(".", import.meta.url));
const lines = (text: string) => text.trim().split("\n").length;

console.log("branches there:", await runBranches());
console.log("branches here: ", await branches.run({ text: "initial data" }));
console.log("walk there:    ", lines(await runWalk(directory)), "lines");
console.log("walk here:     ", lines(await walk.run({ directory })), "lines");
console.log("agent there:   ", await runAgent("Ada"));
console.log("agent here:    ", await answer(JSON.parse(JSON.stringify(await begin())), "Ada"));
