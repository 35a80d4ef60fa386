/** The function over any store of texts, as the documentation writes it, served over HTTP. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve as listen } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documented } from "./test/documented.js";

let server: Server;
let origin: string;

beforeAll(async () => {
  const { serve } = await documented<{ serve(request: Request): Promise<Response> }>("how-to/serverless-with-texts.md");
  const address = await new Promise<AddressInfo>((resolve) => {
    server = listen({ fetch: serve, port: 0, hostname: "127.0.0.1" }, resolve) as Server;
  });
  origin = `http://127.0.0.1:${address.port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

async function post(path: string, body: unknown) {
  const response = await fetch(origin + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function booked() {
  const { body } = await post("/bookings", { guest: "Ada" });
  const { promptId } = body.outcome.prompts[0];
  return { path: `/bookings/${body.runId}`, promptId };
}

describe("a function over a store of texts", () => {
  it("asks, and ends with the answer", async () => {
    const { path, promptId } = await booked();

    const answered = await post(path, { promptId, fields: { room: "attic" } });

    expect(answered).toMatchObject({
      status: 200,
      body: { outcome: { status: "completed", result: "The attic room is for Ada." } },
    });
  });

  it("refuses an answer that comes twice", async () => {
    const { path, promptId } = await booked();
    const answer = { promptId, fields: { room: "attic" } };
    await post(path, answer);

    expect(await post(path, answer)).toMatchObject({ status: 409, body: { code: "RUN_FINISHED" } });
  });

  it("stores one of two answers that come at once", async () => {
    const { path, promptId } = await booked();

    const answers = await Promise.all(["attic", "garden"].map((room) => post(path, { promptId, fields: { room } })));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([{ promptId: "nobody:1", fields: { room: "attic" } }, {}])(
    "refuses the answer %j, which is to no prompt",
    async (answer) => {
      const { path } = await booked();

      expect(await post(path, answer)).toMatchObject({ status: 409, body: { code: "PROMPT_CLOSED" } });
    },
  );

  it("says what is wrong with an answer, and takes a better one", async () => {
    const { path, promptId } = await booked();

    const refused = await post(path, { promptId, fields: { room: 7 } });

    expect(refused).toMatchObject({
      status: 400,
      body: { code: "EVENT_INVALID", details: { issues: [{ path: "room" }] } },
    });
    expect(await post(path, { promptId, fields: { room: "attic" } })).toMatchObject({ status: 200 });
  });

  it("does not know a run that is not stored", async () => {
    expect(await post("/bookings/nobody", { promptId: "x", fields: {} })).toMatchObject({ status: 404 });
  });

  it.each([
    ["other fields", { guest: 7 }, "guest"],
    ["no object", [], ""],
    ["no JSON", "{", ""],
  ])("refuses to start with %s", async (_what, body, path) => {
    expect(await post("/bookings", body)).toMatchObject({
      status: 400,
      body: { code: "EVENT_INVALID", details: { issues: [{ path }] } },
    });
  });
});
