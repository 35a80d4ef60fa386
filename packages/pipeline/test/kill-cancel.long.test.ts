/** A process that is killed while it cancels a run: what the session says of the run is how the run has ended. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { expect, it } from "vitest";
import { cancelling, runId, sessionId } from "./support/cancelling.js";
import type { CancellingProcess } from "./support/cancelling-process.js";
import { Child } from "./support/child.js";
import { temporaryDirectory } from "./support/files.js";
import type { Death } from "./support/mortality.js";
import { eventsOf } from "./support/pipelines.js";

const start = (options: CancellingProcess) => new Child("cancelling-process.ts", options);

const deaths: (readonly [Death["at"], number, "CANCELLED" | "COMPLETED"])[] = [
  ["before commit", 1, "COMPLETED"], // nobody has stored that it was to be cancelled
  ["after commit", 1, "CANCELLED"],
  ["before commit", 2, "CANCELLED"],
  ["after commit", 2, "CANCELLED"],
];

it.each(deaths)("killed %s %i, the run is %s, and its session says so", async (at, count, status) => {
  const path = join(temporaryDirectory(), "runs.db");
  const { signal, complaints } = await start({ path, death: { at, count } }).ended;

  const next = cancelling(sqliteStore(path, { durability: "process" }), null);
  await next.start();
  const output = await next.handle(runId).output();
  const session = await next.sessions.get(sessionId);
  const events = await eventsOf(next.handle(runId));
  await next.close();

  expect({ signal, complaints }).toEqual({ signal: "SIGKILL", complaints: "" });
  expect(output).toMatchObject({ status, sessionState: { n: 1, list: ["item"] } });
  expect(session).toMatchObject({ state: { n: 1, list: ["item"] }, runs: [{ runId, status }] });
  expect(session?.metrics).not.toBeNull();
  const told = events.map(({ event }) => event).filter((event) => event.startsWith("Workflow"));
  const cancelled = status === "CANCELLED" ? ["WorkflowCancelled"] : [];
  expect(told).toEqual(["WorkflowStarted", ...cancelled, "WorkflowCompleted"]);
});

it("a run at work in another process is cancelled there, in one commit with its session", async () => {
  const path = join(temporaryDirectory(), "runs.db");
  const child = start({ path, death: null });
  await child.ready;

  const here = cancelling(sqliteStore(path, { durability: "process" }), null);
  const output = await here.handle(runId).cancel("enough");
  const session = await here.sessions.get(sessionId);
  const { lines, complaints } = await child.ended;
  await here.close();

  expect(output).toMatchObject({ status: "CANCELLED", sessionState: { n: 1, list: ["item"] } });
  expect(session).toMatchObject({ state: { n: 1, list: ["item"] }, runs: [{ runId, status: "CANCELLED" }] });
  expect({ lines, complaints }).toEqual({ lines: ["waits", "CANCELLED"], complaints: "" });
});
