import { fileURLToPath } from "node:url";

/** For `node`, to run a script of the sources. */
export const nodeFlags: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  fileURLToPath(new URL("source.mjs", import.meta.url)),
];
