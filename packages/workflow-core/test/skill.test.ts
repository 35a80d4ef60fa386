/** Both sides of each pair in the migration skill print what they say; what stands before also runs on this package. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { format } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

const skill = new URL("../../core/skills/migrate-from-workflow-core/SKILL.md", import.meta.url);
const folder = new URL("../.reports/skill/", import.meta.url);
const original = "@llamaindex/workflow-core";
const ours = "@millrace/workflow-core";

const text = readFileSync(skill, "utf8");
const pairs = [...text.matchAll(/^Before:\n\n```ts\n([\s\S]*?)^```\n\nAfter:\n\n```ts\n([\s\S]*?)^```/gm)].map(
  ({ 1: before = "", 2: after = "", index }) => ({
    name: /^#+ (.*)$/m.exec(text.slice(text.lastIndexOf("\n#", index) + 1))?.[1] ?? "",
    before,
    after: after.replaceAll(original, ours),
  }),
);
const printsOf = (code: string) => [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, comment]) => comment);

const home = process.cwd();
beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  process.chdir(folder.pathname); // what a program stores is there
});
afterAll(() => process.chdir(home));

async function printed(name: string, code: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values) => void lines.push(format(...values)));
  onTestFinished(() => log.mockRestore());
  const file = new URL(`${name.replace(/[^A-Za-z0-9]+/g, "-")}.ts`, folder);
  writeFileSync(file, code);
  await import(file.pathname);
  return lines;
}

describe("the migration skill", () => {
  it("has a pair for each thing that is rewritten", () => {
    expect(pairs.map(({ name }) => name)).toEqual([
      "Stage 2: make it durable",
      "Events, start and stop",
      "Send many, count the answers",
      "A set of events",
      "State",
      "A person answers",
      "Retries",
    ]);
  });

  it.each(pairs)("$name: both sides print the same", async ({ name, before, after }) => {
    const expected = printsOf(before);

    expect(expected.length).toBeGreaterThan(0);
    expect(printsOf(after)).toEqual(expected);
    expect(await printed(`${name} original`, before)).toEqual(expected);
    expect(await printed(`${name} replaced`, before.replaceAll(original, ours))).toEqual(expected);
    expect(await printed(`${name} after`, after)).toEqual(expected);
  });
});
