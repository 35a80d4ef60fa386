/** What the page of a run asks of the server, and when: a tab in the background, an answer that never comes. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { badge, row, textOf } from "./support/run-page.js";
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

async function open(id: string): Promise<Visit> {
  const visit = await Visit.open(browser, `${server.studio}#/run/${id}`);
  await visit.page.locator(".transport").waitFor();
  return visit;
}

describe("a tab that nobody looks at", () => {
  it("follows nothing, and has all that happened meanwhile once somebody looks", async () => {
    const id = await server.run("refund", { order: "H-1", euros: 5 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    const streams = new Set<string>();
    const isStream = (url: string): boolean => new URL(url).searchParams.get("sse") === "true";
    page.on("request", (request) => isStream(request.url()) && streams.add(request.url()));
    page.on("requestfinished", (request) => streams.delete(request.url()));
    page.on("requestfailed", (request) => streams.delete(request.url()));
    const look = (state: "visible" | "hidden") =>
      page.evaluate((shown) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => shown });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await page.clock.install();
    await page.reload();
    await textOf(badge(page)).toBe("Waiting");
    await expect.poll(() => streams.size).toBe(2);

    await look("hidden");
    await page.clock.fastForward("01:00");
    await expect.poll(() => streams.size).toBe(0);
    await server.answer(id, { approved: true, by: "Ada" });
    await server.settled(id);
    expect(await badge(page).textContent()).toBe("Waiting");

    await look("visible");
    await textOf(badge(page)).toBe("Completed");
    await row(page, "pay completed").waitFor();
    visit.expectNoFaults();
  });
});

describe("a request that nobody answers", () => {
  it("is given up after a minute, and asked again", async () => {
    const id = await server.run("refund", { order: "U-1", euros: 5 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await page.clock.install();
    await page.reload();
    await textOf(badge(page)).toBe("Waiting");
    let held = 0;
    let isHeld = true;
    await page.route(`**/handlers/${id}`, (route) => {
      if (!isHeld) return route.continue();
      held++;
    });
    await server.answer(id, { approved: true, by: "Ada" });
    await row(page, "pay completed").waitFor();
    await expect.poll(() => held).toBe(1);
    expect(await badge(page).textContent()).toBe("Waiting");

    isHeld = false;
    await page.clock.fastForward("01:00");
    await page.clock.fastForward("00:10");

    await textOf(badge(page)).toBe("Completed");
    expect(held).toBe(1);
    visit.expectNoFaults();
  });
});
