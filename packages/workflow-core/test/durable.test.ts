import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { retryPolicy, stop, wait } from "millrace";
import { createRuntime } from "millrace/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { durable, Shown, toEvent } from "../src/entries/durable.js";
import { createStatefulMiddleware } from "../src/entries/state.js";
import { createWorkflow, getContext, or, workflowEvent } from "../src/index.js";

const ask = workflowEvent<string>({ debugLabel: "ask" });
const joke = workflowEvent<{ text: string }>({ debugLabel: "joke" });
const note = workflowEvent<string>({ debugLabel: "note" });
const approval = workflowEvent<boolean>({ debugLabel: "approval" });
const done = workflowEvent<string>({ debugLabel: "done" });

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "workflow-core-"));
  folders.push(folder);
  return join(folder, "runs.db");
}

describe("durable", () => {
  it("runs handlers as steps: what is sent, returned, and only shown", async () => {
    const workflow = createWorkflow();
    workflow.handle([ask], ({ sendEvent }, { data }) => {
      sendEvent(note.with(`thinking about ${data}`));
      return joke.with({ text: `A ${data} walks into a bar.` });
    });
    workflow.handle([joke], async (_context, { data }) => getContext().sendEvent(done.with(`${data.text.length}`)));
    const run = durable(workflow, { start: ask, stop: done }).run({ data: "pirate" });

    const shown = await run.streamEvents().filter(Shown).toArray();

    expect(shown.map(({ event }) => [event.event, event.data])).toEqual([["note", "thinking about pirate"]]);
    expect(await run).toBe("26");
  });

  it("gathers sets, with repeated events", async () => {
    const workflow = createWorkflow();
    workflow.handle([ask], ({ sendEvent }) => sendEvent(note.with("a"), joke.with({ text: "j" }), note.with("b")));
    workflow.handle([note, note, joke], (_context, one, two, { data }) => done.with(one.data + two.data + data.text));

    expect(await durable(workflow, { start: ask, stop: done }).run({ data: "x" })).toBe("abj");
  });

  it("tries a handler again; a failed attempt has sent nothing and changed no state", async () => {
    const { withState } = createStatefulMiddleware(() => ({ count: 0, kept: true }));
    const workflow = withState(createWorkflow());
    let attempts = 0;
    workflow.handle([or(ask, note)], (context) => {
      context.state.count++;
      context.sendEvent(joke.with({ text: "sent" }));
      if (++attempts < 3) throw new Error("not yet");
    });
    workflow.handle([joke], ({ state }) => done.with(JSON.stringify(state)));
    const retry = retryPolicy({ stop: stop.afterAttempts(3), wait: wait.fixed(0) });

    expect(await durable(workflow, { start: ask, stop: done, retry }).run({ data: "x" })).toBe(
      '{"count":1,"kept":true}',
    );
    expect(attempts).toBe(3);
  });

  it("continues in another runtime on the same file, with an answer from outside", async () => {
    const path = storePath();
    const flow = () => {
      const { withState } = createStatefulMiddleware(() => ({ asked: "" }));
      const workflow = withState(createWorkflow());
      workflow.handle([ask], (context, { data }) => {
        context.state.asked = data;
        context.sendEvent(note.with("waiting"));
      });
      workflow.handle([approval], ({ state }, { data }) => done.with(`${state.asked}: ${data ? "yes" : "no"}`));
      return durable(workflow, { name: "refund", start: ask, stop: done, external: [approval] });
    };
    const first = createRuntime({ workflows: { refund: flow() }, store: sqliteStore(path) });
    const begun = first.run("refund", { data: "refund A-17" }, { runId: "r1" });
    for await (const event of begun.streamEvents()) if (Shown.is(event.event)) break;
    await first.stop();

    const refund = flow();
    const second = createRuntime({ workflows: { refund }, store: sqliteStore(path) });
    await second.start();
    const continued = second.handle<string>("r1");
    await continued.sendEvent(toEvent(refund, approval.with(true)));

    expect(await continued).toBe("refund A-17: yes");
    await second.stop();
  });

  it("refuses everything that has no name or cannot be stored as a step, at once", () => {
    const unnamed = workflowEvent<void>();
    const workflow = createStatefulMiddleware((input: { id: string }) => input).withState(createWorkflow());
    workflow.handle([unnamed], () => {});
    workflow.handle([or(ask, note), joke], () => {});
    workflow.handle([workflowEvent<void>({ debugLabel: "ask" })], () => {});

    expect(() => durable(workflow, { start: ask, stop: done })).toThrowError(
      expect.objectContaining({
        code: "OPTION_INVALID",
        hint: expect.stringMatching(/has no name.*two events are named "ask".*set with `or`.*`state` is missing/s),
      }),
    );
  });

  it("an event gets its name from `events`, and the stream of a handler is refused with a hint", async () => {
    const unnamed = workflowEvent<number>();
    const workflow = createWorkflow();
    let attempts = 0;
    workflow.handle([unnamed], (context) => {
      attempts++;
      void context.stream;
    });
    const retry = retryPolicy({ stop: stop.afterAttempts(3), wait: wait.fixed(0) });
    const begin = durable(workflow, { start: unnamed, stop: done, events: { begin: unnamed }, retry });

    await expect(begin.run({ data: 1 })).rejects.toThrow("no `context.stream`");
    expect(attempts).toBe(1);
  });
});
