/** Cookies of a reader, and pages that are not the server's: a browser sends cookies to every port of a host. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { createHandler, createServer } from "@millrace/server";
import { createRuntime, memoryStore } from "millrace/runtime";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workflows } from "../child/workflows.js";
import { openBrowser } from "../support/browser.js";

const auth = ({ headers }: Request) => (headers.get("cookie") === "session=ada" ? { client: "ada" } : null);
const blank = () => new Response("<!doctype html><body></body>", { headers: { "content-type": "text/html" } });

const servers: ServerType[] = [];
const runtime = createRuntime({ workflows });
const store = memoryStore();
const app = createServer({ runtime, auth });
const handler = createHandler(workflows.greet, { store, auth });
/** What came to the server: `true` where it brought the cookie. */
const came: { hasCookie: boolean; status: number }[] = [];
let browser: Browser;
let context: BrowserContext;
let page: Page;
let own = "";
let elsewhere = "";

async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" });
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  browser = await openBrowser();
  own = await listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/page") return blank();
    const response = await (pathname === "/function" ? handler(request) : app.fetch(request));
    came.push({ hasCookie: auth(request) !== null, status: response.status });
    return response;
  });
  elsewhere = await listen(blank);
  context = await browser.newContext();
  await context.addCookies([{ name: "session", value: "ada", url: own }]);
}, 240_000);

afterAll(async () => {
  await browser.close();
  for (const server of servers) server.close();
  await runtime.stop();
});

beforeEach(async () => {
  came.length = 0;
  page = await context.newPage();
});

async function waitingRun(): Promise<string> {
  const handle = runtime.run("greet", {});
  await handle.idle();
  return handle.runId;
}

const statusOf = async (id: string) => (await runtime.handle(id).summary()).status;

/** What a page can send without the browser asking for it first. */
const sent: readonly (readonly [string, (url: string) => unknown])[] = [
  ["`fetch` with no body", (url) => fetch(url, { method: "POST", mode: "no-cors", credentials: "include" })],
  ["`fetch` with a text", (url) => fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body: "{}" })],
  ["a beacon", (url) => void navigator.sendBeacon(url)],
  [
    "a form",
    (url) => {
      const form = Object.assign(document.createElement("form"), { method: "POST", action: url });
      document.body.append(form);
      form.submit();
    },
  ],
];

describe("in Chromium, a page of another port of the host", () => {
  it.each(sent)("cancels and deletes nothing with the cookies of its reader and %s", async (_kind, send) => {
    const id = await waitingRun();
    await page.goto(elsewhere);

    await page.evaluate(send, `${own}/handlers/${id}/cancel?purge=true`);

    await expect.poll(() => came).toEqual([{ hasCookie: true, status: 403 }]);
    expect(await statusOf(id)).toBe("waiting");
  });

  it.each(sent)("starts nothing in one function with the cookies of its reader and %s", async (_kind, send) => {
    await page.goto(elsewhere);

    await page.evaluate(send, `${own}/function`);

    await expect.poll(() => came).toEqual([{ hasCookie: true, status: 403 }]);
    expect((await store.list({ tenant: "", limit: 1 })).runs).toEqual([]);
  });

  it("does not get the browser to send what it asks for first", async () => {
    const id = await waitingRun();
    await page.goto(elsewhere);

    const sending = page.evaluate(
      (url) =>
        fetch(url, { method: "POST", credentials: "include", headers: { "content-type": "application/json" } }).then(
          () => "sent",
          () => "not sent",
        ),
      `${own}/handlers/${id}/cancel`,
    );

    expect(await sending).toBe("not sent");
    expect(came.map(({ hasCookie }) => hasCookie)).toEqual([false]); // its question
    expect(await statusOf(id)).toBe("waiting");
  });
});

describe("in Chromium, a page of the server itself", () => {
  it("cancels a run with the cookies of its reader", async () => {
    const id = await waitingRun();
    await page.goto(`${own}/page`);

    const status = await page.evaluate(
      (url) =>
        fetch(url, { method: "POST", headers: { "content-type": "application/json" } }).then(({ status }) => status),
      `/handlers/${id}/cancel`,
    );

    expect(status).toBe(200);
    expect(await statusOf(id)).toBe("cancelled");
  });
});
