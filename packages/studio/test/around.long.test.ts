/** What is around every page: going somewhere by name, the server that is away, and panes that are moved. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { badge, textOf } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;
let id: string;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
  id = await server.run("refund", { order: "C-1", euros: 10 }, { handlerId: "refund-77" });
  await server.settled(id);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

it("goes to a run, a workflow or a page by its name", async () => {
  await using visit = await Visit.open(browser, server.studio, { width: 1280, height: 720 });
  const { page } = visit;
  await visit.sees("refund-77");
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "A run, a workflow or a page" });
  await field.fill("refund-7");
  await page.getByRole("dialog").getByRole("option").filter({ hasText: "refund-77" }).waitFor();
  expect(await visit.hardships()).toEqual([]);
  await visit.shoot("palette");
  await field.press("Enter");
  await textOf(badge(page)).toContain("Waiting");

  await page.keyboard.press("Control+k");
  await field.fill("fail");
  await field.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Failures" }).waitFor();
  await page.keyboard.press("Control+k");
  await field.fill("dig");
  await page.getByRole("dialog").getByRole("option").filter({ hasText: "digest" }).first().click();

  await expect.poll(() => page.url()).toContain("#/workflow/digest");
  visit.expectNoFaults();
});

it("has the focus in the page after Back, so that Tab continues there", async () => {
  await using visit = await Visit.open(browser, `${server.studio}#/runs`, { width: 1280, height: 720 });
  const { page } = visit;
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await page.getByRole("link", { name: id, exact: true }).click();
  await page.locator(".transport").waitFor();
  await expect.poll(focused).toBe("main");
  await page.goBack();
  await page.getByRole("link", { name: id, exact: true }).waitFor();
  await expect.poll(focused).toBe("main");
  await page.keyboard.press("Tab");

  expect(await page.evaluate(() => document.activeElement?.closest("#main") !== null)).toBe(true);
  visit.expectNoFaults();
});

it("keeps the place of a border over a reload, and gives it back", async () => {
  await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, { width: 1280, height: 720 });
  const { page } = visit;
  const border = page.getByRole("separator", { name: "Width of the log" });
  const widthOf = async () => Math.round((await page.locator(".rightcol").boundingBox())?.width ?? 0);
  await expect.poll(widthOf).toBe(416);
  const box = await border.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 3, 400);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) - 117, 400, { steps: 4 });
  await page.mouse.up();

  await expect.poll(widthOf).toBe(536);
  await page.reload();
  await expect.poll(widthOf).toBe(536);
  await border.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(widthOf).toBe(512);
  expect(await visit.hardships()).toEqual([]);
  await visit.shoot("panes-moved");
  await page.keyboard.press("Home");
  await expect.poll(widthOf).toBe(416);
  visit.expectNoFaults();
});

it("says on the page of a run that the server is away, keeps an answer, and sends it once the server is back", async () => {
  await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, { width: 1280, height: 720 });
  await textOf(badge(visit.page)).toContain("Waiting");
  await visit.page.getByRole("button", { name: "Send RefundDecision" }).waitFor();
  await server.kill();

  await visit.sees("The server has not answered since");
  await visit.shoot("server-away");
  await visit.page.locator("#ask").getByText("Yes", { exact: true }).click();
  await visit.page.getByLabel("by", { exact: true }).fill("Ada");
  await visit.page.getByRole("button", { name: "Send RefundDecision" }).click();
  await visit.sees("The answer is sent once it is back.");
  await visit.shoot("answer-kept");
  await server.restart();
  await visit.page.getByText("The server has not answered since").waitFor({ state: "detached", timeout: 30_000 });
  await expect.poll(() => badge(visit.page).textContent(), { timeout: 30_000 }).toBe("Completed");
  expect(await server.settled(id)).toMatchObject({ result: { refunded: true } });
});
