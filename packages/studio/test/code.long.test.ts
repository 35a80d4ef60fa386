/** The code of steps, in a browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { node, textOf } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start(["sources"])]);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

describe("the code of a step", () => {
  it("is shown on the page of its workflow, with its place and its lines", async () => {
    await using visit = await Visit.open(browser, `${server.studio}#/workflow/refund`);
    const { page } = visit;
    await node(page, "check").click();

    const dialog = page.getByRole("dialog", { name: "Code of check" });
    await textOf(dialog.locator(".dh p")).toBe("flows/refund.ts:12");
    await expect
      .poll(() => dialog.locator("pre.code code").allTextContents())
      .toEqual(["async check() {\n", "  // <b>\n", "}\n"]);
    expect(await visit.hardships()).toEqual([]);
    await visit.shoot("code");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    visit.expectNoFaults();
  });

  it("is shown on the page of a run for the step that is picked", async () => {
    const id = await server.run("refund", { order: "C-0", euros: 10 });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/run/${id}`, { width: 390 });
    const { page } = visit;
    await node(page, "check").click();
    await page.getByRole("button", { name: "Code of check" }).click();

    await page.getByRole("dialog").getByText("flows/refund.ts:12").waitFor();
    expect(await visit.isWide()).toBe(false);
    await visit.shoot("code-390");
    visit.expectNoFaults();
  });

  it("is not offered by a server that cannot tell it", async () => {
    await using plain = await StudioServer.start();
    await using visit = await Visit.open(browser, `${plain.studio}#/workflow/refund`);

    await visit.page.getByTitle("check", { exact: true }).waitFor();
    await expect.poll(() => node(visit.page, "check").count()).toBe(0);
  });
});
