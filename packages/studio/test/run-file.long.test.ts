/** A run file in a browser, on a server that has nothing but the files of the page. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerType, serve } from "@hono/node-server";
import { packRunFile, saveRun } from "@millrace/client/run-file";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../test-ports.js";
import { openBrowser } from "../../client/test/support/browser.js";
import { studioFile } from "../dist/index.js";
import { badge, node, row, textOf, where } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit, type VisitOptions } from "./support/visit.js";

const folder = mkdtempSync(join(tmpdir(), "millrace-run-file-"));
const fileOf = (name: string): string => join(folder, `${name}.run`);
const ids: Record<string, string> = {};
let browser: Browser;
let pages: ServerType;
let address: string;

beforeAll(async () => {
  browser = await openBrowser();
  const port = await freePort();
  address = `http://127.0.0.1:${port}/docs/run/file.html`;
  pages = serve({ fetch: pageOf, port, hostname: "127.0.0.1" });
  await using server = await StudioServer.start();
  ids["refund"] = await server.run("refund", { order: "<img src=x onerror=alert(1)>", euros: 80 });
  await server.answer(ids["refund"], { approved: true, by: "ada@example.com" });
  ids["article"] = await server.run("article", { input: "dams" });
  ids["waiting"] = await server.run("refund", { order: "B-2", euros: 90 });
  for (const [name, id] of Object.entries(ids)) {
    await server.settled(id);
    writeFileSync(fileOf(name), await packRunFile(await saveRun(id, { baseUrl: server.url, redact: ["by"] })));
  }
}); // the server and its code are gone from here on

afterAll(async () => {
  await browser?.close();
  pages?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the page in a folder, as a site of static files does. */
async function pageOf(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.replace("/docs/run/", "");
  const file = await studioFile(path);
  if (file === null) return new Response(null, { status: 404 });
  return new Response(file.body as Uint8Array<ArrayBuffer>, { headers: { "content-type": file.type } });
}

/** Opens a file, and notes each request from then on. */
async function opened(name: string, options: VisitOptions = {}): Promise<{ visit: Visit; requests: string[] }> {
  const visit = await Visit.open(browser, address, options);
  const requests: string[] = [];
  visit.page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await visit.page.locator("input[type=file]").setInputFiles(fileOf(name));
  await badge(visit.page).waitFor();
  return { visit, requests };
}

describe("a run file", () => {
  it("shows the graph, the log, and the state at every tick, and sends nothing", async () => {
    const { visit, requests } = await opened("refund");
    await using _ = visit;
    const { page } = visit;
    await textOf(badge(page)).toContain("Completed");
    for (const step of ["check", "approve", "pay"]) await node(page, step).waitFor();
    await row(page, "ApproveRefund").first().click();
    await textOf(where(page)).toMatch(/^Tick [1-9]/);

    await visit.sees("risk");
    await visit.shoot("run-file");
    await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "State" }).click();
    await page.keyboard.press("End");
    await visit.sees("redacted-1");
    expect(requests.filter((one) => !one.startsWith("GET /docs/run/assets/"))).toEqual([]);
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });

  it("shows what a step got and returned", async () => {
    const { visit } = await opened("refund");
    await using _ = visit;
    await node(visit.page, "check").click();

    await visit.page.getByRole("heading", { name: "Input" }).first().waitFor();
    await visit.sees("<img src=x onerror=alert(1)>");
    expect(await visit.page.locator("img[src=x]").count()).toBe(0);
    visit.expectNoFaults();
  });

  it("offers nothing that changes the run", async () => {
    const { visit } = await opened("waiting");
    await using _ = visit;

    await textOf(badge(visit.page)).toContain("Waiting");
    expect(await visit.page.getByTitle("waiting.run: nothing is sent anywhere").count()).toBe(1);
    for (const name of ["Cancel", "Fork", "Send event", "Run again"])
      expect(await visit.page.getByRole("button", { name }).count(), name).toBe(0);
    visit.expectNoFaults();
  });

  it.each(["light", "dark"] as const)("shows a pipeline on a phone, %s", async (colours) => {
    const { visit } = await opened("article", { width: 390, height: 720, colours });
    await using _ = visit;

    await textOf(badge(visit.page)).toMatch(/Completed|Waiting|Failed/);
    expect(await visit.isWide()).toBe(false);
    expect(await visit.hardships()).toEqual([]);
    await visit.shoot(`run-file-390-${colours}`);
    visit.expectNoFaults();
  });

  it("says what is wrong with another file, and asks for the next one", async () => {
    writeFileSync(fileOf("other"), "a text");
    await using visit = await Visit.open(browser, address, { width: 1280, height: 720 });
    await visit.page.locator("input[type=file]").setInputFiles(fileOf("other"));
    await visit.sees("This is not a run file");
    expect(await visit.hardships()).toEqual([]);
    await visit.shoot("run-file-refused");

    await visit.page.locator("input[type=file]").setInputFiles(fileOf("refund"));
    await badge(visit.page).waitFor();
    visit.expectNoFaults();
  });

  it("takes no file of another site from its address", async () => {
    await using visit = await Visit.open(browser, `${address}?src=https://example.com/a.run`);

    await visit.sees("Open a run");
    expect(await badge(visit.page).count()).toBe(0);
    visit.expectNoFaults();
  });
});
