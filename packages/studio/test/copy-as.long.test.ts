/** A run as text for elsewhere: the start of another one, which a real shell runs, and a test. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { type Colours, Visit, type VisitOptions } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;
const folder = "it's $HOME `x`";

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start(["sources"])]);
  await server.run("digest", { folder, files: 1 }, { handlerId: "small", labels: { team: "Berlin Mitte" } });
  await server.settled("small");
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

async function open(id: string, options: VisitOptions = {}) {
  const visit = await Visit.open(browser, `${server.studio}#/run/${id}`, options);
  await visit.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const dialog = visit.page.getByRole("dialog", { name: "Copy as" });
  return { visit, page: visit.page, dialog };
}

describe("Copy as", () => {
  it("curl starts another run with its input and labels", async () => {
    const { visit, page, dialog } = await open("small");
    await using _visit = visit;
    await page.getByRole("button", { name: "Copy as…" }).click();
    await dialog.getByRole("button", { name: "Copy the curl" }).click();
    await dialog.getByRole("button", { name: "Copied the curl" }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);

    const { handler_id: id } = JSON.parse(stdout) as { readonly handler_id: string };
    expect(id).not.toBe("small");
    const { workflow, labels } = await server.client.handle(id).summary();
    expect({ workflow, labels }).toEqual({ workflow: "digest", labels: { team: "Berlin Mitte" } });
    const [first] = await server.history(id);
    expect(first?.tick["event"]).toMatchObject({ data: { folder, files: 1 } });
    visit.expectNoFaults();
  });

  it("CLI and TypeScript have the same start", async () => {
    const { visit, page, dialog } = await open("small");
    await using _visit = visit;
    await page.getByRole("button", { name: "Copy as…" }).click();
    await dialog.getByRole("button", { name: "CLI", exact: true }).click();
    await dialog.getByText("npx millrace run digest").waitFor();
    await dialog.getByText("--label 'team=Berlin Mitte'").waitFor();
    await dialog.getByRole("button", { name: "TypeScript", exact: true }).click();
    await dialog.getByText('client.run("digest"').waitFor();
    visit.expectNoFaults();
  });

  it("test has two files, whose texts may be replaced", async () => {
    const { visit, page, dialog } = await open("small");
    await using _visit = visit;
    await page.getByRole("button", { name: "Copy as…" }).click();
    await dialog.getByRole("button", { name: "Test", exact: true }).click();
    await dialog.getByText("test/small.test.ts", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Copy the test" }).click();
    await dialog.getByRole("button", { name: "Copied the test" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('it("ends as the run small did"');
    const save = async () => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Save the recording" }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    expect(await save()).toMatchObject({ name: "small.run.json", text: expect.stringContaining(folder) });
    await dialog.getByLabel("Fields whose texts are replaced").fill("folder");
    await dialog.getByText("has every text").waitFor({ state: "detached" });
    await expect.poll(async () => (await save()).text).not.toContain(folder);
    visit.expectNoFaults();
  });

  it("is not offered for what it cannot be: a run that goes on has no test", async () => {
    await server.run("refund", { order: "B-1", euros: 400 }, { handlerId: "asks" });
    await server.settled("asks");
    const { visit, page, dialog } = await open("asks");
    await using _visit = visit;
    await page.getByRole("button", { name: "Copy as…" }).click();
    await dialog.getByRole("button", { name: "curl", exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Test", exact: true }).count()).toBe(0);
    visit.expectNoFaults();
  });

  for (const [width, height] of [
    [1280, 720],
    [1440, 900],
    [390, 844],
  ] as const)
    for (const colours of ["light", "dark"] satisfies Colours[])
      it(`is readable, ${width} wide and ${colours}`, async () => {
        const { visit, page, dialog } = await open("small", { width, height, colours });
        await using _visit = visit;
        if (width < 860) await page.getByRole("button", { name: "More" }).click();
        await page.getByRole(width < 860 ? "menuitem" : "button", { name: "Copy as…" }).click();
        for (const name of ["curl", "TypeScript", "Test"]) {
          await dialog.getByRole("button", { name, exact: true }).click();
          await dialog.locator("pre").waitFor();
          const box = await dialog
            .getByRole("button", { name: /^Copy the/ })
            .first()
            .boundingBox();
          expect((box?.x ?? width) + (box?.width ?? 0), "the button is in the page").toBeLessThan(width);
          await visit.shoot(`copy-as-${name}-${width}-${colours}`);
          expect(await visit.hardships()).toEqual([]);
          expect(await visit.isWide()).toBe(false);
        }
        visit.expectNoFaults();
      });
});
