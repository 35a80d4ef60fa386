/** Long runs stay smooth because of what is not rendered: counted, not timed. */
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const rowsOf = (page: Page) => page.getByRole("option").count();
/** Of a list 900 px high at most, with what is kept above and below. */
const mostRows = 60;

describe("a run of a thousand ticks", () => {
  it("renders only the rows in sight, wherever the cursor is", async () => {
    const id = await server.run("count", { to: 500 });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`);
    const { page } = visit;
    await page.locator(".where b").waitFor();
    const last = Number(await page.getByRole("slider", { name: "Tick" }).getAttribute("max"));
    expect(last).toBeGreaterThan(1000);
    expect(await rowsOf(page)).toBeLessThan(mostRows);

    const numbers = page.locator(".log .r").last().locator(".n");
    expect(await numbers.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    await page.getByRole("slider", { name: "Tick" }).fill("500");
    await expect.poll(() => page.locator("#t500").getAttribute("aria-selected")).toBe("true");
    expect(await rowsOf(page)).toBeLessThan(mostRows);
    await expect.poll(() => page.locator("#t500").getAttribute("aria-setsize")).not.toBe(String(mostRows));
    await expect.poll(() => page.locator(".bar").count()).toBeLessThan(500);
    await visit.shoot("run-1000-ticks");
    visit.expectNoFaults();
  });
});

describe("a run of ten thousand ticks", () => {
  it("draws its marks into one canvas, at most one for each pixel, and no failure is lost", async () => {
    const id = await server.run("count", { to: 1 }, { handlerId: "long" });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    await page.route("**/handlers/long/history?*", answerHistory);
    await page.route("**/handlers/long/at/*", answerMoment);
    await visit.show("#/run/long/5000");
    await expect.poll(() => page.locator("#t5000").getAttribute("aria-selected")).toBe("true");
    const canvas = page.locator(".track canvas");
    const width = await canvas.evaluate((element) => element.clientWidth);

    await expect.poll(async () => Number(await canvas.getAttribute("data-marks"))).toBeGreaterThan(width / 2);
    expect(Number(await canvas.getAttribute("data-marks"))).toBeLessThanOrEqual(width);
    await expect.poll(() => page.locator(".track *").count()).toBe(2);
    expect(await rowsOf(page)).toBeLessThan(mostRows);
    expect(await redPixels(page)).toBeGreaterThan(0);
    await visit.shoot("run-10000-ticks");

    await page.keyboard.press("n");
    await expect.poll(() => page.locator(".where b").textContent()).toBe(`Tick ${"7\u2009777"}`);
    expect(await rowsOf(page)).toBeLessThan(mostRows);
    visit.expectNoFaults();
  });
});

/** Of one failure among ten thousand ticks. */
function redPixels(page: Page): Promise<number> {
  return page.locator(".track canvas").evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]];
      if (alpha > 0 && red > 150 && green < 100 && blue < 100) count++;
    }
    return count;
  });
}

const ticks = 10_000;
const failedAt = 7777;

/** Ten thousand ticks without the minute that they would take. */
function answerHistory(route: Route): Promise<void> {
  const { searchParams } = new URL(route.request().url());
  if (searchParams.get("sse") === "true") {
    return route.fulfill({ contentType: "text/event-stream", body: "event: end\ndata: {}\n\n" });
  }
  const after = Number(searchParams.get("after"));
  const limit = Number(searchParams.get("limit"));
  const count = Math.min(limit, ticks - after);
  const entries = Array.from({ length: count }, (_, index) => entryOf(after + index + 1));
  const next = after + count < ticks ? after + count : null;
  return route.fulfill({ json: { entries, next } });
}

function answerMoment(route: Route): Promise<void> {
  const number = Number(new URL(route.request().url()).pathname.split("/").at(-1));
  return route.fulfill({
    json: { ...entryOf(number), status: "completed", state: { at: number }, steps: [], prompts: [] },
  });
}

function entryOf(number: number): object {
  const at = new Date(Date.UTC(2026, 0, 5) + number).toISOString();
  const of = { number, at, run_id: "long", step: "add", item: 2, attempt: 1, changes: [] };
  if (number !== failedAt) return { ...of, tick: { type: "effect.recorded", call: "run=x", value: null } };
  return { ...of, tick: { type: "step.failed", error: { name: "Error", message: "no" }, retryAtMs: 1 } };
}
