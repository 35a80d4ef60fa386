/** The data of a run in a browser, over a real server: input and result, of each step too, and the same run again. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { badge, node, row, textOf } from "./support/run-page.js";
import { StudioServer } from "./support/server-process.js";
import { Visit, type VisitOptions } from "./support/visit.js";

let browser: Browser;
let server: StudioServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), StudioServer.start(["sources"])]);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

async function open(id: string, options: VisitOptions = {}): Promise<Visit> {
  const visit = await Visit.open(browser, `${server.studio}#/run/${id}`, options);
  await visit.page.locator(".transport").waitFor();
  return visit;
}

const section = (visit: Visit, name: string) =>
  visit.page.locator(".p-state").getByRole("region", { name, exact: true });

async function ended(workflow: string, input: Record<string, unknown> = {}): Promise<string> {
  const id = await server.run(workflow, input);
  await server.settled(id);
  return id;
}

describe("the head of a run", () => {
  it("has its input and its result, each in a line that opens", async () => {
    const id = await ended("digest", { files: 2 });
    await using visit = await open(id);
    const { page } = visit;
    const input = page.getByRole("button", { name: /^Input/ });
    await textOf(input).toContain('"files":2');
    await textOf(page.getByRole("button", { name: /^Result/ })).toContain('"words":312');

    await input.click();
    await page.locator(".rundata .datum").getByText("articles/").waitFor();
    await visit.shoot("data-of-a-run");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy input" }).click();
    await page.getByRole("button", { name: "Copied input" }).waitFor();
    const copied: unknown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toMatchObject({ folder: "articles/", files: 2 });
    expect(await visit.hardships()).toEqual([]);
    await input.click();
    expect(await page.locator(".rundata .datum").count()).toBe(0);
    visit.expectNoFaults();
  });

  it("has the input of a fork from where it comes", async () => {
    const id = await ended("digest", { files: 3 });
    const fork = server.client.fork(id, { at: 4 });
    await fork.accepted;
    await server.settled(fork.handlerId);
    await using visit = await open(fork.handlerId);

    await textOf(visit.page.getByRole("button", { name: /^Input/ })).toContain('"files":3');
    visit.expectNoFaults();
  });
});

describe("a step", () => {
  it("shows on a click what went in and what came out, for each of its items", async () => {
    const id = await ended("digest", { files: 4 });
    await using visit = await open(id);
    const { page } = visit;
    await node(page, "summarise").click();
    const item = page.getByRole("combobox", { name: "Item" });
    await textOf(section(visit, "Input")).toContain("articles/4.md");
    await textOf(section(visit, "Output")).toContain("words");
    await expect.poll(() => item.locator("option").count()).toBe(4);
    await textOf(section(visit, "Attempts")).toContain("the model is busy");
    await visit.shoot("data-of-a-step");
    expect(await visit.hardships()).toEqual([]);

    await item.selectOption({ label: "item 3, completed" });
    await textOf(section(visit, "Input")).toContain("articles/1.md");
    await node(page, "find").click();
    const cells = section(visit, "Output").getByRole("cell");
    await expect.poll(() => cells.count()).toBe(8);
    await node(page, "write").click();
    await textOf(section(visit, "Input").getByRole("row").first()).toContain("words");
    await expect.poll(() => section(visit, "Input").getByRole("row").count()).toBe(5);
    await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "State" }).click();
    await page.getByRole("group", { name: "State tree" }).waitFor();
    visit.expectNoFaults();
  });

  it("that failed shows its error beside its input, from the line that says so", async () => {
    const id = await ended("import");
    await using visit = await open(id);
    const { page } = visit;
    await page.getByRole("alert").getByRole("button", { name: "Show" }).click();
    await textOf(section(visit, "Error")).toContain("TypeError: Row 812 of 1204");
    await textOf(section(visit, "Input")).toContain("1204");
    await textOf(section(visit, "Attempts")).toContain("failed, tried again");
    await visit.shoot("data-of-a-failure");
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });

  it("leaves room for the log and the data below a long question", async () => {
    const id = await ended("refund", { order: "A-17", euros: 80 });
    await using visit = await open(id, { width: 1280, height: 720 });
    await node(visit.page, "approve").click();
    await section(visit, "Input").waitFor();
    const tops = await Promise.all(
      [".prompt", ".p-log", ".p-state"].map((name) =>
        visit.page.locator(name).evaluate((one) => (one as HTMLElement).offsetTop),
      ),
    );
    const heights = await Promise.all(
      [".p-log .log", ".p-state .data"].map((name) => visit.page.locator(name).evaluate((one) => one.clientHeight)),
    );

    await expect
      .poll(() => section(visit, "Input").evaluate((one) => one.getBoundingClientRect().bottom))
      .toBeLessThan(660);
    expect(tops).toEqual([...tops].sort((one, other) => one - other));
    for (const height of heights) expect(height).toBeGreaterThan(80);
    await visit.shoot("inspector-with-a-question-1280");
    visit.expectNoFaults();
  });

  it("is shown by a click on a row of the log and on a bar", async () => {
    const id = await ended("refund", { order: "A-17", euros: 80 });
    await using visit = await open(id);
    const { page } = visit;
    await row(page, "Run starts").click();
    await page.locator(".p-state .data").getByText("A-17").first().waitFor();
    await textOf(row(page, "Run starts")).toContain('{"order":"A-17","euros":80}');
    await textOf(row(page, "check completed")).toContain('Checked {"order":"A-17","euros":80,"risk":');
    await row(page, "check completed").click();
    await textOf(section(visit, "Output")).toContain("risk");
    await page.locator(".lane .bar").last().click();
    await textOf(page.locator(".itemhead h3")).toBe("approve");
    await textOf(section(visit, "Input")).toContain("A-17");
    visit.expectNoFaults();
  });

  it("of a pipeline shows its content, also inside of another one", async () => {
    const id = await ended("article", { input: "water mills" });
    await using visit = await open(id);
    await node(visit.page, "research").press("Enter");
    await textOf(section(visit, "Output")).toContain("notes of water mills");
    await textOf(section(visit, "Input")).toContain("water mills");
    await node(visit.page, "edit").press("Enter");
    await textOf(section(visit, "Input")).toContain("the body of water mills");
    await textOf(section(visit, "Input of the run")).toContain("water mills");
    await node(visit.page, "sketch›order").press("Enter");
    await textOf(section(visit, "Output")).toContain("an order of");
    await textOf(section(visit, "Input")).toContain("a beginning of notes of water mills");
    visit.expectNoFaults();
  });

  it("of a pipeline that has failed is red, and its run is a failed one in the list and its counts", async () => {
    const id = await ended("archive", { input: "maps" });
    await using visit = await open(id);
    const { page } = visit;
    await textOf(badge(page)).toBe("Failed");
    await textOf(page.getByRole("alert")).toBe("archive failed after 1 attempt. The shelf is full.Show");
    await textOf(page.locator(".facts").getByText("Attempts").locator("..")).toBe("Attempts2 (1 failed)");
    await row(page, "archive failed").waitFor();
    expect(await page.getByRole("option").allTextContents()).not.toContainEqual(
      expect.stringMatching(/finish|caught|frames|Run ".*" of the pipeline/),
    );
    await textOf(row(page, "collect completed")).toContain('"pages of maps"');
    await textOf(node(page, "archive").locator(".sr")).toContain("Failed");
    await textOf(node(page, "collect").locator(".sr")).toContain("Completed");
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await visit.shoot("failed-pipeline");
    await page.getByRole("link", { name: "Runs" }).first().click();
    await page
      .getByRole("group", { name: "Status" })
      .getByRole("button", { name: /^Failed/ })
      .click();
    await page.locator(`a[href*="${id}"]`).first().waitFor();
    visit.expectNoFaults();
  });

  it("of a pipeline is in its state by its name, and the result is what the last one gave", async () => {
    const id = await ended("report", { input: "maps" });
    await using visit = await open(id);
    const { page } = visit;
    await textOf(page.getByRole("button", { name: /^Result/ })).toBe("Resultmail of maps");
    expect(await page.getByRole("button", { name: "Send event" }).count()).toBe(0);
    const tree = page.getByRole("group", { name: "State tree" });
    for (const output of ['draft "draft of maps"', 'facts "facts of maps"', 'mail "mail of maps"'])
      await expect.poll(() => tree.textContent()).toContain(output.replace(" ", ""));
    await row(page, "facts completed").click();
    await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "Changed" }).click();
    await expect.poll(() => tree.textContent()).toBe('outputs {3}facts"facts of maps"');

    await page.getByRole("button", { name: /^Result/ }).click();
    await page.getByText("Everything that the pipeline returned").click();
    await page.locator(".rundata .whole").getByText("stepResults").waitFor();
    await visit.shoot("result-of-a-pipeline");
    expect(await visit.hardships()).toEqual([]);
    visit.expectNoFaults();
  });

  it.each([
    ["light", 1280, 720],
    ["dark", 1440, 900],
    ["light", 390, 844],
    ["dark", 390, 844],
  ] as const)("is readable in %s, %i px wide", async (colours, width, height) => {
    const id = await ended("digest", { files: 7 });
    await using visit = await open(id, { colours, width, height });
    await node(visit.page, "summarise").click();
    await section(visit, "Input").waitFor();
    expect(await visit.isWide()).toBe(false);
    expect(await visit.hardships()).toEqual([]);
    await visit.shoot(`inspector-${colours}-${width}`);
    visit.expectNoFaults();
  });
});

describe("an event of the graph", () => {
  it("shows all events of its type up to the cursor as a table", async () => {
    const id = await ended("digest", { files: 4 });
    await using visit = await open(id);
    const { page } = visit;
    await page.locator(".node.event", { hasText: "Summary" }).click();
    const rows = section(visit, "4 events").getByRole("row");
    await expect.poll(() => rows.count()).toBe(5);
    await visit.shoot("data-of-events");
    expect(await visit.hardships()).toEqual([]);
    await page.locator(".node.start").click();
    await textOf(section(visit, "1 event")).toContain("articles/");

    await page.locator(".node.event", { hasText: "Summary" }).click();
    await page.keyboard.press("Home");
    await page.locator(".p-state").getByText("There was none up to tick 1.").waitFor();
    visit.expectNoFaults();
  });
});

describe("a run that has ended", () => {
  it("is run again with other input, as a run of its own", async () => {
    const first = server.client.run("digest", { files: 2 }, { labels: { team: "docs" } });
    await first;
    await using visit = await open(first.handlerId);
    const { page } = visit;
    await page.getByRole("button", { name: "Run again" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("files").inputValue()).toBe("2");
    await visit.shoot("run-again");
    expect(await visit.hardships()).toEqual([]);
    await dialog.getByLabel("files").fill("3");
    await dialog.getByRole("button", { name: "Run again" }).click();

    await page.waitForURL((url) => url.hash.startsWith("#/run/") && !url.hash.includes(first.handlerId));
    await textOf(badge(page)).toBe("Completed");
    const { runs } = await server.client.runs({ labels: { team: "docs" } });
    expect(runs.map((run) => run.status === "completed" && run.result)).toEqual([
      expect.objectContaining({ files: 3 }),
      expect.objectContaining({ files: 2 }),
    ]);
    visit.expectNoFaults();
  });

  it("is run again from a step, with another input of one of its items", async () => {
    const id = await ended("digest", { files: 2 });
    await using visit = await open(id);
    const { page } = visit;
    await node(page, "summarise").click();
    await page.getByRole("button", { name: "Run again from here" }).click();
    const dialog = page.getByRole("dialog");
    const path = dialog.getByLabel("path");
    await expect.poll(() => path.inputValue()).toBe('"articles/2.md"');
    await path.fill('"articles/a-longer-name.md"');
    await dialog.getByLabel("Id of the new run").fill(`${id}-again`);
    await visit.shoot("run-again-from-a-step");
    expect(await visit.hardships()).toEqual([]);
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();

    await textOf(page.locator("h1")).toBe(`${id}-again`);
    expect(await server.settled(`${id}-again`)).toMatchObject({ result: { files: 2, words: 456 } });
    visit.expectNoFaults();
  });

  it("of a pipeline is run again with its text", async () => {
    const id = await ended("article", { input: "wind mills" });
    await server.client.handle(id).cancel();
    await using visit = await open(id);
    await visit.page.getByRole("button", { name: "Run again" }).click();
    const dialog = visit.page.getByRole("dialog");
    expect(await dialog.getByLabel(/^input/).inputValue()).toBe("wind mills");
    visit.expectNoFaults();
  });
});
