/** See keep-rows.ts. */
import { keptFile, keptFlows } from "./keep.js";
import { keepRows, writeRows } from "./keep-rows.js";

/** With names behind the form: these flows only, which are new. */
const [version = "v1", ...names] = process.argv.slice(2);
const folder = new URL(`./${version}/rows/`, import.meta.url);
for (const flow of keptFlows.filter(({ name }) => names.length === 0 || names.includes(name)))
  writeRows(await keepRows(flow), folder, keptFile(flow));
