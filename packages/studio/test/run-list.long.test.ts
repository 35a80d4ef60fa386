/** The list of runs, of which only the rows in sight are drawn: keys, places and the focus in it. */
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { copyRun } from "./support/many-runs.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function withRuns(copies: number): Promise<StudioServer> {
  const server = await StudioServer.start();
  await server.settled(await server.run("count", { to: 1 }, { handlerId: "one" }));
  await server.kill();
  copyRun(server.file, "one", copies);
  await server.restart();
  return server;
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await page.keyboard.press(key);
}

/** Which run the keyboard is at, which one has the focus, and which parts of the window the row has. */
const activeRow = (page: Page) =>
  page.evaluate(() => {
    const row = document.querySelector<HTMLElement>("tr.on");
    const { top = -1, bottom = -1 } = row?.getBoundingClientRect() ?? {};
    const bar = document.querySelector(".pick")?.getBoundingClientRect().top ?? innerHeight;
    return {
      run: row?.dataset["run"],
      focused: document.activeElement?.closest<HTMLElement>("tr")?.dataset["run"],
      isInSight: top > -1 && bottom < bar + 1, // a page is scrolled by whole pixels, and a row is not one of them
    };
  });

const top = (page: Page) => page.evaluate(() => Math.round(scrollY));

describe("the keyboard in the list of runs", () => {
  // cozy/cozy-emails#235: the line that was selected was not the mail that was opened.
  it("stays at its run while new ones come above it", async () => {
    await using server = await withRuns(50);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    await page.locator("tr[data-run]").first().waitFor();
    await press(page, "j", 2);
    await server.settled(await server.run("count", { to: 1 }, { handlerId: "fresh" }));
    await page.getByRole("link", { name: "fresh", exact: true }).waitFor();

    expect(await activeRow(page)).toEqual({ run: "bulk-1", focused: "bulk-1", isInSight: true });
    await page.keyboard.press("x");
    await page.getByRole("checkbox", { name: "Select bulk-1", exact: true, checked: true }).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    expect(await activeRow(page)).toEqual({ run: "fresh", focused: "fresh", isInSight: true });
    visit.expectNoFaults();
  });

  // popcorntime/popcorntime#1790, desktop/desktop#15641: the selected item was below the window, or lost the focus out of sight.
  it("brings each row into sight whole, above the bar of what is selected, from however far away", async () => {
    await using server = await withRuns(300);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    await page.locator("tr[data-run]").first().waitFor();
    await press(page, "j", 40);
    expect(await activeRow(page)).toEqual({ run: "bulk-39", focused: "bulk-39", isInSight: true });
    await page.keyboard.press("x");
    await press(page, "j", 20);
    expect(await activeRow(page)).toEqual({ run: "bulk-59", focused: "bulk-59", isInSight: true });

    await visit.scroll("end");
    await page.locator("tr.on").waitFor({ state: "detached" });
    await press(page, "k", 30);
    await expect.poll(() => activeRow(page)).toEqual({ run: "bulk-29", focused: "bulk-29", isInSight: true });
    visit.expectNoFaults();
  });

  // KingSora/OverlayScrollbars#742: a list jumped when its focused item left the page.
  it.each(["j", "click"])("leaves the page where it is scrolled to, after %s", async (how) => {
    await using server = await withRuns(300);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    await page.locator("tr[data-run]").first().waitFor();
    if (how === "j") await page.keyboard.press("j");
    else await page.getByRole("checkbox", { name: "Select bulk-2", exact: true }).click();

    await visit.scroll(1_500);
    await page.getByRole("link", { name: "bulk-40", exact: true }).waitFor();
    await page.waitForTimeout(300); // rows are drawn and measured; the list has to stay where it is
    expect(await top(page)).toBe(1_500);
    visit.expectNoFaults();
  });
});

describe("the place in the list of runs", () => {
  // inokawa/virtua#231, TanStack/virtual#551: nothing was shown after Back, or another part of the list.
  it.each([0, 12])(
    "is the end of the list, where only %i of its runs are left when a person comes back",
    async (left) => {
      await using server = await withRuns(300);
      await using visit = await Visit.open(browser, `${server.studio}#/runs`);
      const { page } = visit;
      await page.locator("tr[data-run]").first().waitFor();
      for (let down = 1; (await top(page)) < 8_000 && down < 60; down++) {
        await visit.scroll("end");
        await page.waitForTimeout(150);
      }
      await visit.show("#/workflows");
      await page.getByRole("heading", { name: "Workflows" }).waitFor();
      await server.kill();
      keepOldest(server.file, left);
      await server.restart();
      await page.goBack();

      if (left === 0) await page.getByRole("heading", { name: "No run yet" }).waitFor();
      else await page.getByRole("link", { name: "bulk-300", exact: true }).waitFor();
      await server.settled(await server.run("count", { to: 1 }, { handlerId: "later" }));
      await page.getByRole("link", { name: "later", exact: true }).waitFor();
      await expect.poll(() => page.locator("tr[data-run]").count()).toBe(left + 1);
      await press(page, "j", 1);
      expect(await activeRow(page)).toEqual({ run: "later", focused: "later", isInSight: true });
    },
  );
});

function keepOldest(file: string, count: number): void {
  using database = new DatabaseSync(file);
  database.prepare("DELETE FROM runs WHERE id NOT IN (SELECT id FROM runs ORDER BY created_at LIMIT ?)").run(count);
  for (const table of ["starts", "labels", "ticks", "events", "snapshots"])
    database.exec(`DELETE FROM ${table} WHERE run NOT IN (SELECT id FROM runs)`);
}
