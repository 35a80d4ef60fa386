/** A server that answers something else than it should: every call says so, and none asks for ever. */
import { describe, expect, it } from "vitest";
import { createClient } from "../src/index.js";
import { handlerRecord, json, listen } from "./support/listen.js";

const entry = { number: 1, at: "1970-01-01T00:00:01.000Z", run_id: "h", tick: { type: "t" } };
const attempt = { run_id: "h", started_tick: 1, waits: [] };

type Client = ReturnType<typeof createClient>;

async function toArray(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** By the field that the client looks for. */
const calls: readonly (readonly [field: string, call: (client: Client) => Promise<unknown>])[] = [
  ["entries", (client) => toArray(client.history("h"))],
  ["attempts", (client) => toArray(client.attempts("h"))],
  ["steps", (client) => client.at("h", 1)],
  ["children", (client) => client.children("h")],
  ["handlers", (client) => client.runs()],
  ["workflows", (client) => client.counts()],
  ["workflows", (client) => client.workflowDetails()],
  ["events", (client) => client.eventUses("w")],
  ["sessions", (client) => client.sessions()],
  ["runs", (client) => client.session("s")],
  ["prompts", (client) => client.handle("h").prompts()],
  ["schedules", (client) => client.schedules.list()],
  ["cron", (client) => client.schedules.get("s")],
];

describe("an answer that has the field, and cannot be read", () => {
  it.each(calls)("is refused where `%s` is wrong: %s", async (field, call) => {
    let answer: object = {};
    await using server = await listen((_request, response) => json(response, 200, answer));
    const client = createClient({ baseUrl: server.baseUrl, retry: false });

    for (const wrong of [5, {}, null, [null]]) {
      answer = { [field]: wrong, details: wrong, roles: null, cursor: null };
      await expect(call(client), JSON.stringify(wrong)).rejects.toMatchObject({
        code: "RESPONSE_INVALID",
        status: null,
        url: expect.stringContaining(server.baseUrl),
      });
    }
  });
});

describe("pages that come to no end", () => {
  it.each([0, -1, "1", undefined])("are left where the next one begins at %s", async (next) => {
    await using server = await listen(({ path }, response) => {
      json(response, 200, path.endsWith("/history") ? { entries: [entry], next } : { attempts: [attempt], next });
    });
    const client = createClient({ baseUrl: server.baseUrl });

    for (const pages of [client.history("h"), client.attempts("h")])
      await expect(toArray(pages)).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
    expect(server.asked).toHaveLength(2);
  });

  it("are left where the cursor stays", async () => {
    await using server = await listen((_request, response) => {
      json(response, 200, { handlers: [handlerRecord("running")], cursor: "same" });
    });
    const client = createClient({ baseUrl: server.baseUrl });

    await expect(toArray(client.eachRun())).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
    expect(server.asked).toHaveLength(2);
  });
});
