/** `Idempotency-Key` on everything that changes a run: done once, also when the server is killed in between. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "./server-process.js";

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const keyed = (key: string) => ({ "idempotency-key": key });

async function happened(id: string, type: string): Promise<number> {
  const { body } = await server.get(`/handlers/${id}/history?limit=1000`);
  return body.entries.filter(({ tick }: { tick: { type: string } }) => tick.type === type).length;
}

async function waiting(): Promise<string> {
  const { body } = await server.post("/workflows/refund/run");
  return body.handler_id;
}

describe("Idempotency-Key", () => {
  it("on cancel and resume: each is done once, also after a kill", async () => {
    const id = await waiting();
    const cancel = () => server.post(`/handlers/${id}/cancel`, {}, keyed("c"));
    const resume = () => server.post(`/handlers/${id}/resume`, {}, keyed("r"));
    const status = async () => (await server.get(`/handlers/${id}`)).body.status;
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await resume()).toMatchObject({ status: 200, body: { status: "running" } });
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await status()).toBe("running");

    await server.restart();
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await resume()).toMatchObject({ status: 200, body: { status: "running" } });
    expect(await happened(id, "run.cancelled")).toBe(1);
    expect(await server.post(`/handlers/${id}/cancel`)).toMatchObject({ status: 200 });
    expect(await resume()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await server.post(`/handlers/${id}/resume`, {}, keyed("r2"))).toMatchObject({ body: { status: "running" } });
  });

  it("on retry: it is tried again once, also after a kill", async () => {
    const { body } = await server.post("/workflows/fail/run");
    const id = body.handler_id;
    const retry = (headers = {}) => server.post(`/handlers/${id}/retry`, {}, headers);
    await Promise.all([retry(keyed("a")), retry(keyed("a")), retry(keyed("a"))]);
    await server.ended(id);
    expect(await happened(id, "run.retried")).toBe(1);

    await server.restart();
    expect(await retry(keyed("a"))).toMatchObject({ status: 200, body: { status: "failed" } });
    expect(await happened(id, "run.retried")).toBe(1);
    await retry();
    await server.ended(id);
    expect(await happened(id, "run.retried")).toBe(2);
  });

  it("on an answer: the second one gets the first's, also after a kill", async () => {
    const id = await waiting();
    const { body } = await server.get(`/handlers/${id}`);
    const answer = (approved: boolean, key: string) =>
      server.post(`/handlers/${id}/prompts/${body.prompts[0].prompt_id}`, { fields: { approved } }, keyed(key));
    const first = await answer(true, "a");
    await server.restart();

    expect(first).toMatchObject({ status: 200 });
    expect((await answer(false, "a")).body).toEqual(first.body);
    expect(await answer(false, "b")).toMatchObject({ status: 409 });
    expect((await server.ended(id)).result?.value).toEqual({ result: "refunded A-17" });
  });

  it("on a start with another input is refused, and says what to do", async () => {
    const start = (left: number, body = {}) =>
      server.post("/workflows/add/run", { kwargs: { left }, ...body }, keyed("start"));
    for (const body of [{}, { handler_id: "named" }]) {
      const first = await start(1, body);

      expect((await start(1, body)).body).toEqual(first.body);
      expect(await start(2, body)).toMatchObject({
        status: 409,
        body: { code: "RUN_ID_CONFLICT", hint: expect.stringContaining("Idempotency-Key") },
      });
    }
  });

  it("on an event: it is delivered once, also after a kill", async () => {
    const { body } = await server.post("/workflows/mailbox/run");
    const id = body.handler_id;
    const send = (text: string) =>
      server.post(`/events/${id}`, { event: { type: "Letter", value: { text } } }, keyed("a"));
    const first = await send("one");
    await server.restart();

    expect(first).toMatchObject({ status: 200, body: { status: "sent" } });
    expect((await send("two")).body).toEqual(first.body);
    expect(await happened(id, "event.received")).toBe(1);
  });

  it.each(["resume", "retry", "cancel", "fork", "prompts/x"])("too long is refused by %s", async (route) => {
    const id = await waiting();
    const answer = await server.post(
      `/handlers/${id}/${route}`,
      route === "fork" ? { at: 1 } : {},
      keyed("x".repeat(201)),
    );

    expect(answer).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
  });
});
