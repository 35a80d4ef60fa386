/** An error handler beside a nested fan-out: its output belongs to the batch around. */
import { expect, it } from "vitest";
import * as z from "zod";
import { Context, collect, defineWorkflow, event, many, StartEvent, StopEvent } from "../src/index.js";

class File extends event("File", { name: z.string() }) {}
class Section extends event("Section", { text: z.string() }) {}
class Summary extends event("Summary", { text: z.string() }) {}
class Digest extends event("Digest", { lines: z.array(z.string()) }) {}

const digest = defineWorkflow("digest")
  .step("list", { on: StartEvent, emits: many(File) }, () => ["a", "bad", "c"].map((name) => new File({ name })))
  .step("split", { on: File, emits: many(Section) }, ({ name }) => {
    if (name === "bad") throw new Error("cannot be read");
    return [1, 2].map((part) => new Section({ text: `${name}${part}` }));
  })
  .catchError("skip", { steps: ["split"], maxRecoveries: 3, emits: Digest }, () => new Digest({ lines: ["skipped"] }))
  .step("summarise", { on: Section, emits: Summary }, ({ text }) => new Summary({ text }))
  .step("gather", { on: collect(Summary), emits: Digest }, (all) => new Digest({ lines: all.map(({ text }) => text) }))
  .step(
    "write",
    { on: collect(Digest), emits: StopEvent },
    (all) => new StopEvent({ result: all.map(({ lines }) => lines) }),
  )
  .build();

it("gathers what the handler gave with what the inner batches gave", async () => {
  expect(await digest.run()).toEqual([["a1", "a2"], ["skipped"], ["c1", "c2"]]);
});

it("holds the start in a snapshot that is taken at once", async () => {
  const handler = digest.run();
  const restored = Context.fromDict(digest, JSON.parse(JSON.stringify(handler.context.toDict())));

  expect(await digest.resume(restored)).toEqual(await handler);
});
