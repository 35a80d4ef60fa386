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

it("shows the input and the output of a call, and a model call as a chat and as request and response", async () => {
  const id = await server.run("clerk");
  await server.settled(id);
  await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, { width: 1440, colours: "light" });
  const { page } = visit;
  const pane = page.locator(".p-state");
  await node(page, "answer").click();
  const calls = pane.getByRole("region", { name: "Calls" });
  await expect.poll(() => calls.getByRole("button").allTextContents()).toHaveLength(3);
  await visit.shoot("calls-of-a-step");

  await calls.getByRole("button", { name: /findOrder/ }).click();
  await textOf(pane.getByRole("region", { name: "Input" })).toContain("A-17");
  await textOf(pane.getByRole("region", { name: "Output" })).toContain("80");
  await pane.getByRole("button", { name: "‹ answer" }).click();

  await calls
    .getByRole("button", { name: /mock\/small/ })
    .last()
    .click();
  const chat = pane.getByRole("region", { name: "Chat" });
  await expect.poll(() => chat.locator(".bubble").count()).toBe(5);
  await textOf(chat).toContain("If a customer is angry, pay back double.");
  await textOf(pane.locator(".callfacts")).toContain("380 ms");
  await visit.shoot("model-call-chat");
  expect(await visit.hardships()).toEqual([]);
  await pane.getByRole("button", { name: "Request and response" }).click();
  await textOf(pane.getByRole("region", { name: "Instructions" })).toContain("pay back double");
  await textOf(pane.getByRole("region", { name: "Tools" })).toContain("Finds an order by its number.");
  await textOf(pane.getByRole("region", { name: "Settings" })).toContain("0.2");
  await visit.shoot("model-call-request");
  expect(await visit.hardships()).toEqual([]);

  await page.locator(".lane .bar.call").last().click();
  await pane.getByRole("region", { name: "Data of a call" }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("tab", { name: "Data" }).click();
  await visit.shoot("model-call-390");
  expect(await visit.isWide()).toBe(false);
  visit.expectNoFaults();
});

it("compares two runs: the last good one or a pasted id, the deepest place, and texts of models side by side", async () => {
  const first = await server.run("clerk", { input: "What does A-17 cost?" });
  const second = await server.run("clerk", { input: "Where is A-17?" });
  await Promise.all([server.settled(first), server.settled(second)]);
  await using visit = await Visit.open(browser, `${server.studio}#/run/${first}`, { width: 1440, colours: "dark" });
  const { page } = visit;
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("dialog").getByText("the last completed run of clerk").waitFor();
  await page.getByLabel("Id of another run").fill(second);
  await visit.shoot("compare-dialog");
  expect(await visit.hardships()).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Compare" }).click();

  await textOf(page.locator(".firstdiff")).toContain('input is "Where is A-17?" in A and "What does A-17 cost?" in B');
  const differing = page.locator(".modelpair").first();
  await textOf(differing.getByRole("region", { name: "Messages" })).toContain("user: Where is A-17?");
  expect(await differing.getByRole("region", { name: "Instructions" }).count()).toBe(0);
  await visit.shoot("compare-models-dark");
  expect(await visit.hardships()).toEqual([]);
  visit.expectNoFaults();
});

it("asks a model again with another request, several times, and compares what comes of it", async () => {
  const id = await server.run("clerk", { input: "How much?" }, { handlerId: "clerk-again" });
  await server.settled(id);
  await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, {
    width: 1280,
    height: 720,
    colours: "light",
  });
  const { page } = visit;
  await node(page, "answer").click();
  const calls = page.locator(".p-state").getByRole("region", { name: "Calls" });
  await calls
    .getByRole("button", { name: /mock\/small/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Ask again" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Instructions").fill("Never pay back double.");
  await dialog.getByLabel("Settings").fill("{");
  await textOf(dialog).toContain("Not an object of JSON.");
  expect(await dialog.getByRole("button", { name: "Ask again" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Settings").fill('{ "temperature": 0.9 }');
  await dialog.getByLabel("Runs").fill("3");
  await visit.shoot("ask-again-1280-light");
  expect(await visit.hardships()).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await dialog.getByLabel("Instructions").scrollIntoViewIfNeeded();
  await visit.shoot("ask-again-390-dark");
  expect(await visit.hardships()).toEqual([]);
  expect(await visit.isWide()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme: "light" });
  await dialog.getByRole("button", { name: "Ask 3 times" }).click();

  const rows = page.getByRole("table").first().locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(3);
  await expect
    .poll(() => rows.allTextContents())
    .toSatisfy((texts: string[]) => texts.every((text) => /differs/.test(text)));
  await visit.sees("Model calls that differ");
  const models = page.locator(".modelpair").first();
  await textOf(models).toContain("Never pay back double.");
  await visit.shoot("asked-again-1280-light");
  expect(await visit.hardships()).toEqual([]);
  await rows.nth(1).getByRole("link").click();
  await expect.poll(() => rows.nth(1).getAttribute("class")).toBe("chosen");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await visit.shoot("asked-again-390-dark");
  expect(await visit.isWide()).toBe(false);
  expect(await visit.hardships()).toEqual([]);
  await visit.show(`#/run/${id}`);
  await page.getByRole("tab", { name: "Data" }).click();
  visit.expectNoFaults();
});
