/** Sources of workflows that tests write into their projects. */
import { readFileSync } from "node:fs";
import { flowsFile } from "./project.js";

const read = (name: string): string => readFileSync(flowsFile(name), "utf8");

/** `JokeFlow`, and `askFlow`, which asks. */
export const joke: string = read("joke.ts");
/** Asks with `ctx.ask`. */
export const ask: string = read("ask.ts");
export const order: string = read("order.ts");
export const slow: string = read("slow.ts");
/** Fails until the file `fixed` is there; then it ends with what is in it. */
export const flaky: string = read("flaky.ts");
/** Shows, asks and gives values that JSON cannot hold. */
export const odd: string = read("odd.ts");
export const pipeline: string = read("pipeline.ts");
/** Steps as methods and as functions, and functions from elsewhere. */
export const sources: string = read("sources.ts");
/** Asks a model over HTTP, and pays over HTTP. */
export const support: string = read("support.ts");
