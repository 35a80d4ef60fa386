/** The pages, in both colours, on a desk and on a phone: no faults, nothing that axe calls serious, nothing wider than the screen. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { type Colours, Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
  await fill(server);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

/** One run of each kind, one after the other, so that the list is the same each time. */
async function fill(server: StudioServer): Promise<void> {
  const runs: readonly (readonly [string, Record<string, unknown>, object])[] = [
    ["refund", { order: "C-11" }, { handlerId: "rf-c11", labels: { order: "C-11" } }],
    ["digest", { files: 12 }, { handlerId: "dg-7f3a21", labels: { env: "dev", team: "content" } }],
    ["import", {}, { handlerId: "im-0c44d9", labels: { env: "dev" } }],
    ["article", { input: "water mills", session_id: "s-mills" }, { handlerId: "ar-mills-3" }],
    ["wide", {}, { handlerId: "wd-1" }],
    ["refund", { order: "A-17" }, { handlerId: "rf-a17", labels: { order: "A-17" } }],
  ];
  for (const [workflow, event, rest] of runs) await server.settled(await server.run(workflow, event, rest));
  await server.answer("rf-c11", { approved: true, by: "Ada" });
  await server.settled("rf-c11");
}

const pages: readonly (readonly [name: string, hash: string, shows: string | RegExp])[] = [
  ["runs", "#/runs", "dg-7f3a21"],
  ["workflows", "#/workflows", "digest"],
  ["workflow-digest", "#/workflow/digest", "Run digest"],
  ["workflow-refund", "#/workflow/refund", "Run refund"],
  ["workflow-article", "#/workflow/article", "Run article"],
  ["workflow-wide", "#/workflow/wide", "sort11"],
  ["sessions", "#/sessions", "Sessions"],
  ["audit", "#/audit", "started"],
  ["session", "#/session/s-mills", "s-mills"],
  ["unknown", "#/nowhere", "no page of this address"],
];
const colours: readonly Colours[] = ["light", "dark"];

describe("a text that is written from right to left by a mark in it", () => {
  it("leaves what stands around it where it is", async () => {
    const text = "\u202egnp.exe";
    const [asks, fails] = [`asks${text}`, `fails${text}`];
    await server.run("refund", { order: text }, { handlerId: asks, labels: { env: text } });
    await server.run("import", { file: text }, { handlerId: fails });
    await Promise.all([server.settled(asks), server.settled(fails)]);

    await using visit = await Visit.open(browser, server.studio);
    for (const hash of ["runs", `run/${asks}`, `run/${fails}`, `compare/${asks}/${fails}`]) {
      await visit.show(`#/${hash.split("/").map(encodeURIComponent).join("/")}`);
      await visit.main.getByText(text).filter({ visible: true }).first().waitFor();

      expect(await visit.reordering(), hash).toEqual([]);
    }
    await visit.show(`#/run/${encodeURIComponent(asks)}`);
    await visit.page.getByRole("button", { name: "Compare" }).first().click();
    await visit.sees("Compare asks");

    expect(await visit.reordering()).toEqual([]);
    visit.expectNoFaults();
  });
});

describe("every page", () => {
  for (const width of [1440, 390]) {
    for (const scheme of colours) {
      it(`is readable, ${width} wide and ${scheme}`, async () => {
        await using visit = await Visit.open(browser, server.studio, { width, colours: scheme });
        for (const [name, hash, shows] of pages) {
          await visit.show(hash);
          await visit.sees(shows);
          await visit.shoot(`${name}-${width}-${scheme}`);

          expect(await visit.hardships(), name).toEqual([]);
          expect(await visit.isWide(), `${name} is wider than the screen`).toBe(false);
        }
        visit.expectNoFaults();
      });
    }
  }
});
