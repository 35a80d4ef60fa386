import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

const folder = fileURLToPath(new URL("../.reports/documented", import.meta.url));

/**
 * The first program of a page in `docs`, or below a heading of it, as a module. What it prints is tested by `docs.test.ts`.
 */
export async function documented<Module>(page: string, heading?: string): Promise<Module> {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const below = heading === undefined ? text : (text.split(`\n## ${heading}\n`)[1] ?? "");
  const code = /^```ts\n(.*?)^```/ms.exec(below)?.[1] ?? `throw new TypeError("no program in ${page}");`;
  const file = join(folder, `${(heading ?? page).replace(/[^A-Za-z0-9]+/g, "-")}.ts`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    return (await import(file)) as Module;
  } finally {
    log.mockRestore();
  }
}
