/** See keep-rows.ts. */
import { keptFile, keptFlows } from "./keep.js";
import { keepRows, writeRows } from "./keep-rows.js";

const [version = "v2"] = process.argv.slice(2);
const folder = new URL(`./${version}/rows/`, import.meta.url);
for (const flow of keptFlows) writeRows(await keepRows(flow), folder, keptFile(flow));
