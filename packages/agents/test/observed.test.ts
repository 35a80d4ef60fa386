/** What others in the process are told of runs of agents. */
import { expect, it, onTestFinished } from "vitest";
import { Agent } from "../src/index.js";
import type { AgentCall, AgentEnd, AgentObserver } from "../src/run/observed.js";
import { scripted } from "./support/models.js";
import { allow, refund } from "./support/refunds.js";

function observing(): { readonly calls: AgentCall[]; readonly ends: AgentEnd[]; readonly order: string[] } {
  const seen = { calls: [] as AgentCall[], ends: [] as AgentEnd[], order: [] as string[] };
  const outer: AgentObserver = {
    async callAgent(call, work) {
      seen.order.push("outer begins");
      seen.calls.push(call);
      const end = await work();
      seen.ends.push(end);
      seen.order.push("outer ends");
      return end;
    },
  };
  const inner: AgentObserver = {
    callAgent: (_, work) => {
      seen.order.push("inner begins");
      return work();
    },
  };
  const shared = globalThis as { MILLRACE_AGENT_OBSERVERS?: AgentObserver[] };
  shared.MILLRACE_AGENT_OBSERVERS = [outer, inner];
  onTestFinished(() => void delete shared.MILLRACE_AGENT_OBSERVERS);
  return seen;
}

it("those who observe agents are around a run, and know who runs and how it ended", async () => {
  const seen = observing();
  const model = scripted(["Hello."]);
  const { content } = await new Agent({ name: "Clerk", description: "Sells.", model }).run("Hi", { sessionId: "s-1" });

  expect(content).toBe("Hello.");
  expect(seen.calls).toEqual([{ id: "clerk", name: "Clerk", description: "Sells.", model, sessionId: "s-1" }]);
  expect(seen.ends).toMatchObject([{ status: "COMPLETED", error: null, finishReason: "stop", calls: [{}] }]);
  expect(seen.order).toEqual(["outer begins", "inner begins", "outer ends"]);
});

it("they are told of a failure, and the caller gets it as before", async () => {
  const seen = observing();
  const agent = new Agent({ name: "Clerk", model: scripted([]), maxRetries: 0 });

  await expect(agent.run("Hi")).rejects.toMatchObject({ code: "AGENT_FAILED" });
  expect(seen.ends).toMatchObject([{ status: "ERROR", error: { code: "AGENT_FAILED" } }]);
});

it("they are told of each call of the model once, also when the run is continued", async () => {
  const seen = observing();
  const model = scripted([[["refund", { order: 7 }]], "Done."]);
  const agent = new Agent({ name: "Clerk", model, tools: [refund] });

  const paused = await agent.run("Refund 7");
  const { metrics } = await agent.continueRun(paused, allow("call-0"));

  expect(seen.ends.map(({ status, calls }) => [status, calls.length])).toEqual([
    ["PAUSED", 1],
    ["COMPLETED", 1],
  ]);
  expect(metrics.totalTokens).toBe(30);
});
