/** The page of a run against a real server: watched, answered, retried, wound back, forked, and found again after a crash. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import type { Handler } from "../src/api/contract.types.js";
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

const badge = (page: Page) => page.locator(".runhead .badge");
const node = (page: Page, step: string) => page.locator(`.node[data-step="${step}"]`);
const where = (page: Page) => page.locator(".where b");
const row = (page: Page, text: string) => page.getByRole("option").filter({ hasText: text });

async function open(id: string): Promise<Visit> {
  const visit = await Visit.open(browser, `${server.studio}#/run/${id}`);
  await visit.page.locator(".transport").waitFor();
  return visit;
}

/** Polls, as the page follows the run by itself. */
const textOf = (locator: ReturnType<typeof node>) => expect.poll(() => locator.first().textContent());

describe("a run that is at work", () => {
  it("is followed tick by tick, until somebody steps back, and again with Now", async () => {
    await server.gate("close", "digest");
    const id = await server.run("digest", { files: 12 });
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Running");
    await textOf(node(page, "summarise")).toContain("● 4");
    await visit.sees("● Live");
    await visit.shoot("run-live");

    await page.getByRole("button", { name: "One tick back" }).click();
    const before = await where(page).textContent();
    await visit.sees("Past");
    await server.gate("open", "digest");
    await server.settled(id);
    await textOf(badge(page)).toBe("Completed");

    expect(await where(page).textContent()).toBe(before);
    await page.locator(".where + .btn").click();
    await textOf(node(page, "summarise")).toContain("11/12");
    await textOf(node(page, "summarise")).toContain("✕ 1");
    await textOf(page.locator(".lane-l").filter({ hasText: "summarise" })).toContain("×12");
    expect(await page.locator(".bar.retried").count()).toBeGreaterThan(0);
    visit.expectNoFaults();
  });

  it("asks with a form, which takes nothing for granted, and goes on with the answer", async () => {
    const id = await server.run("refund", { order: "A-17", euros: 80 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await textOf(node(page, "approve")).toContain("for a person");
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Send RefundDecision" }).click();
    await visit.sees("Needed.");

    await page.locator("#ask").getByText("Yes", { exact: true }).click();
    await page.getByLabel("by", { exact: true }).fill("Ada");
    await page.getByRole("button", { name: "Send RefundDecision" }).click();

    await textOf(badge(page)).toBe("Completed");
    await row(page, "Answer received").waitFor();
    await page.locator(".tree .k").filter({ hasText: "approvals" }).waitFor();
    visit.expectNoFaults();
  });

  it("takes an event that may be sent, chosen in a dialog", async () => {
    const id = await server.run("refund", { order: "A-18", euros: 80 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await page.getByRole("button", { name: "Send event" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.locator("option").allTextContents()).toContain("RefundDecision");
    await dialog.getByLabel("Event", { exact: true }).selectOption("RefundDecision");
    await dialog.getByText("No", { exact: true }).click();
    await dialog.getByLabel("by", { exact: true }).fill("Ada");
    await visit.shoot("send-event");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();

    await textOf(badge(page)).toBe("Completed");
    expect(await dialog.count()).toBe(0);
    visit.expectNoFaults();
  });

  it("can be cancelled and resumed", async () => {
    const id = await server.run("refund", { order: "B-9", euros: 10 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await page.getByRole("button", { name: "Cancel run" }).click();
    await textOf(badge(page)).toBe("Cancelled");

    await page.getByRole("button", { name: "Resume" }).click();
    await textOf(badge(page)).toBe("Waiting");
    visit.expectNoFaults();
  });

  it("is found again after the server was killed", async () => {
    await using own = await StudioServer.start();
    const id = await own.run("refund", { order: "C-1", euros: 5 });
    await own.settled(id);
    await using visit = await Visit.open(browser, `${own.studio}#/run/${id}`);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await own.kill();
    await textOf(page.locator(".conn")).toBe("Reconnecting…");
    expect(await row(page, "check completed").count()).toBe(1);

    await own.restart();
    await textOf(page.locator(".conn")).toBe("Connected");
    await page.locator("#ask").getByText("Yes", { exact: true }).click();
    await page.getByLabel("by", { exact: true }).fill("Ada");
    await page.getByRole("button", { name: "Send RefundDecision" }).click();

    await textOf(badge(page)).toBe("Completed");
    await row(page, "pay completed").waitFor();
    visit.expectNoFaults();
  });
});

describe("a run that failed", () => {
  it("says why in one line, leads to the tick, and is retried", async () => {
    const id = await server.run("import");
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(page.locator(".notice")).toContain("validate failed after 3 attempts.");
    await textOf(node(page, "validate")).toContain("↻ 2");
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect.poll(() => row(page, "attempt 3").getAttribute("aria-selected")).toBe("true");
    await server.gate("close", "mended");

    await page.getByRole("button", { name: "Retry" }).click();

    await textOf(badge(page)).toBe("Completed");
    await row(page, "Run is retried").waitFor();
    expect(await page.locator(".notice").count()).toBe(0);
    visit.expectNoFaults();
    await server.gate("open", "mended");
  });
});

describe("the cursor", () => {
  it("moves graph, timeline, log and state together, and is in the address", async () => {
    const id = await server.run("refund", { order: "D-4", euros: 60 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(node(page, "approve")).toContain("for a person");
    await page.keyboard.press("Home");
    await textOf(where(page)).toBe("Tick 1");
    await textOf(node(page, "approve")).toContain("not reached");
    await expect.poll(() => page.locator(".tree").textContent()).toContain('""');
    await expect.poll(() => page.locator(".cursor").getAttribute("data-t")).toBe("+0 ms");
    expect(await row(page, "Run starts").getAttribute("aria-selected")).toBe("true");
    expect(await page.locator(".log .r.after").count()).toBeGreaterThan(2);
    expect(new URL(page.url()).hash).toBe(`#/run/${id}/1`);

    await page.keyboard.press("ArrowRight");
    await textOf(where(page)).toBe("Tick 2");
    await textOf(page.locator(".chg")).toContain("0.2");
    await page.reload();
    await textOf(where(page)).toBe("Tick 2");
    await page.getByRole("button", { name: "risk was last changed at tick 2. Go there" }).waitFor();
    visit.expectNoFaults();
  });

  it("follows all keys of the map", async () => {
    const id = await server.run("import");
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.className);
    await textOf(where(page)).toBe("Tick 10");
    const steps: readonly (readonly [string, string])[] = [
      ["Shift+N", "Tick 7"],
      ["Shift+N", "Tick 4"],
      ["n", "Tick 7"],
      ["ArrowLeft", "Tick 6"],
      ["j", "Tick 7"],
      ["k", "Tick 6"],
      ["Shift+ArrowLeft", "Tick 1"],
      ["End", "Tick 10"],
      ["Home", "Tick 1"],
    ];
    for (const [key, tick] of steps) {
      await page.keyboard.press(key);
      await textOf(where(page)).toBe(tick);
    }
    await page.keyboard.press("Space");
    await textOf(where(page)).toBe("Tick 10");

    await page.keyboard.press("l");
    await expect.poll(focused).toBe("Ticks");
    await page.keyboard.press("ArrowUp");
    await textOf(where(page)).toBe("Tick 7");
    await page.keyboard.press("ArrowUp");
    await textOf(where(page)).toBe("Tick 4");
    await page.keyboard.press("t");
    await expect.poll(focused).toBe("Timeline, scrollable");
    await page.keyboard.press("s");
    await expect.poll(focused).toBe("State tree");
    await page.keyboard.press("g");
    await expect.poll(focused).toContain("node step");

    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Only .*\. Show all steps/ }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".unselect").count()).toBe(0);
    await page.keyboard.press("/");
    await expect.poll(focused).toBe("Filter the log");
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.getByRole("dialog").getByText("Fork from tick 4").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Keyboard").first().waitFor();
    visit.expectNoFaults();
  });

  it("picks a step: the log shows it alone, and the timeline marks its lane", async () => {
    const id = await server.run("refund", { order: "E-5", euros: 60 });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await node(page, "check").click();
    await expect.poll(() => row(page, "Run starts").count()).toBe(0);
    expect(await row(page, "check completed").count()).toBe(1);
    expect(await page.locator(".lane-l.sel").textContent()).toContain("check");

    await page.keyboard.press("Escape");
    await expect.poll(() => row(page, "Run starts").count()).toBe(1);
    await page.getByLabel("Filter the log").fill("risk");
    await expect.poll(() => page.getByRole("option").count()).toBeLessThan(5);
    visit.expectNoFaults();
  });
});

describe("a fork", () => {
  it("keeps the past, takes an edited state, says what is refused, and is compared with where it comes from", async () => {
    const id = await server.run("refund", { order: "F-6", euros: 60 }, { handler_id: "origin" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await visit.show("#/run/origin/3");
    await textOf(where(page)).toBe("Tick 3");
    await page.getByRole("button", { name: "Fork from tick 3" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 finished attempt").waitFor();
    await textOf(dialog.locator(".kv")).toContain("approve");
    await dialog.getByLabel("Id of the new run").fill("forked");
    await dialog.getByLabel("risk").first().fill("0.8x");
    await dialog.getByText("Not JSON: texts stand in quotes.").waitFor();
    expect(await dialog.getByRole("button", { name: "Fork", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("risk").first().fill("0.81");
    await dialog.getByLabel("euros").fill("200");
    await expect.poll(() => dialog.locator("pre").textContent()).toContain('"risk": 0.81');
    expect(await dialog.locator("pre").textContent()).toContain('"euros": 200');
    await visit.shoot("run-fork");

    await dialog.getByRole("button", { name: "Fork", exact: true }).click();
    await dialog.getByText("does not let callers edit Checked").waitFor();
    await dialog.getByLabel("euros").fill("60");
    await expect.poll(() => dialog.locator("pre").textContent()).not.toContain("euros");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();

    await textOf(page.locator("h1")).toBe("forked");
    await page.getByRole("link", { name: "origin @ 3" }).waitFor();
    await textOf(page.locator(".tree .k").filter({ hasText: "risk" })).toContain("0.81");
    await textOf(page.locator("#ask .kv")).toContain("0.2");

    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("dialog").getByText("the run that it is a fork of").click();
    await textOf(page.locator(".firstdiff")).toContain(
      "The fork was given risk = 0.81 at tick 3; origin had risk = 0.2.",
    );
    await page.getByText("3 equal ticks: the fork begins after tick 3").waitFor();
    await textOf(page.locator("tr.ne").first()).toContain("0.81");
    await visit.shoot("compare-fork");
    visit.expectNoFaults();
  });

  it("is not to be had where nothing may be changed, nor is any other deed", async () => {
    await using own = await StudioServer.start();
    const id = await own.run("refund", { order: "C-2", euros: 5 });
    await own.settled(id);
    await own.restart(["read-only"]);
    await using visit = await Visit.open(browser, `${own.studio}#/run/${id}`);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await page.getByRole("button", { name: "Compare" }).waitFor();
    await visit.sees("You may not answer here.");

    expect(await page.getByRole("button", { name: /^(Fork|Cancel|Retry|Resume|Send)/ }).count()).toBe(0);
    expect(await page.locator("#ask form").count()).toBe(0);
    visit.expectNoFaults();
  });
});

describe("two runs", () => {
  it("are equal when only the order of a fan-out was another", async () => {
    const ids = ["one", "two"];
    for (const handler_id of ids) await server.settled(await server.run("digest", { files: 12 }, { handler_id }));
    await using visit = await Visit.open(browser, `${server.studio}#/compare/one/two`);
    await visit.sees("The runs are equal.");

    expect(await visit.page.locator("tr.ne").count()).toBe(0);
    visit.expectNoFaults();
  });

  it("tell their first difference: the input", async () => {
    for (const [handler_id, files] of [
      ["small", 3],
      ["large", 4],
    ] as const) {
      await server.settled(await server.run("digest", { files }, { handler_id }));
    }
    await using visit = await Visit.open(browser, `${server.studio}#/compare/small/large`);
    await textOf(visit.page.locator(".firstdiff")).toContain("files is 3 in A and 4 in B");
    await visit.page.getByRole("link", { name: "Swap sides" }).click();
    await textOf(visit.page.locator(".firstdiff")).toContain("files is 4 in A and 3 in B");
    const { status } = await server.ask<Handler>("/handlers/large");

    expect(status).toBe("completed");
    visit.expectNoFaults();
  });
});
