/**
 * The SQL statements of a store as data, so that a test can have a database read each of them.
 *
 * `import.meta.glob("../src/**\/*.ts", { query: "?statements" })` imports modules that export their top-level constants.
 *
 * @module
 */
import type { Plugin } from "vite";

export const statementsOfModules: Plugin = {
  name: "statements of modules",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("?statements")) return null;
    const names = Array.from(code.matchAll(/^(?:export )?const (\w+)/gm), ([, name]) => name);
    return `${code}\nexport const constants = { ${names.join(", ")} };`;
  },
};

/** Every statement in the constants, by the module and the name of its constant. */
export function statementsIn(modules: { readonly [path: string]: unknown }): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === "string" && /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(value)) found.set(name, value);
    else if (typeof value === "object" && value !== null)
      for (const [key, part] of Object.entries(value)) add(`${name}.${key}`, part);
  };
  for (const [path, { constants }] of Object.entries(modules as { readonly [path: string]: { constants: object } }))
    for (const [name, value] of Object.entries(constants)) add(`${path.replace("../src/", "")} ${name}`, value);
  return found;
}
