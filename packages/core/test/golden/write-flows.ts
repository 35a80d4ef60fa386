/** See keep.ts. */
import { keep, keptFile, keptFlows, write } from "./keep.js";

/** With names behind the form: these flows only, which are new. */
const [version = "v1", ...names] = process.argv.slice(2);
for (const flow of keptFlows.filter(({ name }) => names.length === 0 || names.includes(name)))
  write(await keep(flow), new URL(`./${version}/flows/`, import.meta.url), keptFile(flow));
