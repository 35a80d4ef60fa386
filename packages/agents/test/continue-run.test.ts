/** Tools that a person has to allow, in runs that stand alone. */
import { expect, it } from "vitest";
import { Agent, memorySessions, type RunPausedEvent } from "../src/index.js";
import { namesOf, readAll } from "./support/events.js";
import { scripted } from "./support/models.js";
import { allow, look, refund, stored } from "./support/refunds.js";

const refunding = [["refund", { order: 7 }]] as const;

it("a paused run goes on in its session, and is one run there", async () => {
  const sessions = memorySessions();
  const agent = new Agent({ model: scripted([refunding, "Done."]), sessions, sessionId: "s1", tools: [refund] });

  const paused = await agent.run("Refund 7", { userId: "u1", sessionState: { limit: 1 } });
  expect(paused).toMatchObject({ status: "PAUSED", content: null, sessionState: { limit: 1 } });
  expect((await agent.getSessionMetrics()).totalTokens).toBe(15);
  const done = await agent.continueRun(stored(paused), [{ toolCallId: "call-0", approved: true }]);

  expect(done).toMatchObject({ status: "COMPLETED", content: "Done.", runId: paused.runId, userId: "u1" });
  expect(done.sessionState).toMatchObject({ limit: 1, refunds: [7] });
  const session = await sessions.load("s1", null, { runs: 10 });
  expect(session?.runs).toMatchObject([{ runId: paused.runId, status: "COMPLETED", input: "Refund 7", pause: null }]);
  expect(session?.metrics).toMatchObject({ totalTokens: 30, details: { model: [{ totalTokens: 30 }] } });
  expect(session?.metrics.duration).toBeCloseTo(done.metrics.duration, 6);
});

it("its ids are enough where the session has it", async () => {
  const agent = new Agent({ model: scripted([refunding, "Done."]), sessions: memorySessions(), tools: [refund] });
  const { runId, sessionId } = await agent.run("Refund 7");

  const done = await agent.continueRun({ runId, sessionId }, allow("call-0"));

  expect(done.content).toBe("Done.");
});

it("its tools have the keys of the run, also after a pause", async () => {
  const agent = new Agent({ model: scripted([refunding, "Done."]), tools: [refund] });
  const paused = await agent.run("Refund 7", { idempotencyKey: "order-7" });

  const { sessionState } = await agent.continueRun(paused, allow("call-0"));

  expect(sessionState["keys"]).toEqual([expect.stringMatching(/^order-7:refund:/)]);
});

it("without a store it goes on with the state that it had", async () => {
  const agent = new Agent({ model: scripted([refunding, "Done."]), tools: [refund], sessionState: { limit: 1 } });
  const paused = await agent.run("Refund 7", { sessionState: { limit: 2 } });

  const done = await agent.continueRun(paused, allow("call-0"), { sessionState: { more: true } });

  expect(done.sessionState).toMatchObject({ limit: 2, more: true, refunds: [7] });
});

it("the event of a pause is what a stream goes on with", async () => {
  const agent = new Agent({ model: scripted([refunding, "All done."]), sessions: memorySessions(), tools: [refund] });

  const first = await readAll(agent.stream("Refund 7"));
  const paused = first.events.at(-1) as RunPausedEvent;
  const second = await readAll(agent.continueStream(stored(paused), allow("call-0")));

  expect(namesOf(first.events)).toEqual(["RunStarted", "RunPaused"]);
  expect(namesOf(second.events)).toEqual([
    "RunContinued",
    "ToolCallStarted",
    "ToolCallCompleted",
    "RunContent",
    "RunContent",
    "RunCompleted",
  ]);
  expect(second.events.at(-1)).toMatchObject({ content: "All done.", sessionState: { refunds: [7] } });
});

it("what others have changed meanwhile stays", async () => {
  const model = scripted([refunding, "Done."]);
  const agent = new Agent({ model, sessions: memorySessions(), tools: [refund] });
  const paused = await agent.run("Refund 7");
  await agent.updateSessionState({ limit: 5 });

  const done = await agent.continueRun(paused, allow("call-0"));

  expect(done.sessionState).toMatchObject({ limit: 5, refunds: [7] });
});

it("a run that is not paused, or no longer, is refused", async () => {
  const model = scripted(["Hi.", refunding, "Done."]);
  const agent = new Agent({ model, sessions: memorySessions(), tools: [refund] });
  const ended = await agent.run("Hi");
  const paused = await agent.run("Refund 7");
  await agent.continueRun(paused, allow("call-0"));

  const notPaused = { code: "RUN_NOT_PAUSED" };
  await expect(agent.continueRun(ended, [])).rejects.toMatchObject(notPaused);
  await expect(agent.continueRun(paused, allow("call-0"))).rejects.toMatchObject(notPaused);
  await expect(agent.continueRun({ runId: "unknown" }, [])).rejects.toMatchObject(notPaused);
  expect((await readAll(agent.continueStream(ended, []))).error).toMatchObject(notPaused);
  expect(model.doGenerateCalls).toHaveLength(3);
});

it("answers that do not fit are refused before anything happens", async () => {
  const model = scripted([refunding, "Done."]);
  const agent = new Agent({ model, sessions: memorySessions(), tools: [look, refund] });
  const paused = await agent.run("Refund 7");

  await expect(agent.continueRun(paused, [])).rejects.toMatchObject({ code: "REQUIREMENT_INVALID" });

  expect((await agent.continueRun(paused, allow("call-0"))).content).toBe("Done.");
});

it("a paused run is no history yet", async () => {
  const model = scripted([refunding, "Fine."]);
  const agent = new Agent({ model, sessions: memorySessions(), tools: [refund], addHistoryToContext: true });

  await agent.run("Refund 7");
  await agent.run("Something else");

  expect(model.doGenerateCalls[1]?.prompt.map(({ role }) => role)).toEqual(["user"]);
});
