/** Cursors of all lists: each takes those that it gave, and says the same of any other. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";

const log = { info: () => {}, error: () => {} };
const work = defineWorkflow("work")
  .step("work", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

/** Three of everything that is listed. */
async function open() {
  const runtime = createRuntime({ workflows: { work }, log });
  onTestFinished(() => runtime.stop());
  const ids = ["a", "ü/%", "😀"];
  for (const id of ids) {
    await runtime.run("work", {}, { runId: id });
    await runtime.schedules.set(id, { cron: "0 3 * * *", workflow: "work" });
    const value = { sessionId: id, userId: null, state: {} };
    await runtime.records.write(["session", "agent-session"].map((kind) => ({ kind, id, expected: 0, value })));
  }
  const app = createServer({ runtime, log, schedules: true });
  return async (list: string, cursor?: string) => {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await app.request(`/${list}?limit=1${query}`);
    return { status: response.status, body: (await response.json()) as Json };
  };
}

const lists = ["handlers", "schedules", "sessions"] as const;
const refused = {
  status: 400,
  body: { code: "OPTION_INVALID", hint: "Pass the `cursor` of the previous page unchanged, or leave it out." },
};

describe.each(lists)("a cursor of /%s", (list) => {
  it("leads through the whole list", async () => {
    const get = await open();
    const found: Json[] = [];
    for (let page = await get(list); ; page = await get(list, page.body.cursor)) {
      expect(page.status).toBe(200);
      found.push(...page.body[list]);
      if (page.body.cursor === null) break;
    }

    expect(found).toHaveLength(list === "sessions" ? 6 : 3);
    expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(3);
  });

  it("is refused by the other lists", async () => {
    const get = await open();
    const { cursor } = (await get(list)).body;

    for (const other of lists.filter((name) => name !== list)) expect(await get(other, cursor)).toMatchObject(refused);
  });

  it.each<[string, (given: string) => string]>([
    ["a word", () => "garbage"],
    ["a number", () => "0garbage"],
    ["a path", () => "../../etc"],
    ["what is no base64", () => "%%%"],
    ["a cursor with something behind it", (given) => `${given}A`],
    ["a cursor with padding", (given) => `${given}=`],
    ["the place alone", () => btoa("a")],
    ["a place that no store can look for", (given) => btoa(`${atob(given).split(":")[0]}:\0`).replaceAll("=", "")],
    ["bytes that are no text", () => btoa("handlers:\xff\xfe")],
  ])("is not %s", async (_, cursor) => {
    const get = await open();
    const { cursor: given } = (await get(list)).body;

    expect(await get(list, cursor(given))).toMatchObject(refused);
  });
});
