/** Signed links: a question of a step, answered by a webhook or a person who knows nothing but its address. */
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createServer, type ServerOptions } from "../src/index.js";
import { type LinkQuestion, type SignedLinks, signedLinks } from "../src/webhooks.js";

const secrets = ["a secret of more than thirty-two characters"];
const base = "http://localhost/links";
const payment = { status: z.enum(["paid", "failed"]), cents: z.number().int() };

interface Setup {
  readonly question?: Partial<LinkQuestion>;
  readonly options?: Partial<ServerOptions>;
  readonly links?: SignedLinks;
  readonly inChild?: boolean;
  readonly tenant?: string;
}

/** A run that has mailed its link, and what may be sent to it. */
async function open({
  question = {},
  options,
  links = signedLinks({ url: base, secrets }),
  inChild,
  tenant = "",
}: Setup = {}) {
  const mailed: string[] = [];
  const work = async (_ev: StartEvent, ctx: Context) => {
    const asked = await links.ask(ctx, { title: "Payment of order 7", schema: payment, ...question } as LinkQuestion);
    await ctx.run("mail", () => void mailed.push(asked.url));
    return new StopEvent({ result: await asked.answer });
  };
  const asking = defineWorkflow("asking").step("work", { on: StartEvent, emits: StopEvent }, work).build();
  const parent = defineWorkflow("parent", { children: { asking } })
    .step("begin", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("asking", {}) });
    })
    .build();
  const store = memoryStore();
  const runtime = createRuntime({ workflows: { asking, parent }, store });
  onTestFinished(() => runtime.stop());
  const handle = runtime.run(inChild === true ? "parent" : "asking", {}, { tenant });
  await expect.poll(() => mailed.length).toBe(1);
  const app = createServer({ runtime, links, auth: () => null, ...options });
  const url = mailed[0] as string;
  const send = (body: unknown, init: RequestInit = {}) =>
    app.request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    });
  const form = (fields: Record<string, string>) =>
    app.request(url, { method: "POST", headers: { accept: "text/html" }, body: new URLSearchParams(fields) });
  const page = async () => (await app.request(url, { headers: { accept: "text/html" } })).text();
  return { app, runtime, handle, url, send, form, page, mailed };
}

const codeOf = async (response: Response) => ({
  status: response.status,
  code: ((await response.json()) as { readonly code: string }).code,
});

describe("a webhook", () => {
  it("answers the question of the step, without credentials", async () => {
    const { send, handle } = await open();
    const response = await send({ status: "paid", cents: 700, other: "is left out" });

    expect([response.status, await response.json()]).toEqual([200, { status: "accepted" }]);
    expect(await handle).toEqual({ status: "paid", cents: 700 });
  });

  it("answers once: the same delivery again gets the same response, another one is refused", async () => {
    const { send, handle } = await open();
    const answers = await Promise.all([send({ status: "paid", cents: 1 }), send({ status: "paid", cents: 1 })]);
    await handle;
    const again = await send({ status: "paid", cents: 1 });
    const other = await send({ status: "failed", cents: 1 });

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(again.status).toBe(200);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ code: "PROMPT_CLOSED", answered: { by: { door: "link" } } });
    expect(await handle).toEqual({ status: "paid", cents: 1 });
  });

  it("is told what is wrong with its body, and may send a right one", async () => {
    const { send, handle } = await open();
    const refused = await send({ status: "unknown", cents: 1.5 });
    const body = (await refused.json()) as { readonly issues: readonly { readonly path: string }[] };

    expect(refused.status).toBe(400);
    expect(body.issues.map(({ path }) => path)).toEqual(["status", "cents"]);
    await send({ status: "failed", cents: 0 });
    expect(await handle).toEqual({ status: "failed", cents: 0 });
  });

  it("may use the methods of the link only, and gets its reply", async () => {
    const { app, url, handle } = await open({ question: { methods: ["GET"], reply: "OK" } });
    const posted = await app.request(url, { method: "POST", body: "{}" });
    const got = await app.request(`${url}?status=paid&cents=5`);

    expect(await codeOf(posted)).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED" });
    expect([got.status, await got.text()]).toEqual([200, "OK"]);
    expect(await handle).toEqual({ status: "paid", cents: 5 });
  });

  it("answers a question of a child, of a run of a tenant", async () => {
    const { send, handle } = await open({ inChild: true, tenant: "acme" });

    expect((await send({ status: "paid", cents: 2 })).status).toBe(200);
    expect(await handle).toEqual({ status: "paid", cents: 2 });
  });

  it("finds the question of a run that was restored", async () => {
    const links = signedLinks({ url: base, secrets });
    const mailed: string[] = [];
    let attempts = 0;
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        attempts++;
        const asked = await links.ask(ctx, { title: "Go?", schema: { yes: z.boolean() } });
        mailed.push(asked.url);
        return new StopEvent({ result: await asked.answer });
      })
      .build();
    const store = memoryStore();
    const first = createRuntime({ workflows: { flow }, store });
    first.run("flow", {}, { runId: "r" });
    await expect.poll(() => mailed.length).toBe(1);
    await first.stop();
    const second = createRuntime({ workflows: { flow }, store });
    onTestFinished(() => second.stop());
    await second.start();
    const answer = links.handler(second);
    const response = await answer(
      new Request(mailed[0] as string, {
        method: "POST",
        body: JSON.stringify({ yes: true }),
        headers: { "content-type": "application/json" },
      }),
    );

    expect(response.status).toBe(200);
    expect(await second.handle("r")).toEqual({ yes: true });
    expect(attempts).toBeGreaterThan(1);
    expect(new Set(mailed).size).toBe(1);
  });
});

describe("a person", () => {
  it("sees the question and a form of its fields; looking answers nothing", async () => {
    const { page, handle } = await open({ question: { details: "Order <7> & more" } });
    const text = await page();
    await page();

    expect(text).toContain("<h1>Payment of order 7</h1>");
    expect(text).toContain("Order &lt;7&gt; &amp; more");
    expect(text).toContain('type="radio" name="status" value="paid"');
    expect(text).toContain('name="cents" type="number"');
    expect(await handle.outcome()).toMatchObject({ status: "waiting" });
  });

  it("answers with the form", async () => {
    const { form, page, handle } = await open();
    const sent = await form({ status: "paid", cents: "12" });

    expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining("Your answer was recorded.")]);
    expect(await handle).toEqual({ status: "paid", cents: 12 });
    expect(await page()).toContain("The prompt is closed");
  });

  it("gets the form back with what was entered and what is wrong", async () => {
    const { form, handle } = await open();
    const wrong = await form({ status: "paid", cents: "a lot" });
    const text = await wrong.text();

    expect(wrong.status).toBe(400);
    expect(text).toContain("cents: is not a number");
    expect(text).toContain('value="paid" checked');
    expect((await form({ status: "paid", cents: "1.5" })).status).toBe(400);
    await form({ status: "paid", cents: "1" });
    expect(await handle).toEqual({ status: "paid", cents: 1 });
  });

  it("gets a page that loads nothing, is in no frame, and tells its address to nobody", async () => {
    const { app, url } = await open();
    const { headers } = await app.request(url, { headers: { accept: "text/html" } });

    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("fills in every kind of field", async () => {
    const schema = {
      note: z.string(),
      urgent: z.boolean(),
      day: z.iso.date(),
      at: z.iso.datetime(),
      items: z.array(z.string()),
      comment: z.string().optional(),
    };
    const { form, page, handle } = await open({ question: { schema } as never });
    const text = await page();

    expect(text).toContain('name="urgent" value="true"');
    expect(text).toContain('name="day" type="date"');
    expect(text).toContain("At (UTC)");
    expect(text).toContain("Items (JSON)");
    await form({ note: "", urgent: "false", day: "2030-02-03", at: "2030-02-03T04:05", items: '["a"]', comment: "" });
    expect(await handle).toEqual({
      note: "",
      urgent: false,
      day: "2030-02-03",
      at: "2030-02-03T04:05:00.000Z",
      items: ["a"],
    });
  });
});

describe("a link of a prompt", () => {
  it("is made outside of the run, for any prompt", async () => {
    const { runtime, handle, app } = await open();
    const [prompt] = await runtime.handle(handle.runId).prompts();
    const links = signedLinks({ url: base, secrets });
    const url = await links.urlOf(prompt as never, { expiresIn: "1h" });
    const response = await app.request(url, {
      method: "POST",
      body: new URLSearchParams({ status: "paid", cents: "3" }),
    });

    expect(response.status).toBe(200);
    expect(await handle).toEqual({ status: "paid", cents: 3 });
  });

  it("expires", async () => {
    const { handle, app, runtime } = await open();
    const [prompt] = await runtime.handle(handle.runId).prompts();
    const url = await signedLinks({ url: base, secrets }).urlOf(prompt as never, { expiresIn: 1 });
    await expect.poll(async () => (await app.request(url)).status).toBe(410);

    expect(await codeOf(await app.request(url, { method: "POST", body: "{}" }))).toEqual({
      status: 410,
      code: "LINK_EXPIRED",
    });
  });

  it("is valid with every secret, and made with the first", async () => {
    const old = signedLinks({ url: base, secrets });
    const rotated = signedLinks({ url: base, secrets: ["b".repeat(32), ...secrets] });
    const { url, runtime, handle } = await open({ links: old });
    const [prompt] = await runtime.handle(handle.runId).prompts();
    const fresh = await rotated.urlOf(prompt as never);
    const look = (links: SignedLinks, address: string) => links.handler(runtime)(new Request(address));

    expect((await look(rotated, url)).status).toBe(200);
    expect((await look(rotated, fresh)).status).toBe(200);
    expect((await look(old, fresh)).status).toBe(403);
  });
});

describe("an attacker", () => {
  const forged = (url: string, change: (facts: Record<string, unknown>) => object) => {
    const [facts = "", mac] = (url.split("/").at(-1) as string).split(".");
    const changed = Buffer.from(
      JSON.stringify(change(JSON.parse(Buffer.from(facts, "base64url").toString()))),
    ).toString("base64url");
    return `${base}/${changed}.${mac}`;
  };

  it.each([
    ["another run", (facts: object) => ({ ...facts, run: "other" })],
    ["another tenant", (facts: object) => ({ ...facts, tenant: "acme" })],
    ["another prompt", (facts: object) => ({ ...facts, prompt: "r:1" })],
    ["no expiry", ({ expiresAtMs: _, ...facts }: { expiresAtMs?: unknown }) => facts],
    ["another method", (facts: object) => ({ ...facts, methods: ["GET"] })],
  ])("cannot change a link to %s", async (_what, change) => {
    const { url, app, handle } = await open({ question: { timeout: "1h" } });

    expect(await codeOf(await app.request(forged(url, change)))).toEqual({ status: 403, code: "LINK_INVALID" });
    expect(await handle.outcome()).toMatchObject({ status: "waiting" });
  });

  it.each(["", ".", "a.b", "a.b.c", "%00", "..%2f..", "e30.e30", `${"a".repeat(300)}.b`, "__proto__", "e30"])(
    "cannot guess one: %j",
    async (token) => {
      const { app } = await open();
      const response = await app.request(`${base}/${token}`);

      expect([403, 404, 401]).toContain(response.status);
    },
  );

  it("cannot send what is too large, nested too deeply, of another type, or a prototype", async () => {
    const { send, handle, app, url } = await open({ options: { limits: { bodyBytes: 200, bodyDepth: 3 } } });
    const multipart = new FormData();
    multipart.set("status", "paid");

    expect(await codeOf(await send({ status: "a".repeat(300) }))).toEqual({ status: 413, code: "BODY_TOO_LARGE" });
    expect(await codeOf(await send({ status: [[[[]]]] }))).toEqual({ status: 400, code: "BODY_INVALID" });
    expect(await codeOf(await send('{"__proto__":{"status":"paid"}}'))).toEqual({ status: 400, code: "BODY_INVALID" });
    expect(await codeOf(await app.request(url, { method: "POST", body: "status=paid" }))).toEqual({
      status: 415,
      code: "BODY_NOT_JSON",
    });
    for (const body of ["[1]", "null", "5", '"paid"', "true"])
      expect([body, await codeOf(await send(body))]).toEqual([body, { status: 400, code: "EVENT_INVALID" }]);
    expect(await handle.outcome()).toMatchObject({ status: "waiting" });
  });

  it("cannot use other routes with a link, and a link needs no other credential", async () => {
    const { app, url } = await open();

    expect((await app.request(url.replace("/links/", "/handlers/"))).status).toBe(401);
    expect((await app.request("/handlers")).status).toBe(401);
  });

  it("learns no address from the log", async () => {
    const logged: unknown[] = [];
    const log = { info: () => {}, error: (...given: unknown[]) => void logged.push(...given) };
    const { url, runtime } = await open();
    const broken = {
      workflows: runtime.workflows,
      handle: () => ({ summary: () => Promise.reject(new TypeError("broken")) }),
    };
    const response = await signedLinks({ url: base, secrets }).handler(broken as never, { log })(new Request(url));

    expect(response.status).toBe(500);
    expect(String(logged)).toContain("a link");
    expect(String(logged)).not.toContain(url.split("/").at(-1));
  });
});

describe("the options", () => {
  it("are refused with all problems", () => {
    expect(() => signedLinks({ url: "/links", secrets: ["short"] })).toThrow(/url.*secrets|secrets.*url/s);
    expect(() => signedLinks({ url: base, secrets: [] })).toThrow(/secrets/);
    expect(() => signedLinks({ url: base, secrets: [undefined as never] })).toThrow(/secrets/);
    expect(() => signedLinks({} as never)).toThrow(/`url` is missing; `secrets` is missing/);
  });

  it("are not served by a server that only reads", async () => {
    const { app, url } = await open({ options: { readOnly: true } });

    expect((await app.request(url)).status).toBe(401);
  });

  it("ask one question of a key", async () => {
    const links = signedLinks({ url: base, secrets });
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await links.ask(ctx, { title: "Go?", schema: { yes: z.boolean() } });
        await links.ask(ctx, { title: "Go?", schema: { yes: z.boolean() } });
        return new StopEvent({ result: 0 });
      })
      .build();

    await expect(flow.run({})).rejects.toMatchObject({ code: "KEY_REUSED" });
  });
});
