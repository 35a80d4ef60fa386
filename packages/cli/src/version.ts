import { readFileSync } from "node:fs";

/** From the package, whose name and version changesets keep. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version;
