/** A `Date` in JSON without `meta`, as curl, forms and other languages send it. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";

class Trip extends StartEvent.define("Trip", { on: z.date(), note: z.string() }) {}

interface Body {
  readonly handler_id: string;
  readonly result: { readonly value: { readonly result: unknown } };
  readonly prompts: readonly { readonly prompt_id: string }[];
  readonly entries: readonly { readonly by: unknown }[];
}

const open = () => {
  const trip = defineWorkflow("trip")
    .step("ask", { on: Trip, emits: StopEvent }, async ({ on, note }, ctx) => {
      const { until } = await ctx.ask({ title: "Until when?", schema: { until: z.date().nullable() } });
      return new StopEvent({ result: [on.getTime(), note, until?.getTime()] });
    })
    .build();
  const runtime = createRuntime({ workflows: { trip }, store: memoryStore() });
  const { fetch } = createServer({ runtime, door: "desk" });
  const call = async (path: string, body?: object): Promise<Body> => {
    const init = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await fetch(new Request(`http://here${path}`, init))).json() as Promise<Body>;
  };
  return { runtime, call };
};

it("a text is a Date where a start and an answer have one", async () => {
  const { runtime, call } = open();
  await runtime.start();
  const start_event = { on: "2026-11-30", note: "2026-11-30" };
  const { handler_id: id } = await call("/workflows/trip/run-nowait", { start_event });
  const handle = runtime.handle(id);
  await handle.idle();
  const { prompts } = await call(`/handlers/${id}/prompts`);
  const answer = `/handlers/${id}/prompts/${encodeURIComponent(prompts[0]?.prompt_id ?? "")}`;

  expect(await call(answer, { fields: { until: "tomorrow" } })).toMatchObject({ code: "EVENT_INVALID" });
  expect(await call(answer, { fields: { until: "2026-12-01T10:00:00+01:00" } })).toMatchObject({ status: "accepted" });

  expect(await handle).toEqual([Date.UTC(2026, 10, 30), "2026-11-30", Date.UTC(2026, 11, 1, 9)]);
  const { entries } = await call("/audit");
  expect(entries.map(({ by }) => by)).toEqual([{ door: "desk" }, { door: "desk" }]);
  await runtime.stop();
});

it("a text is a Date in one answer to many questions", async () => {
  const { runtime, call } = open();
  await runtime.start();
  for (const handler_id of ["a", "b"]) {
    await call("/workflows/trip/run-nowait", { handler_id, start_event: { on: "2026-11-30", note: "" } });
    await runtime.handle(handler_id).idle();
  }
  const fields = { until: "2026-12-01" };
  const { handler_id: job } = await call("/handlers/bulk?workflow_name=trip", { action: "answer", fields });

  expect((await call(`/handlers/${job}?wait=5000`)).result.value.result).toMatchObject({ done: 2, failed: 0 });
  for (const id of ["a", "b"]) expect(await runtime.handle(id)).toContain(Date.UTC(2026, 11, 1));
  await runtime.stop();
});
