/** Each page of `docs/errors` is true: its code can be met, and what a person reads then is what the page shows. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { declaring } from "./test/errors/declaring.js";
import { doors } from "./test/errors/doors.js";
import { durable } from "./test/errors/durable.js";
import { forks } from "./test/errors/forks.js";
import { pipelines } from "./test/errors/pipelines.js";
import type { Provocations } from "./test/errors/provoked.js";
import { running } from "./test/errors/running.js";
import { snapshots } from "./test/errors/snapshots.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "errors");
/** Codes that need a process of their own, or a fault in Millrace itself. */
const tests: Readonly<Record<string, string>> = {
  INTERNAL: "packages/core/src/errors/workflow-error.test.ts",
  RUN_TOO_LARGE: "packages/sqlite/test/large-runs.long.test.ts",
};
const codes = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => name.replace(".md", ""));
const provocations = [declaring, running, snapshots, durable, pipelines, forks, doors].flatMap((cases: Provocations) =>
  Object.entries(cases),
);

/** What the page shows as messages: each line of its text blocks, and each block. "…" and numbers stand for any. */
function messagesOf(code: string): RegExp[] {
  const page = readFileSync(join(folder, `${code}.md`), "utf8");
  const blocks = [...page.matchAll(/^```text\n(.*?)^```/gms)].map(([, text = ""]) => text.trim());
  const texts = blocks.flatMap((text) => [text, ...text.split("\n")]);
  return texts.map((text) => new RegExp(text.replaceAll("f81d…", "…").split("…").map(pattern).join("[^]*?")));
}

const pattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+/g, "\\d+");

describe("the page of an error code", () => {
  const [inPlace, elsewhere] = [codes.filter((code) => !(code in tests)), Object.entries(tests)];

  it.each(elsewhere)("%s is met in %s", (code, file) => {
    expect(readFileSync(join(root, file), "utf8")).toContain(code);
  });

  it.each(inPlace)("%s names a code that can be met", (code) => {
    expect(provocations.filter(([met, acts]) => met === code && acts.length > 0)).not.toEqual([]);
  });

  const all = provocations.flatMap(([code, acts]) => acts.map((act, index) => ({ code, act, index: index + 1 })));
  it.each(all)("$code is what case $index gives, in the words of the page", async ({ code, act }) => {
    const provoked = await act();

    expect(provoked.code, provoked.text).toBe(code);
    expect(
      messagesOf(code).some((message) => message.test(provoked.text)),
      `the page does not show: ${provoked.text}`,
    ).toBe(true);
  });
});
