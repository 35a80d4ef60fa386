/** The pages of runs, in both colours, on a desk and on a phone: no faults, nothing serious for axe, nothing wider than the screen. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "./support/server-process.js";
import { type Colours, Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
  const runs: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["refund", { order: "A-17", euros: 80 }, "rf-a17"],
    ["digest", { files: 20 }, "dg-7f3a21"],
    ["digest", { files: 18 }, "dg-c9e410"],
    ["import", {}, "im-0c44d9"],
    ["trip", {}, "tr-lisbon"],
    ["research", {}, "rs-1"],
    ["article", { input: "water mills", session_id: "s-mills" }, "ar-mills-3"],
    ["wide", {}, "wd-1"],
  ];
  for (const [workflow, event, handlerId] of runs) {
    await server.settled(await server.run(workflow, event, { handlerId }));
  }
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

type Page = readonly [name: string, hash: string, shows: string, keys: readonly string[]];
const onDesk: readonly Page[] = [
  ["run-waiting", "#/run/rf-a17", "ApproveRefund", []],
  ["run-past", "#/run/dg-7f3a21/30", "Tick 30", []],
  ["run-failed", "#/run/im-0c44d9", "after 3 attempts", []],
  ["run-children", "#/run/tr-lisbon", "quote ›", []],
  ["run-pipeline", "#/run/ar-mills-3", "Publish the article?", []],
  ["run-fork", "#/run/rf-a17/3", "Tick 3", ["f"]],
  ["compare", "#/compare/dg-7f3a21/dg-c9e410", "First difference.", []],
];
const onPhone: readonly Page[] = [
  ["run-waiting", "#/run/rf-a17", "ApproveRefund", []],
  ["run-timeline", "#/run/dg-7f3a21/30", "Tick 30", ["t"]],
  ["run-log", "#/run/dg-7f3a21/30", "Tick 30", ["l"]],
  ["run-state", "#/run/im-0c44d9", "after 3 attempts", ["s"]],
  ["compare", "#/compare/dg-7f3a21/dg-c9e410", "First difference.", []],
];
const colours: readonly Colours[] = ["light", "dark"];

describe("the pages of runs", () => {
  for (const [width, pages] of [
    [1440, onDesk],
    [390, onPhone],
  ] as const) {
    for (const scheme of colours) {
      it(`are readable, ${width} wide and ${scheme}`, async () => {
        for (const [name, hash, shows, keys] of pages) {
          await using visit = await Visit.open(browser, `${server.studio}${hash}`, { width, colours: scheme });
          await expect.poll(() => visit.page.locator("#main").textContent()).toContain(shows);
          if (hash.startsWith("#/run/"))
            await visit.page.locator(".p-graph .node").first().waitFor({ state: "attached" });
          for (const key of keys) await visit.page.keyboard.press(key);
          await visit.shoot(`${name}-${width}-${scheme}`);

          expect(await visit.hardships(), name).toEqual([]);
          expect(await visit.isWide(), `${name} is wider than the screen`).toBe(false);
          visit.expectNoFaults();
        }
      });
    }
  }

  it.each([1440, 390])("are no wider than %i for long ids and long labels", async (width) => {
    const long = (letter: string): string => `${letter}${width}`.padEnd(190, letter);
    const start = { input: "w".repeat(2_000), session_id: long("s"), user_id: long("u") };
    const rest = { handlerId: long("i"), labels: { topic: "t".repeat(255), team: "red" } };
    await server.settled(await server.run("article", start, rest));
    const pages = [
      [`#/run/${long("i")}`, long("i")],
      [`#/run/${long("n")}`, long("n")],
      ["#/runs", long("i")],
      ["#/sessions", long("u")],
      [`#/session/${long("s")}`, long("s")],
      ["#/workflow/article", long("i")],
    ] as const;

    for (const [hash, shows] of pages) {
      await using visit = await Visit.open(browser, `${server.studio}${hash}`, { width });
      await expect.poll(() => visit.page.locator("#main").textContent()).toContain(shows);
      await visit.ageTimes();

      expect(await visit.isWide(), hash.slice(0, 20)).toBe(false);
      visit.expectNoFaults();
    }
  });

  it("have on a phone the question first, and the whole name", async () => {
    await using visit = await Visit.open(browser, `${server.studio}#/run/rf-a17`, { width: 390, height: 844 });
    const { page } = visit;
    await page.locator(".p-graph .node").first().waitFor();
    const [question, graph] = await Promise.all([
      page.locator("#ask").boundingBox(),
      page.locator(".p-graph").boundingBox(),
    ]);
    expect((question?.y ?? 0) + (question?.height ?? 0)).toBeLessThanOrEqual(graph?.y ?? 0);
    expect(question?.height).toBeGreaterThan(300);

    for (const id of ["im-0c44d9", "dg-7f3a21"]) {
      await visit.show(`#/run/${id}`);
      const name = page.getByRole("heading", { name: id });
      await name.waitFor();
      expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth), id).toBe(true);
      const buttons = page.locator(".runactions .btn").filter({ visible: true });
      const middles = () =>
        buttons.evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2)),
        );
      await expect.poll(async () => new Set(await middles()).size, { message: id }).toBe(1);
    }
    await visit.show("#/runs");
    const statuses = page.getByRole("group", { name: "Status" }).getByRole("button");
    await expect.poll(() => statuses.count()).toBe(7);
    const ends = await statuses.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(...ends)).toBeLessThanOrEqual(390);
    visit.expectNoFaults();
  });

  it.each([1280, 1440])("show all filters of the log, and durations in one line, %i wide", async (width) => {
    await using visit = await Visit.open(browser, `${server.studio}#/run/im-0c44d9`, { width, height: 720 });
    const { page } = visit;
    const kinds = page.getByRole("group", { name: "Kinds" });
    await kinds.getByRole("button", { name: /^Failures/ }).waitFor();
    expect(await kinds.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);

    await visit.show("#/runs");
    const rows = page.locator("tr[data-run]");
    await rows.first().waitFor();
    const height = (): Promise<number> => rows.first().evaluate((one) => one.getBoundingClientRect().height);
    const usual = await height();
    await rows.first().evaluate((one) => one.querySelector(".dur .num")?.replaceChildren("23 h 59 min"));
    expect(await height()).toBe(usual);
    visit.expectNoFaults();
  });

  it("show what an agent said as a chat, with its tokens and its cost", async () => {
    await using visit = await Visit.open(browser, `${server.studio}#/run/rs-1`);
    await visit.page.getByRole("button", { name: "Chat" }).click();
    await visit.sees("How many mills stand on the Spree?");
    await visit.sees("findMills");
    await visit.sees(/1\u2009240 \+ 310 tokens · cost 0.0041, as the provider reports it/);
    await visit.shoot("run-chat");

    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });

  it("have the actions of a phone in a menu", async () => {
    await using visit = await Visit.open(browser, `${server.studio}#/run/rf-a17`, { width: 390, height: 844 });
    await visit.page.getByRole("button", { name: "More" }).click();
    await visit.page.getByRole("menuitem", { name: "Cancel run" }).waitFor();
    await visit.shoot("run-menu-390");
    expect(await visit.hardships()).toEqual([]);

    const focused = () => visit.page.evaluate(() => document.activeElement?.textContent);
    const names = await visit.page.getByRole("menuitem").allTextContents();
    for (const [key, name] of [
      ["End", names.at(-1)],
      ["ArrowDown", names[0]],
      ["ArrowDown", names[1]],
      ["ArrowUp", names[0]],
      ["ArrowUp", names.at(-1)],
      ["Home", names[0]],
    ] as const) {
      await visit.page.keyboard.press(key);
      expect(await focused()).toBe(name);
    }
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.page.getByRole("menuitem").count()).toBe(0);
    expect(await visit.page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("More");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("menuitem", { name: "Compare" }).click();
    await visit.page.getByRole("dialog").getByText("There is no other run of refund.").waitFor();
    visit.expectNoFaults();
  });
});
