/** Runs inside of runs: nested pipelines in their frames, and the page of a child. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { badge, node, row, textOf, where } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

async function open(id: string): Promise<Visit> {
  const visit = await Visit.open(browser, `${server.studio}#/run/${id}`);
  await visit.page.locator(".transport").waitFor();
  return visit;
}

describe("a run of a pipeline", () => {
  it("is shown as it was written: nested steps in their frame, and questions as part of the step that asks", async () => {
    const id = await server.run("article", { input: "water mills" }, { handlerId: "ar-1" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await textOf(node(page, "publish")).toContain("for a person");
    await textOf(node(page, "sketch›begin (0)")).toContain("Completed");
    const lanes = () => page.locator(".lane-l").evaluateAll((all) => all.map((lane) => lane.getAttribute("title")));
    await expect
      .poll(lanes)
      .toEqual([
        "research",
        "sketch",
        "outline › begin",
        "outline › order",
        "title",
        "body",
        "picture",
        "edit",
        "score",
        "publish",
      ]);
    await row(page, "publish asks, and waits").waitFor();
    await node(page, "publish").click();
    await expect.poll(() => row(page, "publish asks, and waits").count()).toBe(1);
    await expect.poll(() => row(page, "research completed").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Confirm" }).click();

    await textOf(badge(page)).toBe("Completed");
    await textOf(node(page, "publish")).toContain("Completed");
    visit.expectNoFaults();
  });
});

describe("a run of a pipeline with a condition without else", () => {
  it.each([
    ["maps", "report-short", [true, false]],
    ["maps of all the mills of the north", "report-long", [false, true]],
  ] as const)("of %s shows which way the work went", async (input, handlerId, [isPast, isInside]) => {
    await server.run("report", { input }, { handlerId });
    await server.settled(handlerId);
    await using visit = await open(handlerId);
    const { page } = visit;
    const way = (from: string, to: string) =>
      page.locator(`.react-flow__edge[aria-label="From ${from} to ${to}"] .react-flow__edge-path`);
    const isOn = async (from: string, to: string) => / on\b/.test((await way(from, to).getAttribute("class")) ?? "");
    await textOf(badge(page)).toBe("Completed");

    await expect.poll(() => isOn("draft", "facts")).toBe(isPast);
    await expect.poll(() => isOn("shorten", "facts")).toBe(isInside);
    const words = page.locator(".react-flow__edge-text");
    await expect.poll(() => words.allTextContents()).toEqual(["else", "else", "else"]);
    const tops = ["words", "facts", "links"].map(async (step) => (await node(page, step).boundingBox())?.y ?? 0);
    const placed = await Promise.all(tops);
    expect(placed).toEqual([...placed].sort((a, b) => a - b));
    await visit.shoot(handlerId);
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });
});

describe("a child run", () => {
  it("has a page of its own: its graph, its ticks, its state, and the way back", async () => {
    const id = await server.run("trip", {}, { handlerId: "tr-1" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await page.getByRole("button", { name: "Open a child run of quote" }).first().click();
    const choices = page.getByRole("dialog").locator(".choice");
    await expect.poll(() => choices.count()).toBe(2);
    await visit.shoot("children");
    await choices.first().click();

    await textOf(page.locator("h1")).toMatch(/^tr-1\/\d+$/);
    await textOf(badge(page)).toBe("Completed");
    await textOf(node(page, "ask")).toContain("3/3");
    await expect.poll(() => node(page, "book").count()).toBe(0);
    await expect.poll(() => page.locator(".tree").textContent()).toContain("[3]");
    await expect.poll(() => page.locator(".lane-l").allTextContents()).toHaveLength(3);
    await expect.poll(() => row(page, "child").count()).toBe(0);
    await expect
      .poll(() => page.getByRole("button", { name: /^(Fork|Cancel|Retry|Resume|Send|Compare)/ }).count())
      .toBe(0);
    await page.keyboard.press("Home");
    await expect.poll(() => page.locator(".tree").textContent()).toContain("[0]");
    await textOf(node(page, "ask")).toContain("not reached");
    await expect.poll(() => row(page, "Run starts").getAttribute("aria-selected")).toBe("true");
    const there = await where(page).textContent();
    await page.reload();
    await textOf(where(page)).toBe(there);
    expect(await visit.hardships()).toEqual([]);
    await visit.shoot("child");

    await visit.main.getByRole("link", { name: "tr-1", exact: true }).click();
    await textOf(page.locator("h1")).toBe("tr-1");
    await page.getByRole("button", { name: "2 runs" }).waitFor();
    visit.expectNoFaults();
  });

  it("is followed and answered there", async () => {
    const id = await server.run("order", {}, { handlerId: "or-1" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await page.getByRole("link", { name: "Open child run" }).first().click();
    await textOf(badge(page)).toBe("Waiting");
    await textOf(node(page, "approve")).toContain("for a person");
    await page.locator("#ask").getByText("Yes", { exact: true }).click();
    await page.getByLabel("by", { exact: true }).fill("Ada");
    await page.getByRole("button", { name: "Send RefundDecision" }).click();

    await textOf(badge(page)).toBe("Completed");
    await row(page, "pay completed").waitFor();
    expect((await server.settled(id)).status).toBe("completed");
    visit.expectNoFaults();
  });

  it("that there is not is said to be none", async () => {
    const id = await server.run("count", { to: 1 });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/child/${id}/nobody`);
    await visit.sees(`Run ${id} has no child nobody.`);
    visit.expectNoFaults();
  });
});
