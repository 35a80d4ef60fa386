/** An agent that works alone, in a terminal. */

import { Agent, tool } from "@millrace/agents";
import { expect, it } from "vitest";
import { z } from "zod";
import { scripted } from "../../agents/test/support/models.js";
import { printAgentResponse } from "../src/index.js";

function target(shape: object = {}) {
  const writes: string[] = [];
  return { ...shape, write: (text: string) => writes.push(text), text: () => writes.join("") };
}

const look = tool({
  name: "look",
  description: "Looks",
  parameters: z.object({}),
  execute: () => "nothing",
});

it("is printed with its input, its tools and what it says, once", async () => {
  for (const stream of [true, false]) {
    const out = target();
    const agent = new Agent({
      name: "Guide",
      model: scripted([[["look", {}]], "There is **nothing**."]),
      tools: [look],
    });

    const last = await printAgentResponse(agent, "Look", { sessionId: "s", showSteps: true, stream, out });

    expect(out.text()).toBe("Guide\nInput: Look\n\n▶ look\nThere is **nothing**.\n");
    expect(last).toMatchObject({ event: "RunCompleted", sessionId: "s", content: "There is **nothing**." });
  }
});

it("has its Markdown rendered", async () => {
  const out = target();

  await printAgentResponse(new Agent({ model: scripted(["# There\n\nis **nothing**."]) }), "Look", {
    markdown: true,
    out,
  });

  expect(out.text()).toContain("nothing");
  expect(out.text()).not.toContain("**");
});

it("says what it has failed with, and what it waits for", async () => {
  const [failed, paused] = [target(), target()];
  const asks = tool({
    name: "erase",
    description: "Erases",
    parameters: z.object({}),
    execute: () => "",
    requiresConfirmation: true,
  });
  const careful = new Agent({ name: "Careful", model: scripted([[["erase", {}]]]), tools: [asks] });

  const failing = printAgentResponse(new Agent({ name: "Broken", model: scripted([]), maxRetries: 0 }), "x", {
    out: failed,
  });
  await expect(failing).rejects.toMatchObject({ code: "AGENT_FAILED" });
  const last = await printAgentResponse(careful, "x", { out: paused });

  expect(failed.text()).toContain("✗ Broken: ");
  expect(paused.text()).toContain("It is paused, and waits for permission to call erase.\n");
  expect(last).toMatchObject({ event: "RunPaused", requirements: [{ toolName: "erase" }] });
});
