/** The pages that build a program show the lines of that program. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const docs = join(import.meta.dirname, "..", "..", "docs", "how-to");

it.each(["support-desk", "research-report", "nightly-import"])("the page of %s has its lines", (name) => {
  const page = readFileSync(join(docs, `build-a-${name}.md`), "utf8");
  const folder = join(import.meta.dirname, name);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  const code = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const blocks = [...page.matchAll(/^```ts fragment\n([\s\S]*?)^```/gm)].map(([, block]) => block as string);

  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) expect(code).toContain(block);
});
