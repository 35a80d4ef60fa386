/**
 * Builds the site into `site/dist`: static files, for any server.
 *
 *     npm run site [-- --base /folder/]     the folder in which they are served, "/" unless told
 */
import { join } from "node:path";
import { build } from "vitepress";
import { assemble } from "./assemble.ts";
import { writeBundles } from "./bundles.ts";
import { writeReference } from "./reference.ts";

const base = /^--base=?(.*)$/.exec(process.argv.slice(2).join("="))?.[1] || "/";

assemble();
await writeBundles();
await writeReference();
await build(join(import.meta.dirname, ".."), { base });
