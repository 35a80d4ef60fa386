/** The packages of this repository that are installed beside this file. */
import { readdirSync, readFileSync } from "node:fs";

const modules = new URL("node_modules/", import.meta.url);
const names = [
  "millrace",
  "create-millrace",
  ...readdirSync(new URL("@millrace", modules)).map((name) => `@millrace/${name}`),
];

export const readOf = (name, file) => readFileSync(new URL(`${name}/${file}`, modules), "utf8");
export const packages = names.map((name) => ({ name, manifest: JSON.parse(readOf(name, "package.json")) }));

/** What users import. */
export function published(name, { exports }) {
  return Object.keys(exports)
    .filter((path) => exports[path].types !== undefined)
    .map((path) => `${name}${path.slice(1)}`);
}
