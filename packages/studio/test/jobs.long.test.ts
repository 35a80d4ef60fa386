/**
 * The jobs of an operator and of an approver over 50,000 runs, each from the page that the studio opens with, and what they take: clicks,
 * texts that are typed, keys and seconds. Printed as a table for the README.
 */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { writeEnded } from "./support/many-ended.js";
import { copyRun } from "./support/many-runs.js";
import { node } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";
import { within } from "./support/within.js";

const FAILED = 200;

let browser: Browser;
let server: StudioServer;
const table: string[] = [];

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start(["operated", "sources"])]);
  const settled = async (workflow: string, input: Record<string, unknown>, handlerId: string): Promise<void> => {
    await server.run(workflow, input, { handlerId });
    await server.settled(handlerId);
  };
  await settled("count", { to: 2 }, "first");
  await server.kill();
  copyRun(server.file, "first", 50_000);
  await writeEnded(server.file, 50_000);
  await server.restart();
  await Promise.all(
    Array.from({ length: FAILED }, (_, number) => server.run("import", {}, { handlerId: `im-${number}` })),
  );
  await vi.waitFor(async () => expect(await failed()).toBe(FAILED), 60_000);
  await settled("refund", { order: "A-733333" }, "claim-7");
  await settled("letter", {}, "letter-1");
  await settled("clerk", { input: "What does A-17 cost?" }, "clerk-1");
  await settled("clerk", { input: "Where is A-17?" }, "clerk-2");
  await server.gate("close", "digest");
  for (let number = 0; number < 5; number++)
    await server.run("digest", { files: 1 }, { handlerId: `mail-${number}`, queue: "mail" });
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  console.log(["| job | clicks or keys | measured |", "| --- | --- | --- |", ...table].join("\n"));
});

const failed = async (): Promise<number> => (await server.client.counts({ workflow: "import" })).status.failed;

/** Somebody at the list of runs, whose clicks, keys and texts are counted. */
class Operator {
  readonly visit: Visit;
  clicks = 0;
  keys = 0;
  texts = 0;
  readonly #startedAtMs = performance.now();

  constructor(visit: Visit) {
    this.visit = visit;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  /** A page of the navigation. */
  open(page: string): Promise<void> {
    return this.click(this.visit.page.getByRole("navigation").getByTitle(page, { exact: true }));
  }

  async type(into: Locator, text: string): Promise<void> {
    this.texts += 1;
    await into.fill(text);
  }

  async press(key: string): Promise<void> {
    this.keys += 1;
    await this.visit.page.keyboard.press(key);
  }

  get took(): string {
    const counted = [
      [this.clicks, "click"],
      [this.keys, "key"],
      [this.texts, "text"],
    ] as const;
    const words = counted
      .filter(([count]) => count > 0)
      .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`);
    return `${words.join(", ") || "none"} | ${((performance.now() - this.#startedAtMs) / 1_000).toFixed(1)} s`;
  }
}

/** Does a job, beginning where the list of runs has been drawn, or at an address that somebody has sent. */
function job(name: string, work: (operator: Operator) => Promise<void>, hash = "#/runs"): void {
  it(name, { timeout: 120_000 }, async () => {
    await using visit = await Visit.open(browser, `${server.studio}${hash}`, { width: 1280, height: 720 });
    if (hash === "#/runs") await visit.page.locator("tr[data-run]").first().waitFor();
    const operator = new Operator(visit);
    await within(name, work(operator));
    table.push(`| ${name} | ${operator.took} |`);
    visit.expectNoFaults();
  });
}

describe("over 50,000 runs, somebody can", () => {
  job("find the run by an id in its input", async (operator) => {
    const { page } = operator.visit;
    await operator.type(page.getByLabel("Search runs"), "input.order=A-733333");
    await expect.poll(() => page.locator("tr[data-run]").count()).toBe(1);
    await operator.click(page.getByRole("link", { name: "claim-7", exact: true }));
    await page
      .getByRole("button", { name: /^Input/ })
      .getByText("A-733333")
      .waitFor();
  });

  job("see why a run failed, and for which input", async (operator) => {
    const { page } = operator.visit;
    await operator.click(page.getByRole("link", { name: /^im-/ }).first());
    await page.getByRole("alert").getByText('"price" is -4.99').waitFor();
    await operator.click(page.getByRole("alert").getByRole("button", { name: "Show" }));
    await page.locator(".p-state").getByRole("region", { name: "Input" }).getByText("prices.csv").waitFor();
  });

  job("see which step is slow, and its runs", async (operator) => {
    const { visit } = operator;
    await operator.open("Workflows");
    await operator.click(visit.main.getByRole("link", { name: /^import/ }).first());
    const numbers = visit.main.locator(".react-flow__node", { hasText: "validate" }).locator("a.ended");
    await numbers.getByText(/\d m?s$/).waitFor();
    await operator.click(numbers);
    await expect
      .poll(() => decodeURIComponent(visit.page.url()))
      .toMatch(/#\/runs\/workflow:import step:validate after:24h$/);
    await visit.main.getByRole("link", { name: /^im-/ }).first().waitFor();
  });

  job("see what a deployment broke", async (operator) => {
    const { visit } = operator;
    await operator.open("Workflows");
    await operator.click(visit.main.getByRole("link", { name: /^import/ }).first());
    const versions = visit.main.getByRole("table", { name: "By version" });
    await versions.getByText("1.6.0").waitFor();
    await versions.getByText("10 %").waitFor();
    await operator.open("Failures");
    await visit.main.locator(".failures li").filter({ hasText: "1.6.0" }).first().waitFor();
  });

  job(`retry ${FAILED} failed runs of one cause`, async (operator) => {
    const { visit } = operator;
    await server.gate("close", "mended");
    await operator.open("Failures");
    const group = visit.main
      .locator(".failures li")
      .filter({ has: visit.page.locator(".count", { hasText: /^200 / }) });
    await operator.click(group.getByRole("button", { name: "Retry…" }));
    await operator.click(visit.page.getByRole("dialog").getByRole("button", { name: `Retry ${FAILED} runs` }));
    await visit.page.getByText(`${FAILED} retried, 0 skipped, 0 failed`).waitFor();
    await visit.shoot("job-retry");
    expect(await visit.hardships()).toEqual([]);
    await expect.poll(failed, { timeout: 30_000 }).toBe(0);
  });

  job("see what a model was asked in a step, and what it answered", async (operator) => {
    const { page } = operator.visit;
    await openCall(operator);
    await page.locator(".p-state").getByText("pay back double").first().waitFor();
  });

  job("change the prompt, and run again from there", async (operator) => {
    const { page } = operator.visit;
    await openCall(operator);
    await operator.click(page.getByRole("button", { name: "Ask again" }));
    const dialog = page.getByRole("dialog");
    await operator.type(dialog.getByLabel("Instructions"), "Never pay back double.");
    await operator.click(dialog.getByRole("button", { name: "Ask again" }));
    await page.locator(".modelpair").getByText("Never pay back double.").first().waitFor();
  });

  job("compare two runs", async (operator) => {
    const { page } = operator.visit;
    await operator.click(page.getByLabel("Select clerk-1", { exact: true }));
    await operator.click(page.getByLabel("Select clerk-2", { exact: true }));
    await operator.click(page.getByRole("link", { name: "Compare" }));
    await page.locator(".firstdiff").getByText("First difference.").waitFor();
  });

  job("approve what waits, with the text of it in view", async (operator) => {
    const { page } = operator.visit;
    await operator.open("Inbox");
    await operator.click(page.getByRole("list", { name: /Open questions/ }).getByText("letter-1"));
    const letter = page.getByLabel("letter", { exact: true });
    await expect.poll(() => letter.inputValue()).toContain("Dear Ada,");
    await operator.press("y");
    await expect.poll(async () => (await server.client.handle("letter-1").summary()).status).toBe("completed");
  });

  job("see how deep a queue is, and where a run stands in it", async (operator) => {
    const { visit } = operator;
    await operator.open("Queues");
    await visit.main.getByRole("region", { name: "mail" }).getByText("1 of 1").waitFor();
    await visit.show("#/run/mail-3");
    await visit.main.getByText("3rd in line of 4").waitFor();
  });

  job("see when a schedule starts next", async (operator) => {
    const { visit } = operator;
    await operator.open("Schedules");
    await operator.click(visit.main.getByRole("button", { name: "nightly" }));
    await visit.main.getByText("Next 5").waitFor();
  });

  job("make a test of a run", async (operator) => {
    const { page } = operator.visit;
    await operator.click(page.getByRole("link", { name: "clerk-1", exact: true }));
    await operator.click(page.getByRole("button", { name: "Copy as…" }));
    await operator.click(page.getByRole("dialog").getByRole("button", { name: "Test", exact: true }));
    await page.getByRole("dialog").getByText("test/clerk-1.test.ts", { exact: true }).waitFor();
  });

  job(
    "open a link to a run at a tick, with a step chosen",
    async ({ visit: { page } }) => {
      await page.locator(".where b").getByText("2").waitFor();
      await page.locator(".p-state").getByText("A-733333").first().waitFor();
    },
    "#/run/claim-7/2?step=check&shown=data",
  );
});

async function openCall(operator: Operator): Promise<void> {
  const { page } = operator.visit;
  await operator.click(page.getByRole("link", { name: "clerk-1", exact: true }));
  await operator.click(node(page, "answer"));
  const calls = page.locator(".p-state").getByRole("region", { name: "Calls" });
  await operator.click(calls.getByRole("button", { name: /mock\/small/ }).last());
}
