/** The job of somebody who decides: all open questions, one after the other, without leaving the page. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const inboxOf = (server: StudioServer): string => `${server.studio}#/inbox`;
const letterOf = ({ page }: Visit) => page.getByLabel("letter", { exact: true });
const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;

async function asked(server: StudioServer, workflow: string, input: Record<string, unknown>, handlerId: string) {
  await server.run(workflow, input, { handlerId });
  await server.settled(handlerId);
}

describe("the inbox", () => {
  it("has all 38 questions, the oldest first, and the next one comes by itself", { timeout: 120_000 }, async () => {
    await using server = await StudioServer.start();
    for (let index = 1; index <= 38; index++) await asked(server, "letter", {}, `l-${String(index).padStart(2, "0")}`);
    await using visit = await Visit.open(browser, inboxOf(server));
    const { page } = visit;
    await page.getByRole("heading", { name: "Inbox (38)" }).waitFor();
    const rows = page.getByRole("list", { name: /Open questions/ }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(38);
    await page.locator(".inboxpane").getByText("l-01").waitFor();
    await expect.poll(() => letterOf(visit).inputValue()).toContain("Dear Ada,");
    await visit.shoot("inbox");
    expect(await visit.hardships()).toEqual([]);

    const startedAtMs = performance.now();
    await page.keyboard.press("y");
    await page.locator(".inboxpane").getByText("l-02").waitFor();
    await page.keyboard.press("n");
    await page.locator(".inboxpane").getByText("l-03").waitFor();
    console.log(`two letters decided: 2 keys, ${seconds(startedAtMs)}`);
    expect((await server.settled("l-01")) as object).toMatchObject({
      result: { approved: true, letter: "Dear Ada,\n\nyou are right.\n\n- now\n- later" },
    });
    expect((await server.settled("l-02")) as object).toMatchObject({ result: { approved: false } });

    for (const key of ["x", "j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Say yes to 3" }).click();
    await visit.shoot("inbox-allow");
    expect(await visit.hardships()).toEqual([]);
    await page.getByRole("button", { name: "Yes to 3", exact: true }).click();
    await page.getByRole("heading", { name: "3 answered" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { name: "Inbox (33)" }).waitFor();
    await page.getByText("Answered lately").click();
    await visit.sees("through http");
    visit.expectNoFaults();
  });

  it("shows the article that a pipeline asks about, and confirms it with one key", { timeout: 60_000 }, async () => {
    await using server = await StudioServer.start();
    await asked(server, "article", { input: "water mills", session_id: "s-1" }, "ar-1");
    await using visit = await Visit.open(browser, inboxOf(server));
    const { page } = visit;
    await visit.sees("Publish the article?");
    await page
      .locator(".about")
      .getByText(/an edit|a score/)
      .first()
      .waitFor();
    await visit.shoot("inbox-pipeline");
    await page.keyboard.press("y");
    await visit.sees("That was the last one.");
    expect((await server.settled("ar-1")).status).toBe("completed");
    visit.expectNoFaults();
  });

  it("has fields for long texts, dates, lists and several of a few, filled in from the question", {
    timeout: 60_000,
  }, async () => {
    await using server = await StudioServer.start();
    await asked(server, "letter", { rich: true }, "l-1");
    await using visit = await Visit.open(browser, inboxOf(server));
    const { page } = visit;
    const letter = letterOf(visit);
    await expect.poll(() => letter.inputValue()).toContain("Dear Ada,\n\nyou are right.");
    expect(await letter.evaluate((node) => node.tagName)).toBe("TEXTAREA");
    await letter.fill("Dear Ada,\n\nyou are wrong.\n\n- now\n- later");
    await page.getByText("Changes in letter").waitFor();
    await page.locator(".edits .added").getByText("you are wrong.").waitFor();
    await page.getByLabel(/^due/).fill("2026-12-24");
    expect(await page.getByLabel("tags").inputValue()).toBe("urgent\nberlin");
    await page.getByLabel("tags").fill("urgent\nparis");
    await page.getByLabel("mail", { exact: true }).check();
    await page.getByText("Yes", { exact: true }).click();
    await visit.shoot("inbox-form");
    expect(await visit.hardships()).toEqual([]);
    await page.getByRole("button", { name: "Send answer" }).click();
    await visit.sees("That was the last one.");
    expect(await server.settled("l-1")).toMatchObject({
      result: {
        ...{ approved: true, due: "2026-12-24", tags: ["urgent", "paris"], by: ["mail"] },
        letter: "Dear Ada,\n\nyou are wrong.\n\n- now\n- later",
      },
    });
    visit.expectNoFaults();
  });

  it("says who was first, and takes out what was answered elsewhere", { timeout: 60_000 }, async () => {
    await using server = await StudioServer.start();
    await asked(server, "letter", {}, "l-1");
    await asked(server, "letter", {}, "l-2");
    await using visit = await Visit.open(browser, inboxOf(server));
    const { page } = visit;
    await page.getByRole("heading", { name: "Inbox (2)" }).waitFor();
    await server.answer("l-1", { approved: true, letter: "x" });
    await page.getByRole("heading", { name: "Inbox (1)" }).waitFor();
    await page.locator(".inboxpane").getByText("l-2").waitFor();
    visit.expectNoFaults();
  });

  it.each([
    [1280, 720, "light"],
    [1280, 720, "dark"],
    [390, 844, "light"],
    [390, 844, "dark"],
  ] as const)("is readable, %i by %i and %s", { timeout: 60_000 }, async (width, height, colours) => {
    await using server = await StudioServer.start();
    await asked(server, "letter", { rich: true }, "l-1");
    await asked(server, "article", { input: "water mills", session_id: "s-1" }, "ar-1");
    await asked(server, "refund", { order: "A-17" }, "rf-1");
    await using visit = await Visit.open(browser, inboxOf(server), { width, height, colours });
    await visit.page.getByRole("heading", { name: "Inbox (3)" }).waitFor();
    await expect.poll(() => letterOf(visit).inputValue()).toContain("Dear Ada,");
    await visit.shoot(`inbox-${width}-${colours}`);
    expect(await visit.hardships()).toEqual([]);
    await visit.page.getByRole("button", { name: /Publish the article/ }).click();
    await visit.page.locator(".about").first().waitFor();
    await visit.shoot(`inbox-article-${width}-${colours}`);
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });
});
