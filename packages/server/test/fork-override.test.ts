/** Callers who give another request to a call of a fork. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createServer, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

const log = { info: () => {}, error: () => {} };

const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
    const result = await ctx.run("m0", ({ override }) => JSON.stringify(override ?? "as always"));
    return new StopEvent({ result });
  })
  .build();

/** A run that has ended, and a fork of it with an override. */
async function forked(override: object, options: Partial<ServerOptions> = { callOverrides: true }) {
  const runtime = createRuntime({ workflows: { asking }, log });
  const app = createServer({ runtime, log, ...options });
  onTestFinished(() => runtime.stop());
  const post = (path: string, body: unknown) =>
    app.request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const get = async (path: string) => (await (await app.request(path)).json()) as Json;
  await post("/workflows/asking/run", { handler_id: "one" });
  const { attempts } = await get("/handlers/one/attempts");
  const [{ item, calls }] = attempts;
  const body = { at: calls[0].started_tick - 1, handler_id: "two", override: { item, call: "run=m0", ...override } };
  const response = await post("/handlers/one/fork", body);
  return { status: response.status, body: (await response.json()) as Json, runtime, get };
}

it("a caller who may override gives the call its value", async () => {
  const { status, runtime } = await forked({ value: { instructions: "Be brief." } });

  expect(status).toBe(200);
  expect(await runtime.handle("two")).toBe('{"instructions":"Be brief."}');
});

it("nobody may override a call unless the server says so", async () => {
  const { status, body, runtime, get } = await forked({ value: {} }, {});

  expect(status).toBe(403);
  expect(body).toMatchObject({ code: "STATE_CLOSED", hint: expect.stringContaining("callOverrides") });
  expect((await runtime.runs()).runs).toHaveLength(1);
  expect((await get("/studio/config")).may).toMatchObject({ fork: true, override: false });
});

it("the page is told that calls may be overridden, of callers who may fork alone", async () => {
  const { get } = await forked({ value: {} });
  const reader = await forked({ value: {} }, { callOverrides: true, readOnly: false });

  expect((await get("/studio/config")).may).toMatchObject({ fork: true, override: true });
  expect((await reader.get("/studio/config")).may.override).toBe(true);
  const runtime = createRuntime({ workflows: { asking }, log });
  onTestFinished(() => runtime.stop());
  const app = createServer({ runtime, log, callOverrides: true, auth: () => ({ may: ["read"] }) });
  const config = (await (await app.request("/studio/config")).json()) as Json;
  expect(config.may).toMatchObject({ fork: false, override: false });
});

it.each<[string, object, number]>([
  ["without a value", {}, 400],
  ["with a value that is a list", { value: [1] }, 400],
  ["of no call of `ctx.run`", { call: "wait=x", value: {} }, 400],
  ["of an item that is not there", { item: 99, value: {} }, 400],
  ["with other fields", { value: {}, model: "x" }, 400],
])("an override %s is refused", async (_, override, status) => {
  expect(await forked(override)).toMatchObject({ status });
});
