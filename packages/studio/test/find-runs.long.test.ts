/** Runs that are found by their input and version, and addresses that survive a reload and Back. */
import type { Browser } from "playwright-core";
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

async function withOrders(server: StudioServer): Promise<void> {
  for (const [handlerId, order] of [
    ["claim-1", "A-733333"],
    ["claim-2", "A-733334"],
  ] as const)
    await server.settled(await server.run("refund", { order, euros: 90 }, { handlerId, labels: { team: "berlin" } }));
}

describe("the query bar", () => {
  it("finds a run by its input, also one that begins while it is shown, and by a version", async () => {
    await using server = await StudioServer.start();
    await withOrders(server);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    const bar = page.getByLabel("Search runs");
    const rows = page.locator("tr[data-run]");
    const ids = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset["run"]));
    await expect.poll(ids).toEqual(["claim-2", "claim-1"]);

    await bar.fill("input.order=A-733333");
    await expect.poll(ids).toEqual(["claim-1"]);
    expect(decodeURIComponent(page.url())).toContain("input.order=A-733333");
    await server.run("refund", { order: "A-9", euros: 90 }, { handlerId: "other" });
    await server.run("refund", { order: "A-733333", euros: 80 }, { handlerId: "again" });
    await expect.poll(ids).toEqual(["again", "claim-1"]);
    await visit.shoot("find-input");
    await page.reload();
    await expect.poll(ids).toEqual(["again", "claim-1"]);

    await bar.fill("version:1.4.0");
    await page.getByText("No run matches.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByTitle("Only runs with version 1.5.0").first().click();
    await expect.poll(() => bar.inputValue()).toBe("version:1.5.0");
    await page.getByTitle("Only runs with refund").first().click();
    await page.getByTitle("Only runs with waiting").first().click();
    await expect.poll(() => bar.inputValue()).toBe("status:waiting workflow:refund version:1.5.0");
    await expect.poll(() => rows.count()).toBe(4);
    visit.expectNoFaults();
  });

  // elastic/kibana#4146, influxdata/ui#844, d2iq-archive/marathon#2691: Back has to clear a filter, and to restore one.
  it("takes what is clicked on the page of a run, and Back leads to each list as it was", async () => {
    await using server = await StudioServer.start();
    await withOrders(server);
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    const bar = page.getByLabel("Search runs");
    await page.locator("a.id").getByText("claim-1").click();
    await page.locator(".transport").waitFor();
    await page.getByTitle("Only runs with version 1.5.0").click();
    await expect.poll(() => bar.inputValue()).toBe("version:1.5.0");
    await page.locator("a.id").getByText("claim-1").click();
    await page.locator(".transport").waitFor();
    await page.getByTitle("Only runs with team=berlin").click();
    await expect.poll(() => bar.inputValue()).toBe("version:1.5.0 label.team=berlin");

    for (const filter of ["version:1.5.0", ""]) {
      await page.goBack();
      await page.locator(".transport").waitFor();
      await page.goBack();
      await expect.poll(() => bar.inputValue()).toBe(filter);
    }
    visit.expectNoFaults();
  });
});

describe("an address", () => {
  it("has the place in a long list, over Back and a reload", async () => {
    await using server = await StudioServer.start();
    await server.settled(await server.run("count", { to: 1 }, { handlerId: "one" }));
    await server.kill();
    copyRun(server.file, "one", 3_000);
    await server.restart();
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    const top = () => page.evaluate(() => Math.round(scrollY));
    const rows = page.locator("tr[data-run]");
    await rows.first().waitFor();
    for (let down = 1; (await top()) < 25_000 && down < 60; down++) {
      await visit.scroll("end");
      await page.waitForTimeout(150);
    }
    for (const place of [1_000, 2_203, 22_852, 24_000, 25_148]) {
      await visit.scroll(place);
      await page.waitForTimeout(300); // rows are drawn and measured; the list has to stay where it is
      expect(await top()).toBe(place);
    }
    const link = rows.nth(20).locator("a.id");
    const id = (await link.textContent()) ?? "";

    await link.click();
    await page.getByRole("heading", { name: id }).waitFor(); // a copy has no history
    await page.goBack();
    await expect.poll(top).toBe(25_148);
    await page.getByRole("link", { name: id, exact: true }).waitFor();
    await page.reload();
    await expect.poll(top).toBe(25_148);
    await page.getByRole("link", { name: id, exact: true }).waitFor();

    await page.getByLabel("Search runs").fill("status:failed");
    await expect.poll(top).toBe(0);
    await page.getByRole("link", { name: "bulk-100", exact: true }).waitFor();
    visit.expectNoFaults();
  });

  it("has the chosen step and the shown pane of a run, over a reload and Back", async () => {
    await using server = await StudioServer.start();
    await withOrders(server);
    await using visit = await Visit.open(browser, `${server.studio}#/run/claim-1`);
    const { page } = visit;
    await page.locator(".transport").waitFor();
    await page.locator(".p-graph").getByText("check", { exact: true }).first().click();
    await expect.poll(() => page.url()).toContain("?step=check&shown=data");
    await visit.shoot("step-in-address");
    expect(await visit.hardships()).toEqual([]);
    await page.reload();
    await page.locator(".transport").waitFor();
    await expect.poll(() => page.url()).toContain("?step=check&shown=data");
    await page.locator(".p-state").getByText("A-733333").first().waitFor();

    await visit.show("#/workflows");
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    expect(page.url()).not.toContain("step=");
    await page.goBack();
    await page.locator(".transport").waitFor();
    await expect.poll(() => page.url()).toContain("?step=check&shown=data");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.url()).not.toContain("step=");
    visit.expectNoFaults();
  });

  it("has the pane that a phone shows", async () => {
    await using server = await StudioServer.start();
    await withOrders(server);
    await using visit = await Visit.open(browser, `${server.studio}#/run/claim-1`, { width: 390, height: 844 });
    const { page } = visit;
    await page.getByRole("tab", { name: "Log" }).click();
    await expect.poll(() => page.url()).toContain("tab=log");
    await page.reload();
    await expect.poll(() => page.getByRole("tab", { name: "Log" }).getAttribute("aria-selected")).toBe("true");
    visit.expectNoFaults();
  });
});

it.each([
  ["laptop", { width: 1280, height: 720 }],
  ["phone", { width: 390, height: 844 }],
] as const)("looks right on a %s, in both colours", async (name, size) => {
  await using server = await StudioServer.start();
  await withOrders(server);
  for (const colours of ["light", "dark"] as const) {
    await using visit = await Visit.open(browser, `${server.studio}#/runs/version%3A1.5.0`, { ...size, colours });
    await visit.page.locator("tr[data-run]").first().waitFor();
    await visit.shoot(`find-runs-${name}-${colours}`);
    expect(await visit.hardships()).toEqual([]);
    expect(await visit.isWide()).toBe(false);
    await visit.show("#/run/claim-1");
    await visit.page.locator(".transport").waitFor();
    await visit.shoot(`find-run-${name}-${colours}`);
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  }
});
