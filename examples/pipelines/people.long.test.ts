import "./support/offline.js";
import { memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createPublishing } from "./people.js";
import { closedPictures, decide } from "./support/editor.js";
import { prove } from "./support/prove.js";

describe("people", () => {
  it("asks in one process and ends in another", async () => {
    const { output } = await runExample("pipelines/people.ts");

    expect(output.replaceAll(/process \d+/g, "process").split("\n")).toEqual([
      "process: PAUSED",
      "How is it to be written? [",
      "  { name: 'tone', type: 'string', allowedValues: [ 'calm', 'loud' ] },",
      "  { name: 'words', type: 'integer', required: false }",
      "]",
      "userInput of write: How is it to be written?",
      "  answered: { decision: 'confirm', values: { tone: 'calm' } }",
      "outputReview of write: Is it good?",
      "  given: A calm article about rivers",
      "  answered: { decision: 'reject', feedback: 'Make it shorter.' }",
      "outputReview of write: Is it good?",
      "  given: A calm article about rivers, in one page",
      "  answered: { decision: 'confirm' }",
      "error of illustrate: Step 'illustrate' failed: The pictures are busy.",
      "  answered: { decision: 'retry' }",
      "route of publish: Where to?",
      "  answered: { decision: 'confirm', choices: [ 'newsletter' ] }",
      "confirmation of announce: Shall everybody hear of it?",
      "  answered: { decision: 'confirm' }",
      "process: COMPLETED: A calm article about rivers, in one page, with a picture, in the newsletter, announced",
      "",
    ]);
    expect(new Set(output.match(/process \d+/g)).size).toBe(2);
  });

  it("goes on after a crash at any tick", async () => {
    const create = () => createPublishing(memoryStore(), closedPictures);

    const { ticks, crashes } = await prove(create, "rivers", { decide });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
