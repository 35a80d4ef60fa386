/** The page of a run against a real server: watched, answered, retried, wound back, forked, and found again after a crash. */
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
    await visit.sees("Past");
    const before = await where(page).textContent();
    await server.gate("open", "digest");
    await server.settled(id);
    await textOf(badge(page)).toBe("Completed");

    expect(await where(page).textContent()).toBe(before);
    await page.locator(".where + .btn").click();
    await textOf(node(page, "summarise")).toContain("11/12");
    await textOf(node(page, "summarise")).toContain("✕ 1");
    await textOf(page.locator(".lane-l").filter({ hasText: "summarise" })).toContain("×12");
    await expect.poll(() => page.locator(".bar.retried").count()).toBeGreaterThan(0);
    visit.expectNoFaults();
  });

  it("asks although its record was read in the last moment before it came to rest", async () => {
    const id = await server.run("refund", { order: "A-18", euros: 80 });
    await server.settled(id);
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    const early = { status: "running", completed_at: null, waiting: false, prompts: [] };
    let left = 1;
    // Without `times`: once a route is taken away, Chromium may never answer a request that is on its way (microsoft/playwright#41802).
    await page.route(`**/handlers/${id}`, async (route) => {
      if (left-- <= 0) return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...early } });
    });
    await visit.show(`#/run/${id}`);
    await page.getByRole("button", { name: "Send RefundDecision" }).waitFor();
    await textOf(badge(page)).toBe("Waiting");
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

  it("asks what a step asks with `ctx.ask`, by its title", async () => {
    const id = await server.run("asking", {});
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await page.getByRole("heading", { name: "Refund the order?" }).waitFor();
    await textOf(page.locator("#ask .kv")).toContain("A-17");
    await page.locator("#ask").getByText("Yes", { exact: true }).click();
    await page.getByLabel("euros", { exact: true }).fill("50");
    await page.getByRole("button", { name: "Send answer" }).click();

    await textOf(badge(page)).toBe("Completed");
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
    await expect.poll(() => dialog.locator("option").allTextContents()).toContain("RefundDecision");
    await dialog.getByLabel("Event", { exact: true }).selectOption("RefundDecision");
    await dialog.getByText("No", { exact: true }).click();
    await dialog.getByLabel("by", { exact: true }).fill("Ada");
    await visit.shoot("send-event");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();

    await textOf(badge(page)).toBe("Completed");
    await expect.poll(() => dialog.count()).toBe(0);
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
    await row(page, "check completed").waitFor();
    await own.kill();
    await textOf(page.locator(".conn")).toBe("Reconnecting…");
    await expect.poll(() => row(page, "check completed").count()).toBe(1);

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

describe("a run that is under way when its server is killed", () => {
  it("is followed to its end without a gap", async () => {
    await using own = await StudioServer.start();
    await own.gate("close", "count");
    const id = await own.run("count", { to: 400 });
    await using visit = await Visit.open(browser, `${own.studio}#/run/${id}`);
    const { page } = visit;
    await expect.poll(async () => Number((await where(page).textContent())?.replace(/\D/g, ""))).toBeGreaterThan(100);
    await own.kill();
    await textOf(page.locator(".conn")).toBe("Reconnecting…");
    await textOf(badge(page)).toBe("Running");
    await own.restart();

    await textOf(badge(page)).toBe("Completed");
    const entries = await own.history(id);
    const ticks = entries.filter(({ tick }) => tick.type !== "run.idled" && tick.type !== "time.passed");
    expect(ticks.length).toBeGreaterThan(800);
    await expect.poll(() => page.getByRole("option").first().getAttribute("aria-setsize")).toBe(String(ticks.length));
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
    await expect.poll(() => page.locator(".notice").count()).toBe(0);
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
    await expect.poll(() => row(page, "Run starts").getAttribute("aria-selected")).toBe("true");
    await expect.poll(() => page.locator(".log .r.after").count()).toBeGreaterThan(2);
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/run/${id}/1`);

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
    const entries = await server.history(id);
    // A slow machine has no time to rest between two attempts: it has fewer ticks.
    const [first = 0, second = 0, last = 0] = entries
      .filter(({ tick }) => tick.type === "step.failed")
      .map(({ number }) => number);
    await using visit = await open(id);
    const { page } = visit;
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.className);
    await textOf(where(page)).toBe(`Tick ${last}`);
    const steps: readonly (readonly [string, number])[] = [
      ["Shift+N", second],
      ["Shift+N", first],
      ["n", second],
      ["ArrowLeft", second - 1],
      ["j", second],
      ["k", second - 1],
      ["Shift+ArrowLeft", 1],
      ["End", last],
      ["Home", 1],
    ];
    for (const [key, tick] of steps) {
      await page.keyboard.press(key);
      await textOf(where(page)).toBe(`Tick ${tick}`);
    }
    await page.keyboard.press("Space");
    await textOf(where(page)).toBe(`Tick ${last}`);

    await page.keyboard.press("l");
    await expect.poll(focused).toBe("Ticks");
    await page.keyboard.press("ArrowUp");
    await textOf(where(page)).toBe(`Tick ${second}`);
    await page.keyboard.press("ArrowUp");
    await textOf(where(page)).toBe(`Tick ${first}`);
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
    await page.getByRole("dialog").getByText(`Fork from tick ${first}`).first().waitFor();
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
    await expect.poll(() => row(page, "check completed").count()).toBe(1);
    await expect.poll(() => page.locator(".lane-l.sel").textContent()).toContain("check");

    await page.keyboard.press("Escape");
    await expect.poll(() => row(page, "Run starts").count()).toBe(1);
    await page.getByLabel("Filter the log").fill("risk");
    await expect.poll(() => page.getByRole("option").count()).toBeLessThan(5);
    visit.expectNoFaults();
  });
});

describe("a fork", () => {
  it("keeps the past, takes an edited state, says what is refused, and is compared with where it comes from", async () => {
    const id = await server.run("refund", { order: "F-6", euros: 60 }, { handlerId: "origin" });
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
    await expect.poll(() => dialog.getByRole("button", { name: "Fork", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("risk").first().fill("0.81");
    await expect.poll(() => dialog.locator("pre").textContent()).toContain('"risk": 0.81');
    await dialog.getByText("The input Checked of approve stays as it is.").waitFor();
    await expect.poll(() => dialog.getByLabel("euros").count()).toBe(0);
    await dialog.getByLabel("Id of the new run").fill("origin");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();
    await dialog.locator(".errorbox").waitFor();
    await dialog.getByLabel("Id of the new run").fill("forked");
    await visit.shoot("run-fork");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();

    await textOf(page.locator("h1")).toBe("forked");
    await visit.main.getByRole("link", { name: "origin @ 3" }).waitFor();
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

  it("is of the tick at which it was asked for, while the run goes on", async () => {
    await using own = await StudioServer.start();
    await own.gate("close", "digest");
    const id = await own.run("digest", { files: 3 }, { handlerId: "going-on" });
    await using visit = await Visit.open(browser, `${own.studio}#/run/${id}`);
    const { page } = visit;
    await textOf(node(page, "summarise")).toContain("Running");
    const dialog = page.getByRole("dialog");
    await page.keyboard.press("f");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    // Gone from the page, not only closed: the studio hears of it a moment later.
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
    await visit.sees("● Live");
    await page.keyboard.press("f");
    await dialog.getByLabel("Id of the new run").fill("another-end");
    const title = await dialog.locator("h2").textContent();
    await own.gate("open", "digest");
    await textOf(badge(page)).toBe("Completed");

    expect(title).toMatch(/^Fork from tick \d+$/);
    expect(await dialog.locator("h2").textContent()).toBe(title);
    expect(await dialog.getByLabel("Id of the new run").inputValue()).toBe("another-end");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();
    await textOf(page.locator("h1")).toBe("another-end");
    expect(await own.settled("another-end")).toMatchObject({ result: { files: 3 } });
    visit.expectNoFaults();
  });

  it("takes another event where the server lets callers edit it", async () => {
    const id = await server.run("digest", { files: 2 }, { handlerId: "two-files" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    const fork = page.getByRole("button", { name: /^Fork from tick/ });
    await expect.poll(() => fork.isDisabled(), { timeout: 30_000 }).toBe(true); // at its last tick the run has ended
    await visit.show("#/run/two-files/1");
    await textOf(where(page)).toBe("Tick 1");
    await expect.poll(() => fork.isDisabled(), { timeout: 30_000 }).toBe(false);
    await page.getByRole("button", { name: "Fork from tick 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("files").fill("3");
    await dialog.getByLabel("Id of the new run").fill("three-files");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();

    await textOf(page.locator("h1")).toBe("three-files");
    expect(await server.settled("three-files")).toMatchObject({ result: { files: 3 } });
    visit.expectNoFaults();
  });

  it("offers of a pipeline what is not its own", async () => {
    const id = await server.run("article", { input: "wind mills" }, { handlerId: "ar-fork" });
    await server.settled(id);
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Outputs of finished steps stay as they are.").waitFor();
    expect(await dialog.textContent()).not.toMatch(/frames|visits|pipeline\./);
    await expect.poll(() => dialog.locator(".stedit label").allTextContents()).toEqual(["session"]);
    visit.expectNoFaults();
  });

  it("is not to be had where nothing may be changed, nor is any other action", async () => {
    await using own = await StudioServer.start();
    const id = await own.run("refund", { order: "C-2", euros: 5 });
    await own.settled(id);
    await own.restart(["read-only"]);
    await using visit = await Visit.open(browser, `${own.studio}#/run/${id}`);
    const { page } = visit;
    await textOf(badge(page)).toBe("Waiting");
    await page.getByRole("button", { name: "Compare" }).waitFor();
    await visit.sees("You may not answer here.");

    await expect.poll(() => page.getByRole("button", { name: /^(Fork|Cancel|Retry|Resume|Send)/ }).count()).toBe(0);
    await expect.poll(() => page.locator("#ask form").count()).toBe(0);
    visit.expectNoFaults();
  });
});

describe("two runs", () => {
  it("are equal when only the order of a fan-out was another", async () => {
    const ids = ["one", "two"];
    for (const handlerId of ids) await server.settled(await server.run("digest", { files: 12 }, { handlerId }));
    await using visit = await Visit.open(browser, `${server.studio}#/compare/one/two`);
    await visit.sees("The runs are equal.");

    await expect.poll(() => visit.page.locator("tr.ne").count()).toBe(0);
    visit.expectNoFaults();
  });

  it("tell their first difference: the input", async () => {
    for (const [handlerId, files] of [
      ["small", 3],
      ["large", 4],
    ] as const) {
      await server.settled(await server.run("digest", { files }, { handlerId }));
    }
    await using visit = await Visit.open(browser, `${server.studio}#/compare/small/large`);
    await textOf(visit.page.locator(".firstdiff")).toContain("files is 3 in A and 4 in B");
    await visit.page.getByRole("link", { name: "Swap sides" }).click();
    await textOf(visit.page.locator(".firstdiff")).toContain("files is 4 in A and 3 in B");

    expect((await server.settled("large")).status).toBe("completed");
    visit.expectNoFaults();
  });
});
