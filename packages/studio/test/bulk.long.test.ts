/** One action on all runs that match, from the list. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function refunds(server: StudioServer, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `rf-${String(index + 1).padStart(3, "0")}`);
  await Promise.all(
    ids.map((handlerId) => server.run("refund", { order: handlerId }, { handlerId, labels: { team: "berlin" } })),
  );
  await Promise.all(ids.map((id) => server.settled(id)));
  return ids;
}

const hrefOf = (query: string): string => `#/runs/${encodeURIComponent(query)}`;

it("cancels the 220 of 221 runs that match with 3 clicks and 2 texts, after it has said how many", {
  timeout: 120_000,
}, async () => {
  await using server = await StudioServer.start();
  await refunds(server, 220);
  await server.run("refund", { order: "other" }, { handlerId: "other" });
  await server.settled("other");
  await using visit = await Visit.open(browser, `${server.studio}${hrefOf("status:waiting label.team=berlin")}`);
  const { page } = visit;
  const startedAtMs = performance.now();
  await page.getByRole("button", { name: "Select all that match" }).click();
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("status:waiting label.team=berlin").waitFor();
  await dialog.getByLabel(/Reason/).fill("out of stock");
  await dialog.getByLabel(/Runs per second/).fill("200");
  await visit.shoot("bulk-dialog");
  expect(await visit.hardships()).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel 220 runs" }).click();
  await page.getByText("Cancel is under way").waitFor();
  await visit.shoot("bulk-progress");
  await page.getByText("220 cancelled, 0 skipped, 0 failed").waitFor();
  console.log(
    `cancelled 220 of 221 runs: 3 clicks and 2 texts, ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`,
  );
  await visit.shoot("bulk-ended");
  expect(await visit.hardships()).toEqual([]);
  expect((await server.client.handle("other").summary()).status).toBe("waiting");
  expect((await server.client.counts({ workflow: "refund" })).status).toMatchObject({ cancelled: 220, waiting: 1 });
  await page.getByRole("link", { name: "Details" }).click();
  await visit.sees("millrace.bulk");
  await page.getByRole("button", { name: "Resume its runs" }).click();
  await dialog.getByRole("button", { name: "Resume 220 runs" }).waitFor();
  await page.keyboard.press("Escape");
  await visit.shoot("bulk-details");
  visit.expectNoFaults();
});

it("resumes what a job has cancelled, and deletes only for whoever types how many", { timeout: 120_000 }, async () => {
  await using server = await StudioServer.start();
  await refunds(server, 12);
  await server.client.handle("rf-012").cancel();
  await using visit = await Visit.open(browser, `${server.studio}${hrefOf("status:waiting")}`, { width: 1280 });
  const { page } = visit;
  const chosen = page.getByRole("region", { name: "Chosen runs" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Select all that match" }).click();
  await chosen.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Cancel 11 runs" }).click();
  await page.getByText("11 cancelled, 0 skipped, 0 failed").waitFor();
  await page.getByRole("button", { name: "Resume its runs" }).click();
  await dialog.getByText("The runs that the job has cancelled").waitFor();
  await dialog.getByRole("button", { name: "Resume 11 runs" }).waitFor();
  await visit.shoot("bulk-undo");
  expect(await visit.hardships()).toEqual([]);
  await dialog.getByRole("button", { name: "Resume 11 runs" }).click();
  await page.getByText("11 resumed, 0 skipped, 0 failed").waitFor();
  const { status } = await server.client.counts({ workflow: "refund" });
  expect(status).toMatchObject({ waiting: 11, cancelled: 1 });

  await visit.show(hrefOf("workflow:refund"));
  await page.getByRole("button", { name: "Select all that match" }).click();
  await chosen.getByRole("button", { name: "Delete" }).click();
  const remove = dialog.getByRole("button", { name: "Delete 12 runs" });
  await dialog.getByLabel("Type 12 to delete 12 runs").fill("11");
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel("Type 12 to delete 12 runs").fill("12");
  await visit.shoot("bulk-delete");
  expect(await visit.hardships()).toEqual([]);
  await remove.click();
  await page.getByText("12 deleted, 0 skipped, 0 failed").waitFor();
  visit.expectNoFaults();
});

it("deletes chosen runs, skips what does not fit, and names it", { timeout: 60_000 }, async () => {
  await using server = await StudioServer.start();
  await refunds(server, 3);
  await using visit = await Visit.open(browser, `${server.studio}#/runs`);
  const { page } = visit;
  for (const id of ["rf-001", "rf-002"]) await page.getByLabel(`Select ${id}`).check();
  await server.client.delete("rf-002");
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Retry" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry 2 runs" }).click();
  await page.getByText("0 retried, 2 skipped, 0 failed").waitFor();
  await visit.sees("it cannot be retried");
  await visit.shoot("bulk-problems");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByLabel("Select all that are loaded").check();
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Delete" }).waitFor();
  visit.expectNoFaults();
});

it("is stopped, and goes on with the rest", { timeout: 60_000 }, async () => {
  await using server = await StudioServer.start();
  await refunds(server, 40);
  await using visit = await Visit.open(browser, `${server.studio}${hrefOf("status:waiting")}`);
  const { page } = visit;
  await page.getByRole("button", { name: "Select all that match" }).click();
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Cancel" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/Runs per second/)
    .fill("5");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel 40 runs" }).click();
  await page.getByText(/^5 cancelled/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Cancel was stopped").waitFor();
  await visit.shoot("bulk-stopped");
  const { status } = await server.client.counts({ workflow: "refund" });
  expect(status.cancelled).toBeGreaterThanOrEqual(5);
  expect(status.cancelled).toBeLessThan(40);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("40 cancelled, 0 skipped, 0 failed").waitFor();
  visit.expectNoFaults();
});

it.each([
  [1280, 720, "light"],
  [390, 844, "dark"],
] as const)("is readable, %i by %i and %s", { timeout: 60_000 }, async (width, height, colours) => {
  await using server = await StudioServer.start();
  await refunds(server, 12);
  await using visit = await Visit.open(browser, `${server.studio}${hrefOf("status:waiting")}`, {
    width,
    height,
    colours,
  });
  const { page } = visit;
  await page.getByRole("button", { name: "Select all that match" }).click();
  await visit.shoot(`bulk-chosen-${width}-${colours}`);
  expect(await visit.hardships()).toEqual([]);
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel 12 runs" }).waitFor();
  await visit.shoot(`bulk-dialog-${width}-${colours}`);
  expect(await visit.hardships()).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel 12 runs" }).click();
  await page.getByText("12 cancelled, 0 skipped, 0 failed").waitFor();
  await visit.shoot(`bulk-ended-${width}-${colours}`);
  expect(await visit.hardships()).toEqual([]);
  visit.expectNoFaults();
});
