/** What a long answer leaves in a store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Agent } from "../../src/index.js";
import { answers, says } from "../support/turns.js";

const words = Array.from({ length: 2_000 }, (_, index) => `w${String(index).padStart(5, "0")} `).join("");

/** Bytes of all values. */
function sizeOf(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  return tables.reduce((sum, { name }) => {
    const columns = database.prepare(`pragma table_info("${String(name)}")`).all();
    const sizes = columns.map((column) => `coalesce(length("${String(column["name"])}"), 0)`);
    const row = database.prepare(`select sum(${sizes.join(" + ")}) as size from "${String(name)}"`).get();
    return sum + Number(row?.["size"] ?? 0);
  }, 0);
}

it("is the answer twice, and little else, for an answer of 14 kB", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stored-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "runs.db");
  const { workflow } = new Agent({ name: "speaker", model: answers(says(words)) });
  const runtime = createRuntime({ workflows: { speaker: workflow }, store: sqliteStore(file) });
  await runtime.start();

  const run = runtime.run("speaker", { input: "go" });
  const { content } = await run;
  const { ticks } = await run.summary();
  await runtime.stop();

  expect(content).toBe(words);
  expect(ticks).toBeLessThan(120);
  expect(sizeOf(file)).toBeLessThan(2.5 * words.length);
});
