/** Calls of a step on the page of its run: their labels in the graph, and their keys as a tree in the timeline. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { node, textOf } from "./support/run-page.js";
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

it("shows what a step does while it does it, and its keys as a tree once it is selected", async () => {
  await server.gate("close", "mail");
  const id = await server.run("checkout", {}, { handlerId: "ck-1" });
  await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, { width: 1440, colours: "light" });
  const { page } = visit;

  const labels = node(page, "pay").locator(".calls");
  await textOf(labels).toBe("● Write a mail · Charge the card · Add it up");
  const lanes = page.locator(".lane-l .cut");
  expect(await lanes.allTextContents()).toEqual(["pay"]);
  await node(page, "pay").click();
  await expect
    .poll(() => lanes.allTextContents())
    .toEqual(["pay", "Add it up", "bank", "Charge the card", "receipt", "print", "Write a mail"]);
  await visit.shoot("run-calls-1440-light");
  expect(await visit.hardships()).toEqual([]);

  await server.gate("open", "mail");
  await textOf(labels).toBe("Write a mail · Charge the card · Add it up");
  await page.getByRole("button", { name: "pay", exact: false }).first().click();
  visit.expectNoFaults();
});
