/** Queues, schedules and workers: what an operator sees, and does. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { type Colours, Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start(["operated"])]);
  await server.gate("close", "digest");
  for (let index = 0; index < 14; index++)
    await server.run("digest", { files: 1 }, { handlerId: `mail-${index}`, queue: "mail" });
  await server.gate("close", "spend");
  await server.run("spend", { calls: 5 }, { handlerId: "spends" });
  for (const key of ["acme", "acme", "acme", "globex", "initech"])
    await server.run("digest", { files: 1 }, { queue: "llm", queueKey: key });
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const sizes = [
  [1280, 720],
  [1440, 900],
  [390, 844],
] as const;

describe("the pages of operators", () => {
  for (const [width, height] of sizes)
    for (const colours of ["light", "dark"] satisfies Colours[])
      it(`are readable, ${width} wide and ${colours}`, { timeout: 120_000 }, async () => {
        await using visit = await Visit.open(browser, server.studio, { width, height, colours });
        const look = async (name: string): Promise<void> => {
          await visit.shoot(`${name}-${width}-${colours}`);
          expect(await visit.hardships(), name).toEqual([]);
          expect(await visit.isWide(), `${name} is wider than the screen`).toBe(false);
        };
        await visit.show("#/queues");
        await visit.main.getByText("acme").first().waitFor();
        await look("queues");
        await visit.main.getByRole("button", { name: "Change limits" }).first().click();
        await visit.page.getByRole("dialog").waitFor();
        await look("queues-limits");
        await visit.page.keyboard.press("Escape");
        await visit.show("#/schedules");
        await visit.main.getByRole("button", { name: "nightly" }).click();
        await visit.main.getByText("Next 5").waitFor();
        const calendar = visit.main.getByRole("region", { name: "Calendar" });
        await calendar.getByText("often").first().waitFor();
        await calendar.scrollIntoViewIfNeeded();
        await look("schedules-calendar");
        await look("schedules");
        await visit.main.getByRole("button", { name: "Edit" }).click();
        await visit.page.getByRole("dialog").waitFor();
        await look("schedules-edit");
        await visit.page.keyboard.press("Escape");
        await visit.show("#/workers");
        await visit.main.getByText("Alive").first().waitFor();
        await look("workers");
        await visit.show("#/run/mail-9");
        await visit.main.getByText("in line of").first().waitFor();
        await look("queued-run");
        await visit.show("#/budgets");
        await visit.main.getByText("$0.40 of $2.00").waitFor();
        await look("budgets");
        await visit.show("#/run/spends");
        await visit.main.getByText("$0.40 of $0.50").waitFor();
        await look("run-budget");
        await visit.show("#/runs/status:queued");
        await visit.main.getByText("waits for its turn in mail").first().waitFor();
        await look("queued-runs");
        visit.expectNoFaults();
      });
});

describe("an operator", () => {
  it("sees which run is queued, and where it stands", async () => {
    await using visit = await Visit.open(browser, server.studio);

    await visit.show("#/run/mail-12");
    await visit.main.getByText("Queued").first().waitFor();
    await visit.main.getByText("12th in line of 13").waitFor();
    await expect.poll(() => visit.main.getByText("Nothing has happened yet.").count()).toBe(2);
    expect(await visit.main.getByRole("button", { name: /^Fork/ }).count()).toBe(0);
    expect(await visit.main.getByTitle("Spent by this run with its children").count()).toBe(0);
    await visit.show("#/run/mail-0");
    await visit.main.getByText("Running").first().waitFor();
    visit.expectNoFaults();
  });

  it("sees what a run and its tenant have spent, while they spend it", async () => {
    await server.gate("close", "spend");
    await server.run("spend", { calls: 1 }, { handlerId: "spends-now" });
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/run/spends-now");
    const budget = visit.main.getByTitle("Spent by this run with its children");
    await expect
      .poll(() => budget.textContent())
      .toMatch(/^Budget\$0.08 of \$0.50 \+ \$0.02 at work · 1.200 tokens · 1 of 40 calls \+ 1 at work$/);
    await server.gate("open", "spend");
    await expect.poll(() => budget.textContent(), { timeout: 20_000 }).toMatch(/^Budget\$0.10 of \$0.50 · /);

    await visit.page.getByRole("navigation").getByRole("link", { name: "Budgets" }).click();
    const row = visit.main.getByRole("row").filter({ hasText: "no tenant" });
    await row.getByText("$0.52 of $2.00").waitFor();
    await visit.main.getByLabel("Day").fill("2026-01-01");
    await visit.sees("No tenant has spent anything on 2026-01-01.");
    visit.expectNoFaults();
  });

  it("pauses a queue, changes its limits, and resumes it", { timeout: 120_000 }, async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/queues");
    const mail = visit.main.getByRole("region", { name: "mail" });
    await mail.getByRole("button", { name: "Pause" }).click();
    await mail.getByText("Paused").waitFor();
    await mail.getByRole("button", { name: "Change limits" }).click();
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByLabel("Runs with a place at the same time").fill("0");
    await dialog.getByText("a whole number from 1").waitFor();
    expect(await dialog.getByRole("button", { name: "Change" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Runs with a place at the same time").fill("3");
    await dialog.getByRole("button", { name: "Change" }).click();
    await mail.getByText("(configured: 1 at once)").waitFor();
    await mail.getByText("1 of 3").waitFor();
    // A restart keeps both.
    await server.restart();
    await server.gate("close", "digest");
    await visit.page.reload();
    await mail.getByText("Paused").waitFor();
    await mail.getByText("3 at once").waitFor();
    await mail.getByRole("button", { name: "Resume" }).click();
    await mail.getByText("3 of 3").waitFor();
    await mail.getByRole("button", { name: "Reset limits" }).click();
    await mail.getByText("(configured").waitFor({ state: "detached" });
    visit.expectNoFaults();
  });

  it("edits, resets, pauses and starts a schedule", { timeout: 120_000 }, async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/schedules");
    await visit.main.getByRole("button", { name: "nightly" }).click();
    await visit.main.getByRole("button", { name: "Edit" }).click();
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByLabel("Cron").fill("often");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("OPTION_INVALID").waitFor();
    await dialog.getByLabel("Cron").fill("0 5 * * *");
    await dialog.getByRole("button", { name: "Save" }).click();
    await visit.main.getByText("(the code says 0 3 * * *)").waitFor();
    await visit.main.getByText("Edited", { exact: true }).first().waitFor();
    await visit.main.getByRole("button", { name: "Reset edits" }).click();
    await visit.main.getByText("(the code says 0 3 * * *)").waitFor({ state: "detached" });
    await visit.main.getByRole("button", { name: "Pause" }).click();
    await visit.main.getByText("Paused").first().waitFor();
    const calendar = visit.main.getByRole("region", { name: "Calendar" });
    const rows = calendar.getByRole("listitem").filter({ hasText: "nightly" });
    await calendar.getByText("Paused").first().waitFor();
    const week = await rows.filter({ hasText: "Paused" }).count();
    expect(week).toBeGreaterThanOrEqual(6);
    await calendar.getByText(/\d×/).first().waitFor();
    await calendar.getByRole("button", { name: "30 days" }).click();
    await expect.poll(() => rows.filter({ hasText: "Paused" }).count()).toBeGreaterThan(week + 20);
    await visit.main.getByRole("button", { name: "Start now" }).click();
    await visit.main
      .getByText(/^nightly@now-/)
      .first()
      .waitFor();
    await visit.show("#/audit");
    visit.expectNoFaults();
  });

  it("is told of a worker that died", { timeout: 120_000 }, async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/workers");
    const row = visit.main.getByRole("row").filter({ hasText: "Alive" }).first();
    await row.getByText("1.5.0").waitFor();
    await server.restart();
    await visit.main.getByText("Gone").first().waitFor();
    await visit.main.getByText("Alive").first().waitFor();
  });
});

describe("the navigation beside a run", () => {
  it("has one badge with the number of open questions", async () => {
    for (const order of ["A-1", "A-2", "A-3"]) await server.run("refund", { order }, { handlerId: `asks-${order}` });
    for (const order of ["A-1", "A-2", "A-3"]) await server.settled(`asks-${order}`);
    await using visit = await Visit.open(browser, `${server.studio}#/run/asks-A-1`, { width: 1280, height: 720 });
    const badge = visit.page.getByRole("link", { name: /^\d+ questions are open$/ });
    await badge.filter({ visible: true }).first().waitFor();

    expect(await badge.filter({ visible: true }).count()).toBe(1);
    await visit.shoot("rail-badge");
    expect(await visit.hardships()).toEqual([]);
  });
});
