/** The examples, crashed at every tick: each goes on to an end that it could have had without the crash. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Proof, proveResumable } from "@millrace/testing";
import { describe, expect, it, vi } from "vitest";
import { Collatz } from "./branches-and-loops.js";
import { Translate, TripFlow } from "./child-workflows.js";
import { DigestFlow } from "./digest/workflow.js";
import { SummaryFlow } from "./durable/workflow.js";
import { WordCount } from "./fan-out-fan-in.js";
import { JokeFlow } from "./hello.js";
import { RefundFlow } from "./human-in-the-loop.js";
import { writer } from "./no-decorators.js";
import { createStation, ForecastFlow } from "./retries-and-recovery.js";
import { BookingFlow } from "./serverless.js";
import { Bakery } from "./streaming.js";
import { temporaryFolder } from "./test/temporary-folder.js";
import { Amount, AtomicCounter, OpenCounter, Purse, TypedCounter } from "./typed-state.js";

/** A station outlives the process that asks it. */
function forecastOf(city: string): Promise<Proof> {
  return proveResumable(
    () => {
      const station = createStation();
      return { create: () => new ForecastFlow(station) };
    },
    { city },
  );
}

/** The digest is a file: it is compared too. */
function digestOf(file: string): Promise<Proof> {
  const world = () => {
    const output = join(temporaryFolder("digest-"), "digest.md");
    return { create: () => new DigestFlow(output), observe: () => readFileSync(output, "utf8") };
  };
  return proveResumable(world, { files: [file] }, { answers: { ChooseTopics: { keep: [1] } }, seeds: [1, 2] });
}

/** Its slow work is slow: one file and one seed are enough. */
function summariesOf(files: string[]): Promise<Proof> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const world = () => {
    const output = join(temporaryFolder("summaries-"), "summaries.txt");
    return { create: () => new SummaryFlow({ root, output }), observe: () => readFileSync(output, "utf8") };
  };
  return proveResumable(world, { files }, { answers: { KeepThem: { keep: true } }, seeds: [1] });
}

const proofs: Record<string, () => Promise<Proof>> = {
  hello: () => proveResumable(() => new JokeFlow(), { topic: "pirate" }),
  "typed state, edited as one": () => proveResumable(() => new AtomicCounter(), {}),
  "typed state, a purse": () => {
    const events = [new Amount({ cents: 150 }), new Amount({ cents: 50 })];
    return proveResumable(() => new Purse(), {}, { events });
  },
  "branches and loops": () => proveResumable(() => new Collatz(), { value: 6 }),
  "fan-out and fan-in": () =>
    proveResumable(() => new WordCount(), { chapters: ["one two", "three", "four five six"] }),
  "human in the loop": () => {
    const answers = { ApproveRefund: { approved: true, by: "Ada" } };
    return proveResumable(() => new RefundFlow(), { order: "A-17", euros: 80 }, { answers });
  },
  "retries and recovery, measured at the third try": () => forecastOf("Oslo"),
  "retries and recovery, guessed": () => forecastOf("Bergen"),
  "retries and recovery, given up at once": () => forecastOf("Atlantis"),
  streaming: () => proveResumable(() => new Bakery(), { loaves: 3 }),
  "child workflows": () => {
    return proveResumable(() => new TripFlow(), { word: "bread", languages: ["French", "German", "Italian"] });
  },
  "child workflows, the child alone": () => {
    return proveResumable(() => new Translate(), { word: "bread", language: "French" });
  },
  "no decorators": () => proveResumable(writer, { question: "Rain?" }),
  serverless: () => {
    return proveResumable(
      () => new BookingFlow(),
      { guest: "Ada", nights: 2 },
      { answers: { ChooseRoom: { room: "attic" } } },
    );
  },
  durable: () => summariesOf(["docs/glossary.md"]),
  digest: () => digestOf(fileURLToPath(new URL("../docs/how-to/hello.md", import.meta.url))),
};

describe("every example", () => {
  it.each(Object.entries(proofs))("%s: goes on after a crash at any tick", async (_name, prove) => {
    vi.spyOn(console, "log").mockImplementation(() => {});

    const { ticks, crashes } = await prove();

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });

  // What it read before the crash, it wrote before the crash too: a step that runs again adds to that. `editState` counts once.
  it.each([
    ["OpenCounter", () => proveResumable(() => new OpenCounter(), {})],
    ["TypedCounter", () => proveResumable(() => new TypedCounter(), { name: "Ada" })],
  ])("%s, which reads and then sets, is found out", async (workflow, prove) => {
    await expect(prove()).rejects.toMatchObject({
      code: "RESUME_DIVERGED",
      details: { workflow, stored: 2, tick: { number: 3, step: "count" }, atWork: ["count"] },
    });
  });
});
