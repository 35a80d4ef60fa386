/** See keep.ts. */
import { keep, keptFile, keptFlows, write } from "./keep.js";

const [version = "v1"] = process.argv.slice(2);
for (const flow of keptFlows) write(await keep(flow), new URL(`./${version}/flows/`, import.meta.url), keptFile(flow));
