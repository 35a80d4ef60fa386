/** What anybody who reaches the ingress can call, and what it carries. */
import { type Context, service } from "@restatedev/restate-sdk/fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../src/index.js";
import { asking, chain, refusing, Said, tally, Vote } from "./support/flows.js";
import { type Served, serveHost } from "./support/host.js";
import { type Restate, startRestate } from "./support/restate.js";

let restate: Restate;

beforeAll(async () => {
  restate = await startRestate();
});
afterAll(() => restate?.[Symbol.asyncDispose]());

async function call(path: string, message: unknown): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(restate.ingress + path, { method: "POST", headers, body: JSON.stringify(message) });
  return { status: response.status, text: await response.text() };
}

const notPublic = { status: 400, text: expect.stringContaining("not public") };

describe("the ingress", () => {
  const workflows = { chain, asking, tally, refusing };
  let served: Served<typeof workflows>;

  beforeAll(async () => {
    served = await serveHost(restate, workflows);
  });
  afterAll(() => served?.[Symbol.asyncDispose]());

  it.each([
    ["millrace.run", "activate", { why: "rollover" }],
    ["millrace.run", "who", { idempotencyKey: null }],
    ["millrace.inbox", "attach", { id: "any" }],
    ["millrace.inbox", "answered", [1]],
    ["millrace.inbox", "remove", null],
  ])(
    "refuses the call %s/%s, also to be sent, which the services make among themselves",
    async (name, handler, message) => {
      const run = served.runtime.run("asking", { x: 1 });
      await run.idle();

      const path = `/${name}/${encodeURIComponent(`/${run.runId}`)}/${handler}`;
      expect(await call(path, message)).toEqual(notPublic);
      expect(await call(`${path}/send`, message)).toEqual(notPublic);

      expect(await run.sendEvent(new Said({ answer: "reached" }))).toMatchObject({ status: "accepted" });
      expect(await run).toBe("reached");
    },
  );

  it("keeps each post by itself, and none of them when the run has ended", async () => {
    const run = served.runtime.run("tally", { x: 30 }, { runId: "posted" });
    await run.accepted;
    const inbox = (): Promise<{ key: string }[]> =>
      restate.sql("SELECT key FROM state WHERE service_name = 'millrace.inbox' AND service_key = '/posted'");

    const sent = Array.from({ length: 30 }, (_, by) => run.sendEvent(new Vote({ by })));
    await Promise.all(sent.slice(0, 2));
    const whilePosted = (await inbox()).map(({ key }) => key);
    await Promise.all(sent);

    expect(whilePosted).toEqual(expect.arrayContaining(["p/1", "p/2"]));
    expect([...((await run) as number[])].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, by) => by));
    await expect.poll(async () => (await inbox()).filter(({ key }) => key.startsWith("p/"))).toEqual([]);
  });

  it("is not asked to carry an input or a message that Restate could not keep", async () => {
    const tooLong = { code: "VALUE_UNSERIALIZABLE", hint: expect.stringContaining("elsewhere") };
    const input = { text: "x".repeat(40 * 1024 * 1024) };
    const run = served.runtime.run("asking", { x: 1 });
    await run.idle();

    await expect(served.runtime.run("refusing", input)).rejects.toMatchObject(tooLong);
    await expect(run.sendEvent(new Said({ answer: "x".repeat(9 * 1024 * 1024) }))).rejects.toMatchObject(tooLong);

    expect(await run.sendEvent(new Said({ answer: "short" }))).toMatchObject({ status: "accepted" });
    expect(await run).toBe("short");
  });
});

describe("a host that keeps its calls from the ingress", () => {
  const all = ["start", "post", "read", "remove"] as const;

  it("refuses clients with a hint, and takes the calls of other services", async () => {
    const gateway = service({
      name: "gateway",
      handlers: {
        begin: async (ctx: Context, message: object): Promise<unknown> => {
          const run = ctx.objectClient({ name: "millrace.run" }, "/inside") as unknown as {
            start(message: object): Promise<unknown>;
            read(message: object): Promise<unknown>;
          };
          await run.start(message);
          return run.read({ what: "run" });
        },
      },
    });
    await using served = await serveHost(restate, { chain }, { ingressPrivate: all, others: [gateway] });
    const refused = { code: "STORE_FAILED", hint: expect.stringContaining("ingressPrivate") };

    for (const handler of ["start", "read", "remove"])
      expect(await call(`/millrace.run/%2Fany/${handler}`, {})).toEqual(notPublic);
    expect(await call("/millrace.inbox/%2Fany/post", {})).toEqual(notPublic);
    const asked: string[] = [];
    const capture = (url: string, init: RequestInit): Promise<Response> => {
      asked.push(String(init.body));
      return fetch(url, init);
    };
    const client = connect({ workflows: { chain }, ingress: restate.ingress, fetch: capture as typeof fetch });
    await expect(client.run("chain", { x: 1 })).rejects.toMatchObject(refused);
    await expect(served.runtime.delete("any")).rejects.toMatchObject(refused);

    const { text } = await call("/gateway/begin", JSON.parse(asked[0] ?? ""));
    await client.stop();
    expect(JSON.parse(text)).toMatchObject({ value: { status: "completed", ticks: 4 } });
  });

  it("keeps deletes from clients, and nothing else", async () => {
    await using served = await serveHost(restate, { chain }, { ingressPrivate: ["remove"] });
    const run = served.runtime.run("chain", { x: 1 });

    expect(await run).toBe(4);
    await expect(served.runtime.delete(run.runId)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await run.summary()).toMatchObject({ status: "completed" });
  });
});
