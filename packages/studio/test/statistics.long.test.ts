/** The jobs of an operator that statistics are for, in a browser: which step is slow, what fails and since when, which runs those are. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { writeEnded } from "./support/many-ended.js";
import { copyRun } from "./support/many-runs.js";
import { StudioServer } from "./support/server-process.js";
import { type Colours, Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
  await server.run("count", { to: 2 }, { handlerId: "first", labels: { team: "content" } });
  await server.run("import", {}, { handlerId: "failed-1" });
  await server.run("import", {}, { handlerId: "failed-2" });
  const ended = async (status: "completed" | "failed") => (await server.client.runs({ status })).runs.length;
  await vi.waitFor(async () => expect([await ended("completed"), await ended("failed")]).toEqual([1, 2]), 20_000);
  await server.kill();
  copyRun(server.file, "first", 50_000);
  await writeEnded(server.file, 50_000);
  await server.restart();
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

describe("over 50,000 runs", () => {
  it("the slow step is seen on the graph and in the table of the workflow", async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/workflows");
    await visit.sees("failed, 24 h");
    await visit.show("#/workflow/import");
    const step = visit.main
      .getByRole("button", { name: /validate/ })
      .or(visit.main.locator(".node", { hasText: "validate" }));
    await expect.poll(() => step.first().getAttribute("title")).toMatch(/attempts, .* failed, half took at most/);
    const rows = visit.main.getByRole("table", { name: "By step" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(3);
    await visit.main.getByRole("table", { name: "By version" }).getByText("1.6.0").waitFor();
    const charts = visit.main.locator(".overtime figure");
    await expect.poll(() => charts.locator(".timemark").allTextContents()).toEqual(["1.6.0", "1.6.0"]);
    await expect.poll(() => charts.first().getByRole("img").getAttribute("aria-label")).toMatch(/; 1\.6\.0 from /);
    await visit.main.getByRole("button", { name: "7 days" }).click();
    await visit.main.getByText("Runs ended", { exact: true }).waitFor();
    visit.expectNoFaults();
  });

  it("the red number of a step lists the runs that failed at it", async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/workflow/import");
    const failed = visit.main.getByTitle("Lists the runs that failed at this step");
    await expect.poll(() => failed.count()).toBe(2);
    const hrefs = await Promise.all((await failed.all()).map((one) => one.getAttribute("href")));
    expect(hrefs.map((href) => decodeURIComponent(href ?? "")).sort()).toEqual([
      "#/runs/workflow:import step:read after:24h",
      "#/runs/workflow:import step:validate after:24h",
    ]);
    await failed.nth(hrefs.findIndex((href) => href?.includes("validate"))).click();
    const runs = visit.page.locator("tr[data-run]");
    await expect.poll(() => runs.count()).toBe(2);
    await visit.sees("failed-1");
    await visit.sees("failed-2");

    await visit.page.getByLabel("Search runs").fill("step:read");
    await visit.page.getByText("failed-1").waitFor({ state: "detached" });
    await expect.poll(() => runs.count()).toBe(0);
    visit.expectNoFaults();
  });

  it("failures are grouped, and lead to their runs in one click", async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/failures");
    const groups = visit.main.locator(".failures li");
    await expect.poll(() => groups.count()).toBe(3);
    await visit.sees("1.6.0");
    await groups.filter({ hasText: "import › validate" }).last().locator("a.message").click();
    const own = (await server.client.failures()).groups.find(({ count }) => count === 2);
    await visit.show(`#/runs/error%3A${own?.id}`);
    await visit.sees("failed-1");
    await visit.sees("failed-2");
    expect(await visit.page.locator("tr[data-run]").count()).toBe(2);
    expect(await visit.page.getByLabel("Search runs").inputValue()).toBe(`error:${own?.id}`);
    visit.expectNoFaults();
  });

  it("a part of the time is chosen above the list, and is in the address", async () => {
    await using visit = await Visit.open(browser, server.studio);
    await visit.show("#/runs");
    const bars = visit.main.locator(".runbars button:has(i)");
    await bars.first().waitFor();
    await bars.last().click();
    await expect.poll(() => decodeURIComponent(visit.page.url())).toMatch(/after:\d{4}-\d\d-\d\dT[\d:]+Z before:\d{4}/);
    await visit.main.getByRole("button", { name: "All times" }).click();
    await expect.poll(() => visit.page.url()).toMatch(/#\/runs$/);

    const [first, last] = [await bars.nth(1).boundingBox(), await bars.nth(3).boundingBox()];
    await visit.page.mouse.move((first?.x ?? 0) + 2, (first?.y ?? 0) + 20);
    await visit.page.mouse.down();
    await visit.page.mouse.move((last?.x ?? 0) + 2, (last?.y ?? 0) + 20, { steps: 5 });
    await visit.page.mouse.up();
    await expect.poll(() => decodeURIComponent(visit.page.url())).toMatch(/after:.* before:/);

    await visit.main.getByRole("button", { name: "All times" }).click();
    await bars.first().focus();
    await visit.page.keyboard.press("ArrowRight");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => decodeURIComponent(visit.page.url())).toMatch(/after:.* before:/);
    visit.expectNoFaults();
  });

  const pages = [
    ["statistics-runs", "#/runs", "newest first"],
    ["statistics-workflows", "#/workflows", "failed, 24 h"],
    ["statistics-workflow", "#/workflow/import", "By version"],
    ["statistics-failures", "#/failures", "ECONNRESET"],
  ] as const;
  for (const [width, height] of [
    [1280, 720],
    [390, 844],
  ] as const)
    for (const colours of ["light", "dark"] satisfies Colours[])
      it(`every page is readable, ${width} wide and ${colours}`, async () => {
        await using visit = await Visit.open(browser, server.studio, { width, height, colours });
        for (const [name, hash, shows] of pages) {
          await visit.show(hash);
          if (name === "statistics-workflow") await visit.main.getByRole("table", { name: "By version" }).waitFor();
          else await visit.sees(shows);
          if (name === "statistics-runs") await visit.main.locator(".runbars button").first().waitFor();
          await visit.shoot(`${name}-${width}-${colours}`);

          expect(await visit.hardships(), name).toEqual([]);
          expect(await visit.isWide(), `${name} is wider than the screen`).toBe(false);
        }
        visit.expectNoFaults();
      });
});
