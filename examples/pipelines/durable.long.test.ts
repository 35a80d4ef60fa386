/** Sessions over several runs: a process dies before and after each of its writes, and the next one comes to the same end. */
import "./support/offline.js";
import { join } from "node:path";
import { storeSessions } from "@millrace/agents";
import type { Pipeline, PipelineOptions } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { type DurableWorld, proveDurable } from "@millrace/testing";
import { memoryStore } from "millrace/runtime";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.js";
import { createAgent as createBuyer } from "./agent-state-over-runs.js";
import { createAgent as createAgentic } from "./agentic-state.js";
import { createRivers } from "./conversation.js";
import { createContent } from "./history.js";
import { createPublishing } from "./people.js";
import { createShopping } from "./shopping-list.js";
import { closedPictures, decide } from "./support/editor.js";
import { asStep } from "./support/prove.js";

type Create = (options: Partial<PipelineOptions>) => Pipeline;

/** Runs of one session, one after the other, each under an id of its own. */
async function ask(pipeline: Pipeline, requests: readonly unknown[]): Promise<unknown> {
  const contents: unknown[] = [];
  for (const [index, request] of requests.entries()) {
    const { content } = await pipeline.run(request, { runId: `run-${index}`, sessionId: "session", userId: "ada" });
    contents.push(content);
  }
  const session = await pipeline.sessions.get("session");
  return { contents, state: session?.state, runs: session?.runs.map(({ runId, status }) => `${runId} ${status}`) };
}

/** In memory, which outlives its processes here. */
const inMemory = (create: Create, requests: readonly unknown[]) => (): DurableWorld<Pipeline> => {
  const store = memoryStore();
  return { open: (mortal) => create({ store: mortal(store) }), run: (pipeline) => ask(pipeline, requests) };
};

/** In a file, which each process opens. */
const inFile = (create: Create, requests: readonly unknown[]) => (): DurableWorld<Pipeline> => {
  const file = join(temporaryFolder("durable-"), "runs.db");
  return { open: (mortal) => create({ store: mortal(sqliteStore(file)) }), run: (pipeline) => ask(pipeline, requests) };
};

const worlds: Record<string, () => DurableWorld<Pipeline>> = {
  "shopping list, in a file": inFile(createShopping, ["Add milk and bread.", "Remove bread."]),
  history: inMemory(createContent, ["Create content about AI in healthcare", "Make it more family-focused"]),
  conversation: inMemory(createRivers, ["How long is the Nile?", "And which one is longer?"]),
  "an agent's own state": inMemory(asStep(createAgentic), ["Add milk, eggs, and bread to the shopping list"]),
};

describe("a session", () => {
  it.each(Object.entries(worlds))("%s: survives its processes", async (_name, world) => {
    vi.spyOn(console, "log").mockImplementation(() => {});

    const { writes, deaths } = await proveDurable(world);

    expect(deaths).toBeGreaterThan(writes);
  });

  it("with people: survives its processes", async () => {
    const { writes, deaths } = await proveDurable(() => {
      const store = memoryStore();
      return {
        open: (mortal) => createPublishing(mortal(store), closedPictures),
        async run(pipeline) {
          let output = await pipeline.run("rivers", { runId: "one", sessionId: "session" });
          while (output.status === "PAUSED") {
            const answers = output.requirements.map(({ requirementId, data }) => ({
              requirementId,
              decision: decide(data),
            }));
            output = await pipeline.continueRun(output, { answers });
          }
          return { status: output.status, content: output.content, answered: output.answered.length };
        },
      };
    });

    expect(deaths).toBeGreaterThan(writes);
  });

  // A run of an agent alone is not stored while it works: it is asked again, and must not mind.
  it("of an agent alone: has the same state", async () => {
    const { deaths } = await proveDurable(() => {
      const store = memoryStore();
      return {
        open(mortal) {
          const own = mortal(store);
          return { agent: createBuyer(storeSessions(own)), start: async () => {}, close: () => own.close() };
        },
        async run({ agent }) {
          for (const request of ["Add milk, eggs, and bread to the shopping list", "I got bread"])
            await agent.run(request, { sessionId: "session" });
          return agent.getSessionState("session");
        },
      };
    });

    expect(deaths).toBeGreaterThan(3);
  });
});
