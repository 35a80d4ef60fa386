import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { expect, it } from "vitest";
import { documents, pdf, type Tools } from "./pipeline.js";

const archived: string[] = [];
const tools: Tools = {
  textOf: async (document) => new TextDecoder().decode(document).replace("%PDF ", ""),
  picturesIn: async () => ["a map"],
  archive: async (text) => {
    archived.push(text);
    return `filed as ${archived.length}`;
  },
};

it("reads, asks, and files what a person has corrected, in another process", async () => {
  const store = join(mkdtempSync(join(tmpdir(), "documents-")), "runs.db");
  const first = documents(tools, { store: sqliteStore(store) });
  const { status, requirements } = await first.run("A letter", {
    runId: "letter-1",
    files: [pdf("letter.pdf", Buffer.from("%PDF Dear Sir"))],
  });
  await first.close();
  const second = documents(tools, { store: sqliteStore(store) });
  const [requirement] = requirements;
  const { content } = await second.continueRun("letter-1", {
    answers: [
      { requirementId: requirement?.requirementId ?? "", decision: { decision: "confirm", output: "Dear Madam" } },
    ],
  });
  await second.close();

  expect(status).toBe("PAUSED");
  expect(requirement).toMatchObject({ kind: "outputReview" });
  expect({ content, archived }).toEqual({ content: "filed as 1", archived: ["Dear Madam"] });
});

it("tries a part again, and keeps the other one", async () => {
  let failures = 1;
  let readings = 0;
  const pipeline = documents({
    ...tools,
    textOf: async () => {
      readings += 1;
      return "text";
    },
    picturesIn: async () => {
      if (failures-- > 0) throw new Error("busy");
      return [];
    },
  });

  const { requirements } = await pipeline.run("", { files: [pdf("a.pdf", Buffer.from("%PDF"))] });
  await pipeline.close();

  expect(requirements).toHaveLength(1);
  expect(readings).toBe(1);
});
