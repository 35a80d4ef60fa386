/** The studio in a browser, over a real server in a process of its own. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { promptsOf } from "../src/api/run-facts.js";
import { copyRun, writeSessions } from "./support/many-runs.js";
import { StudioServer } from "./support/server-process.js";
import { Visit } from "./support/visit.js";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const rowOf = (page: Page, id: string) => page.locator(`tr[data-run="${id}"]`);

describe("the first look", () => {
  it("says how to begin while there is no run, and lists the first one by itself", async () => {
    await using server = await StudioServer.start();
    await using visit = await Visit.open(browser, server.studio);
    await visit.sees("No run yet");
    await visit.main.getByRole("link", { name: "All 17 workflows" }).waitFor();
    expect(await visit.main.getByText("npm create").count()).toBe(0);
    await visit.shoot("first-start");
    expect(await visit.hardships()).toEqual([]);
    await visit.main.getByRole("link", { name: "refund" }).click();
    await visit.main.getByRole("button", { name: "Run refund" }).waitFor();
    await visit.page.goBack();

    const id = await server.run("count", { to: 3 });
    await rowOf(visit.page, id).getByText("Completed").waitFor();

    visit.expectNoFaults();
  });
});

describe("the list of workflows", () => {
  it("says of each how many runs it has had", async () => {
    await using server = await StudioServer.start();
    await server.settled(await server.run("count", { to: 3 }));
    await using visit = await Visit.open(browser, `${server.studio}#/workflows`);
    const row = (name: string) => visit.page.locator(".wfrow", { hasText: name });

    await row("count")
      .getByText(/, 1 run$| · 1 run$/)
      .waitFor();
    await row("refund")
      .getByText(/ · 0 runs$/)
      .waitFor();
    visit.expectNoFaults();
  });
});

describe("a run that is started with the form", () => {
  it("says at the field what is wrong, and opens the run once it is right", async () => {
    await using server = await StudioServer.start();
    await using visit = await Visit.open(browser, `${server.studio}#/workflow/refund`);
    const { page } = visit;
    await page.getByRole("button", { name: "Run refund" }).click();
    await visit.sees("Needed.");
    await page.getByLabel("euros").fill("501");
    await visit.sees("At most 500.");
    await visit.shoot("form-refused");
    expect(await visit.hardships()).toEqual([]);

    await page.getByLabel("euros").fill("80");
    await page.getByLabel(/^order/).fill("A-18");
    await page.getByText("Id and labels").click();
    await page.getByLabel("Run id").fill("rf-new");
    await page.getByLabel("Labels").fill("order=A-18, env=dev");
    await page.getByRole("button", { name: "Run refund" }).click();
    await page.waitForURL(/#\/run\/rf-new$/);

    const run = await server.settled("rf-new");
    expect(run).toMatchObject({ labels: { order: "A-18", env: "dev" }, status: "waiting" });
    expect(promptsOf(run)[0]?.event).toMatchObject({ order: "A-18", euros: 80 });
    visit.expectNoFaults();
  });

  it("takes JSON as well, begins with the defaults, and shows why the server has refused", async () => {
    await using server = await StudioServer.start();
    await using visit = await Visit.open(browser, `${server.studio}#/workflow/digest`);
    const { page } = visit;
    await page.getByRole("button", { name: "JSON" }).click();
    const text = page.getByRole("textbox", { name: "DigestInput" });
    expect(JSON.parse(await text.inputValue())).toMatchObject({ folder: "articles/", files: 20, language: "en" });

    await text.fill('{ "files": 5000 }');
    await page.getByRole("button", { name: "Run digest" }).click();
    await page.locator(".errorbox").waitFor();
    await visit.shoot("start-refused");
    await text.fill('{ "files": ');
    expect(await text.getAttribute("aria-invalid")).toBe("true");
    await text.fill('{ "files": 3 }');
    await page.getByRole("button", { name: "Run digest" }).click();
    await page.waitForURL(/#\/run\//);

    const { runs } = await server.client.runs();
    expect(await server.settled(runs[0]?.handlerId ?? "")).toMatchObject({ result: { files: 3 } });
    visit.expectNoFaults();
  });

  it("starts a pipeline with a text and a session", async () => {
    await using server = await StudioServer.start();
    await using visit = await Visit.open(browser, `${server.studio}#/workflow/article`);
    const { page } = visit;
    await page.getByLabel(/^input/).fill("water mills");
    await page.getByLabel(/^session_id/).fill("s-mills");
    await page.getByRole("button", { name: "Run article" }).click();
    await page.waitForURL(/#\/run\//);

    const { runs } = await server.client.runs();
    expect(await server.settled(runs[0]?.handlerId ?? "")).toMatchObject({
      labels: { session: "s-mills" },
      status: "waiting",
    });
    await visit.show("#/workflow/article");
    const names = visit.main.getByRole("table", { name: "By step" }).locator("tbody td:first-child");
    await expect.poll(() => names.allTextContents()).toContain("research");
    const inner = ["begin", "write", "write: gather", "polish", "publish: ask", "finish"];
    expect((await names.allTextContents()).filter((step) => inner.includes(step))).toEqual([]);
    visit.expectNoFaults();
  });
});

describe("the audit", () => {
  it("shows who did what to which run, also to one that is deleted, and to nobody who may only read", async () => {
    await using server = await StudioServer.start(["signed"]);
    const id = await server.run("refund", { order: "o-1" }, { handlerId: "kept" });
    await server.run("refund", { order: "o-2" }, { handlerId: "gone" });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/audit`);
    const { page } = visit;
    await page.getByLabel("Token").fill("acme-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    const rows = (): Promise<string[]> => page.locator("table.list tbody tr").allTextContents();
    await expect.poll(async () => (await rows()).length).toBe(2);

    await server.client.delete("gone");
    await expect.poll(async () => (await rows())[0]).toMatch(/^adadeletedgonerefundhttp/);
    await visit.shoot("audit-of-a-tenant");
    await page.getByRole("searchbox").fill("bob");
    await visit.sees("No entry of “bob”.");
    await page.getByRole("searchbox").fill("");
    await visit.main.getByRole("link", { name: "kept" }).first().click();
    await visit.sees("Run starts by ada through http");
    await visit.show("#/runs");

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").fill("reader-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Runs" }).waitFor();
    expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0);
    visit.expectNoFaults();
  });
});

describe("a session", () => {
  it("has the state and the runs of a pipeline, once one has ended", async () => {
    await using server = await StudioServer.start();
    const id = await server.run("article", { input: "water mills", session_id: "s-mills" });
    await server.settled(id);
    await using visit = await Visit.open(browser, `${server.studio}#/session/s-mills`);
    const { page } = visit;
    await visit.main.getByText("Waiting").waitFor();
    await visit.show(`#/run/${id}`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await expect.poll(() => page.locator(".runhead .badge").textContent()).toBe("Completed");
    await visit.show("#/sessions");
    await visit.main.getByRole("link", { name: "s-mills" }).click();

    await visit.main.getByRole("link", { name: id }).waitFor();
    await visit.main.getByText("Completed").waitFor();
    await visit.sees(/articles/);
    await visit.sees("water mills");
    await visit.shoot("session-of-a-pipeline");
    visit.expectNoFaults();
  });

  it("is in a list that goes on, with those of agents after those of pipelines", async () => {
    await using server = await StudioServer.start();
    await writeSessions(server.file, { session: 150, "agent-session": 20 });
    await using visit = await Visit.open(browser, `${server.studio}#/sessions`);
    const { page } = visit;
    const rows = (): Promise<number> => page.locator("table.list tbody tr").count();
    const more = page.getByRole("button", { name: "Load more" });
    await expect.poll(rows).toBe(100);

    await more.click();
    await expect.poll(rows).toBe(170);
    expect(await more.count()).toBe(0);
    await page.getByRole("searchbox").fill("agent-session-1");
    await expect.poll(rows).toBe(11);
    expect(await more.count()).toBe(0);
    visit.expectNoFaults();
  });
});

describe("the list of runs", () => {
  it("shows each change by itself, whatever page of the past it was opened at", async () => {
    await using server = await StudioServer.start();
    await server.gate("close", "digest");
    const slow = await server.run("digest", { files: 2 }, { handlerId: "dg-slow" });
    await using visit = await Visit.open(browser, server.studio);
    await rowOf(visit.page, slow).getByText("Running").waitFor();

    await server.gate("open", "digest");
    await rowOf(visit.page, slow).getByText("Completed").waitFor();
    const asked = await server.run("refund", { order: "A-1" }, { handlerId: "rf-1" });
    await rowOf(visit.page, asked).getByText("Waiting").waitFor();
    await rowOf(visit.page, asked).getByText("asks ApproveRefund").waitFor();
    const letter = await server.run("letter", {}, { handlerId: "lt-1" });
    await rowOf(visit.page, letter).getByText("Send this letter?").waitFor();
    await server.client.delete(letter);
    await rowOf(visit.page, letter).waitFor({ state: "detached" });
    await visit.page.getByRole("link", { name: /Inbox/ }).getByText("1", { exact: true }).waitFor();

    await server.client.delete(asked);
    await rowOf(visit.page, asked).waitFor({ state: "detached" });
    visit.expectNoFaults();
  });

  it("is narrowed down by status, workflow and text, with counts", async () => {
    await using server = await StudioServer.start();
    for (const order of ["A-1", "A-2"])
      await server.settled(await server.run("refund", { order }, { handlerId: order, labels: { order } }));
    await server.settled(await server.run("import", {}, { handlerId: "im-1" }));
    await server.settled(await server.run("count", { to: 2 }, { handlerId: "ct-1" }));
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    const ids = (): Promise<(string | null)[]> =>
      page.locator("tr[data-run]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-run")));
    await expect.poll(ids).toEqual(["ct-1", "im-1", "A-2", "A-1"]);

    await page.getByRole("button", { name: /^Waiting\s*2/ }).click();
    await expect.poll(ids).toEqual(["A-2", "A-1"]);
    await page.getByRole("button", { name: /^Failed\s*1/ }).click();
    await expect.poll(ids).toEqual(["im-1"]);
    await page.getByRole("button", { name: /^All/ }).click();
    await page.getByLabel("Workflow").selectOption("count");
    await expect.poll(ids).toEqual(["ct-1"]);
    await page.getByLabel("Workflow").selectOption("");
    for (const [text, found] of [
      ["A-2", ["A-2"]],
      ["Row 812", ["im-1"]],
      ["ct", ["ct-1"]],
    ] as const) {
      await page.keyboard.press("Escape");
      await page.getByLabel("Search runs").fill(text);
      await expect.poll(ids).toEqual(found);
    }
    await page.getByLabel("Search runs").fill("nothing of the kind");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(ids).toEqual(["ct-1", "im-1", "A-2", "A-1"]);
    visit.expectNoFaults();
  });

  it("keeps its filter in the address: over a reload and over Back, and a click on a label adds to it", async () => {
    await using server = await StudioServer.start();
    await server.client.run("count", { to: 1 }, { handlerId: "query-1", labels: { team: "berlin" } });
    await server.client.run("count", { to: 1 }, { handlerId: "query-2", labels: { team: "paris" } });
    await using visit = await Visit.open(browser, `${server.studio}#/runs`);
    const { page } = visit;
    const bar = page.getByLabel("Search runs");
    const rows = page.locator("tr[data-run]");
    await bar.fill("status:completed workflow:count query-");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByTitle("Only runs with team=berlin").click();
    await expect.poll(() => bar.inputValue()).toBe("status:completed workflow:count label.team=berlin query-");
    await expect.poll(() => rows.count()).toBe(1);
    await visit.shoot("query-bar");
    expect(await visit.hardships()).toEqual([]);

    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await rows.locator("a").first().click();
    await page.locator(".transport").waitFor();
    await page.goBack();
    await expect.poll(() => bar.inputValue()).toBe("status:completed workflow:count label.team=berlin query-");
    await bar.fill("status:odd");
    await page.getByText("A status is one of").waitFor();
    visit.expectNoFaults();
  });

  it("goes by keys alone: down, pick two, compare; down, open; search; help", async () => {
    await using server = await StudioServer.start();
    for (const id of ["one", "two", "three"])
      await server.settled(await server.run("count", { to: 2 }, { handlerId: id }));
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await rowOf(page, "one").waitFor();
    for (const key of ["j", "x", "j", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("link", { name: "Compare" }).waitFor();
    await visit.shoot("picked");
    await page.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/#\/compare\/three\/one$/);
    // The list stays until the next page is loaded, and knows what was picked.
    await rowOf(page, "one").waitFor({ state: "detached" });

    await visit.show("#/runs");
    await rowOf(page, "one").waitFor();
    for (const key of ["j", "j", "k", "j", "Enter"]) await page.keyboard.press(key);
    await page.waitForURL(/#\/run\/two$/);
    await rowOf(page, "one").waitFor({ state: "detached" });
    await visit.show("#/runs");
    await rowOf(page, "one").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("two");
    await rowOf(page, "one").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await visit.shoot("keyboard");
    expect(await visit.hardships()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    visit.expectNoFaults();
  });
});

describe("a server that is killed", () => {
  it("leaves what was read on the page, and is followed again when it is back", async () => {
    await using server = await StudioServer.start();
    await server.settled(await server.run("refund", { order: "A-1" }, { handlerId: "rf-1" }));
    await using visit = await Visit.open(browser, server.studio);
    await rowOf(visit.page, "rf-1").getByText("Waiting").waitFor();
    await visit.sees("Connected");

    await server.kill();
    await visit.sees("Reconnecting…");
    await rowOf(visit.page, "rf-1").waitFor();
    await visit.shoot("reconnecting");
    await server.restart();
    await visit.sees("Connected");
    await server.answer("rf-1", { approved: true, by: "Ada" });
    await rowOf(visit.page, "rf-1").getByText("Completed").waitFor();
    visit.expectNoFaults();
  });
});

describe("a part of the studio that is first needed while the server is away", () => {
  it("is loaded once it is back", async () => {
    await using server = await StudioServer.start();
    await server.settled(await server.run("refund", { order: "A-1" }, { handlerId: "rf-1" }));
    await using visit = await Visit.open(browser, server.studio);
    await rowOf(visit.page, "rf-1").getByText("Waiting").waitFor();
    await server.kill();
    await visit.sees("Reconnecting…");
    await visit.main.getByRole("link", { name: "rf-1" }).click();
    await visit.page.waitForURL(/#\/run\/rf-1/);
    await server.restart();

    await visit.main.getByRole("button", { name: "Send RefundDecision" }).waitFor();
    visit.expectNoFaults();
  });

  it("is said to be missing where the server has none any more, and looked for again with the page", async () => {
    await using server = await StudioServer.start();
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await visit.sees("No run yet");
    await page.route("**/workflows-page*.js", (route) => route.fulfill({ status: 404 }));
    await visit.show("#/workflows");
    await visit.sees("A part of the studio was not found.");
    await visit.sees("STUDIO_PART_MISSING");

    await page.unroute("**/workflows-page*.js");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.locator(".wfrow", { hasText: "refund" }).waitFor();
  });
});

describe("a browser that may remember nothing", () => {
  it("shows the studio, and forgets the token with the page", async () => {
    await using server = await StudioServer.start(["signed"]);
    await server.settled(await server.run("count", { to: 2 }, { handlerId: "ct-acme" }));
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await page.addInitScript(() => {
      const denied = (): never => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      };
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: denied });
    });
    await page.reload();

    await page.getByLabel("Token").fill("acme-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await rowOf(page, "ct-acme").waitFor();
    await page.reload();

    await page.getByLabel("Token").waitFor();
    visit.expectNoFaults();
  });
});

describe("a server that asks for a token", () => {
  it("asks for it, refuses a wrong one, shows the tenant, and forgets it on sign-out", async () => {
    await using server = await StudioServer.start(["signed"]);
    await server.settled(await server.run("count", { to: 2 }, { handlerId: "ct-acme" }));
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await page.getByLabel("Token").fill("wrong");
    await visit.shoot("sign-in");
    expect(await visit.hardships()).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).click();
    await visit.sees("The server has refused the token.");

    await page.getByLabel("Token").fill("acme-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await rowOf(page, "ct-acme").waitFor();
    await page.getByTitle("Tenant whose runs you see").getByText("acme").waitFor();
    await page.reload();
    await rowOf(page, "ct-acme").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(
      await page.evaluate(() => sessionStorage.length + Number(document.body.outerHTML.includes("acme-token"))),
    ).toBe(0);
    visit.expectNoFaults();
  });

  it("shows one who may only look no button that changes something", async () => {
    await using server = await StudioServer.start(["signed"]);
    await server.settled(await server.run("count", { to: 2 }, { handlerId: "ct-acme" }));
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await page.getByLabel("Token").fill("reader-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await rowOf(page, "ct-acme").waitFor();
    await visit.sees("Read only");
    await expect.poll(() => page.getByRole("link", { name: "Run a workflow" }).count()).toBe(0);
    await visit.shoot("read-only");
    await visit.show("#/workflow/count");
    await visit.sees("ct-acme");
    await expect.poll(() => page.getByRole("button", { name: "Run count" }).count()).toBe(0);
    visit.expectNoFaults();
  });
});

describe("100,000 runs", () => {
  const rowPixels = 38;

  it("are listed page by page, with few rows in the page at a time", async () => {
    const copies = 100_000;
    await using server = await StudioServer.start();
    await server.run("count", { to: 2 }, { handlerId: "first", labels: { team: "content" } });
    // Its end is stored with the last tick, its status a moment later: copies of a run that seems to run would all be taken up.
    const ended = async () => (await server.client.runs({ status: "completed" })).runs.length;
    await expect.poll(ended).toBe(1);
    await server.kill();
    copyRun(server.file, "first", copies);
    await server.restart();
    await using visit = await Visit.open(browser, server.studio);
    const { page } = visit;
    await rowOf(page, "first").waitFor();
    await visit.sees(/100 of 100.001, newest first/);
    await page.getByRole("button", { name: /^Failed\s*1.000/ }).waitFor();

    // Each page that arrives moves the end on, so what is at the end when somebody looks is not known.
    const read = page.locator("table.list");
    await expect
      .poll(async () => {
        await visit.scroll("end");
        return Number(await read.getAttribute("aria-rowcount"));
      })
      .toBeGreaterThan(400);
    for (const place of [399, 299, 199, 99, 250]) {
      await visit.scroll(place * rowPixels);
      await rowOf(page, `bulk-${place}`).waitFor();
      await expect.poll(() => page.locator("tr[data-run]").count()).toBeLessThan(80);
    }
    await visit.shoot("many-runs");
    await visit.scroll(0);
    await rowOf(page, "first").waitFor();
    await page.getByLabel("Search runs").fill("bulk-7777");
    await rowOf(page, "bulk-7777").waitFor();
    await rowOf(page, "bulk-77770").waitFor();
    await expect.poll(() => page.locator("tr[data-run]").count()).toBe(11);
    visit.expectNoFaults();
  });
});
