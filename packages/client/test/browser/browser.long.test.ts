import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/index.js";
import type { workflows } from "../child/workflows.js";
import { openBrowser, Site } from "../support/browser.js";
import { ServerProcess, Wire } from "../support/server-process.js";

const EVENTS = 2_000;

const opened = new AsyncDisposableStack();
let server: ServerProcess;
let wire: Wire;
let browser: Browser;
let page: Page;
/** Where the page is, and where the server is seen from it across origins. */
let pageUrl = "";
let otherOrigin = "";
const faults: string[] = [];

beforeAll(async () => {
  browser = opened.use(await openBrowser());
  server = opened.use(await ServerProcess.start());
  wire = opened.use(new Wire(server.port));
  otherOrigin = await wire.open();
  const site = opened.use(new Site(otherOrigin));
  pageUrl = await site.open(new URL("page.ts", import.meta.url));
}, 240_000);

afterAll(() => opened.disposeAsync());

beforeEach(async () => {
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => faults.push(error.message));
});

afterEach(async () => {
  await page.close();
  expect(faults).toEqual([]);
});

/** `what`: the component to show. */
const show = (from: string, what = ""): Promise<unknown> =>
  page.goto(`${pageUrl}?server=${encodeURIComponent(from)}&show=${what}`);
const shows = (text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector("output")?.textContent === wanted, text);

describe("in Chromium", () => {
  it("a component starts a run, answers what it asks, and shows its result, across origins", async () => {
    await show(otherOrigin, "greeting");

    await page.click("#start");
    await page.click("#answer");

    await shows("Hello Ada");
  });

  it("a path alone leads to the server of the page, and a reload finds the run again", async () => {
    await show("/api", "greeting");
    await page.click("#start");
    await page.waitForSelector("#answer");
    const handlerId = await page.getAttribute("main", "data-id");

    await page.goto(`${pageUrl}?server=/api&show=greeting&id=${handlerId}`);
    await page.click("#answer");

    await shows("Hello Ada");
  });

  it("a component with an input starts one run, also when the page is loaded again", async () => {
    const id = `browser-${crypto.randomUUID()}`;
    const started: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") started.push(request.url());
    });

    await page.goto(`${pageUrl}?server=/api&show=started&id=${id}`);
    await shows("a dry joke about cats");
    await page.reload();
    await shows("a dry joke about cats");

    expect(started).toHaveLength(2); // one of each page: strict mode starts no more
    const client = createClient<typeof workflows>({ baseUrl: server.baseUrl });
    const ticks: string[] = [];
    for await (const { tick } of client.history(id)) ticks.push(tick.type);
    expect(ticks.filter((type) => type === "run.started")).toHaveLength(1);
  });

  it("values that JSON cannot hold come as themselves", async () => {
    await show(otherOrigin);

    expect(await page.evaluate("joke()")).toBe("1970-01-01T00:00:00.000Z");
  });

  it("a stream gives each event once and in order, over cut connections and a killed server", async () => {
    wire.mostBytes = 20_000; // about 150 events
    let killed = Promise.resolve();
    await page.exposeFunction("reached", (seen: number) => {
      if (seen === EVENTS / 2) killed = server.restart();
      else wire.cut();
    });
    await show(otherOrigin);

    const counted = await page.evaluate(`count(${EVENTS})`);

    await killed;
    expect(counted).toEqual({ inOrder: true, missing: 0, result: EVENTS });
    expect(wire.cuts).toBeGreaterThanOrEqual(5);
  }, 240_000);
});
