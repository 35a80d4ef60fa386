/** The built site in a browser. */
import { packRunFile, saveRun } from "@millrace/client/run-file";
import { createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openBrowser } from "../../packages/client/test/support/browser.js";
import { type Colours, Visit } from "../../packages/studio/test/support/visit.js";
import { served } from "./support/served.ts";

let browser: Browser;
let site: Awaited<ReturnType<typeof served>>;

beforeAll(async () => {
  [browser, site] = await Promise.all([openBrowser(), served()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
});

const pages: readonly (readonly [path: string, shows: string])[] = [
  ["/", "What it does"],
  ["/how-to/fan-out-fan-in.html", "Fan out"],
  ["/errors/STEP_TIMEOUT.html", "A step took longer than its timeout."],
  ["/how-to/serve-from-a-framework.html", "All of them share this file."],
  ["/numbers.html", "aims are missed"],
  ["/tiny.html", "Kill the process"],
  ["/playground.html", "compiled and run in your browser"],
];
const guides: readonly (readonly [words: string, guide: RegExp])[] = [
  ["human in the loop", /\/how-to\/ask-a-person/],
  ["approve", /\/how-to\/approve-/],
  ["retry", /\/how-to\/retries-and-recovery/],
  ["cron", /\/how-to\/schedules/],
  ["pause", /\/how-to\/answer-and-cancel-runs/],
  ["resume", /\/how-to\/answer-and-cancel-runs/],
  ["chat", /\/how-to\/show-an-agent-in-a-chat/],
  ["queue", /\/how-to\/queues-and-limits/],
];
const looks: readonly (readonly [width: number, colours: Colours])[] = [
  [1440, "light"],
  [390, "dark"],
];

describe("the pages", () => {
  it.each(looks)("are readable, %i wide and %s", async (width, colours) => {
    await using visit = await Visit.open(browser, site.url, { width, colours });
    for (const [path, shows] of pages) {
      await visit.page.goto(new URL(path, site.url).href);
      await visit.sees(shows);

      expect(await visit.hardships(), path).toEqual([]);
      expect(await visit.isWide(), `${path} is wider than the screen`).toBe(false);
    }
    expect(await visit.page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(
      colours === "dark",
    );
    visit.expectNoFaults();
  });

  it("are found by a word, those of the API too", async () => {
    await using visit = await Visit.open(browser, site.url);
    const { page } = visit;

    await openSearch(page);
    await page.getByRole("searchbox").fill("STEP_TIMEOUT");
    await page.getByRole("option", { name: "STEP_TIMEOUT" }).first().click();
    await page.waitForURL(/\/errors\/STEP_TIMEOUT/);
    await openSearch(page);
    await page.getByRole("searchbox").fill("proveResumable");
    await page.getByRole("option").filter({ hasText: "testing" }).first().waitFor();

    visit.expectNoFaults();
  });

  it("are found by the words of readers, the guide first", async () => {
    await using visit = await Visit.open(browser, site.url);
    const { page } = visit;
    await openSearch(page);

    for (const [words, guide] of guides) {
      await page.getByRole("searchbox").fill(words);

      await expect
        .poll(() => page.getByRole("option").first().locator("a").getAttribute("href"), { message: words })
        .toMatch(guide);
    }
    visit.expectNoFaults();
  });

  it("have tabs for the package managers, with the same commands", async () => {
    await using visit = await Visit.open(browser, new URL("/how-to/agents.html", site.url).href);
    const group = visit.page.locator(".vp-code-group").first();

    const shown: string[] = [];
    for (const manager of ["npm", "pnpm", "yarn", "bun"]) {
      await group.locator(`label[data-title="${manager}"]`).click();
      shown.push((await group.locator("pre:visible").textContent()) ?? "");
    }

    expect(shown.map((text) => text.trim())).toEqual([
      "npm install millrace @millrace/agents ai zod",
      "pnpm add millrace @millrace/agents ai zod",
      "yarn add millrace @millrace/agents ai zod",
      "bun add millrace @millrace/agents ai zod",
    ]);
    expect(await (await fetch(new URL("how-to/agents.md", site.url))).text()).not.toContain("pnpm add");

    // jhildenbiddle/docsify-tabs#17, facelessuser/pymdown-extensions#1089: the choice holds on the next page.
    const open = () => visit.page.locator(".vp-code-group pre:visible").first().textContent();
    await visit.page.goto(new URL("/setup.html", site.url).href);
    await expect.poll(open, { message: "the choice holds on another page" }).toContain("bun ");
    const groups = visit.page.locator(".vp-code-group");
    await groups.last().locator('label[data-title="yarn"]').click();
    expect(await groups.first().locator("label[data-title=yarn]").evaluate(isChosen)).toBe(true);
    expect(await open(), "in the other groups of the page").toContain("yarn ");
    // executablebooks/sphinx-design#46: with the keyboard, too.
    await groups.last().locator("input:checked").focus();
    await visit.page.keyboard.press("ArrowRight");
    expect(await open(), "by an arrow key").toContain("bun ");
    await visit.page.keyboard.press("ArrowLeft");
    await visit.page.locator(".VPSidebar").getByRole("link", { name: "Agents and teams" }).click();
    await visit.page.waitForURL(/how-to\/agents/);
    await expect.poll(open, { message: "after a link" }).toContain("yarn add");
    visit.expectNoFaults();
  });

  it("have a picker of frameworks, which remembers the choice", async () => {
    await using visit = await Visit.open(browser, new URL("/how-to/serve-from-a-framework.html", site.url).href);
    const { page } = visit;
    const shown = () => page.locator(".picked-section:visible > h2").allTextContents();
    const names = async () => (await shown()).map((text) => text.replace(/[^\w ]/g, "").trim());
    const picker = page.getByRole("navigation", { name: "Framework" });
    const all = ["Next", "Hono", "Express", "Fastify", "NestJS", "Nuxt and Nitro", "SvelteKit", "TanStack Start"];
    await alive(page);
    expect(await names()).toEqual([...all, "Cloudflare", "AWS Lambda", "Bun", "Deno"]);

    await picker.getByRole("link", { name: "Bun" }).click();
    expect(await names()).toEqual(["Bun"]);
    expect(page.url()).toMatch(/#bun$/);
    await page.goto(new URL("/setup.html", site.url).href);
    await expect.poll(names, { message: "the choice holds on another page" }).toEqual(["Bun"]);
    // executablebooks/sphinx-design#239: an address inside of a hidden section.
    await page.goto(new URL("/setup.html#with-vite-8", site.url).href);
    await expect.poll(names, { message: "an address goes first" }).toEqual(["Vitest 5"]);
    await page.locator(".VPDocAsideOutline").getByRole("link", { name: "Deno" }).click();
    await expect.poll(names, { message: "the outline leads to a hidden section" }).toEqual(["Deno"]);
    await page.getByRole("navigation", { name: "Tool" }).getByRole("link", { name: "All" }).click();
    expect((await names()).length).toBeGreaterThan(10);
    await page.reload();
    await alive(page);
    expect((await names()).length, "the last choice").toBeGreaterThan(10);

    expect(await (await fetch(new URL("how-to/serve-from-a-framework.md", site.url))).text()).toContain("## Deno");
    visit.expectNoFaults();
  });

  it("show all sections where scripts or storage are forbidden", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(new URL("/how-to/serve-from-a-framework.html", site.url).href);

    expect(await page.locator(".picked-section:visible").count()).toBe(12);
    await page.getByRole("navigation", { name: "Framework" }).getByRole("link", { name: "Deno" }).click();
    expect(page.url()).toMatch(/#deno$/);
    await context.close();

    await using visit = await Visit.open(browser, site.url);
    await visit.page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("forbidden", "SecurityError");
        },
      });
    });
    await visit.page.goto(new URL("/how-to/serve-from-a-framework.html", site.url).href);
    await visit.page.getByRole("navigation", { name: "Framework" }).getByRole("link", { name: "Hono" }).click();
    await expect.poll(() => visit.page.locator(".picked-section:visible").count()).toBe(1);
  });

  it("lead from one to the other, and to source files", async () => {
    await using visit = await Visit.open(browser, new URL("/docs.html", site.url).href);
    const { page } = visit;

    await page.locator(".vp-doc").getByRole("link", { name: "@millrace/server" }).first().click();
    await page.getByRole("heading", { level: 1, name: "@millrace/server" }).waitFor();
    await page.goto(new URL("/how-to/hello.html", site.url).href);
    await page.locator(".vp-doc").locator("a[href*='hello.ts']").first().click();
    await page.waitForURL(/\/source\/examples\/hello\.ts\.txt$/);

    expect(await page.content()).toContain("class JokeFlow");
    visit.expectNoFaults();
  });
});

describe("for assistants", () => {
  const textOf = async (path: string): Promise<string> => (await fetch(new URL(path, site.url))).text();

  it("lists every page, has all of them in one file, and each as Markdown", async () => {
    const [list, all, tutorial] = await Promise.all(["llms.txt", "llms-full.txt", "tutorial.md"].map(textOf));

    expect(list).toMatch(/^# Millrace\n/);
    expect(list).toContain("(/how-to/ask-a-person.md)");
    expect(list?.indexOf("/tutorial.md")).toBeLessThan(list?.indexOf("/errors/RUN_STUCK.md") ?? 0);
    expect(tutorial).toMatch(/^#? ?[\s\S]*# Tutorial/);
    expect(all).toContain("# RUN_STUCK");
    expect(all).toContain("await ctx.ask({");
  });
});

describe("the tiny runtime", () => {
  it("is stepped to its end, over a kill", async () => {
    await using visit = await Visit.open(browser, new URL("/tiny.html", site.url).href);
    const tiny = visit.page.locator(".tiny-run");
    const click = (name: string) => tiny.getByRole("button", { name, exact: true }).click();
    /** Steps until nothing is left to do. */
    const toTheEnd = async (said: string) => {
      await expect
        .poll(async () => {
          const step = tiny.getByRole("button", { name: "Step", exact: true });
          if (await step.isEnabled()) await step.click();
          return tiny.getByRole("status").textContent();
        })
        .toContain(said);
    };
    await tiny.getByText("Next: reduce event.received.").waitFor();

    await toTheEnd("waits for an answer");
    await click('Send "yes"');
    await toTheEnd("waits for an answer");
    expect(await tiny.locator(".state").textContent()).toContain('"waitsFor": "Answer"');
    await click("Kill the process");
    await tiny.getByText("Next: perform step.start.").waitFor();
    await toTheEnd("waits for an answer");
    await click('Send "no"');
    await toTheEnd("The run has finished: 1 of 2.");
    await click("Reset");
    await tiny.getByText("Next: reduce event.received.").waitFor();

    visit.expectNoFaults();
  });
});

describe("the playground", () => {
  let playground: Playground;

  // One for all: each loads the compiler anew.
  beforeAll(async () => {
    playground = await Playground.open();
  });

  afterAll(() => playground?.[Symbol.asyncDispose]());

  it("runs the program of the README, and shows its steps", async () => {
    await playground.run("Finished.");

    expect(await playground.output()).toBe("26");
    expect(await playground.steps()).toEqual(["JokeFlow ← StartEvent", "write ← StartEvent", "judge ← Joke"]);
    playground.visit.expectNoFaults();
  });

  it("runs what was edited", async () => {
    await playground.write('console.log(6 * 7, { a: [1] }, new Map([["b", 2n]]));');
    await playground.run("Finished.");

    expect((await playground.output()).replace(/\s+/g, "")).toBe('42{"a":[1]}Map[["b","2n"]]');
  });

  it("says where a program does not compile", async () => {
    await playground.write("const answer = ;\n");
    await playground.run("The program does not compile.");
    expect(await playground.output()).toBe('program.ts:1:16: Unexpected ";"');
    await playground.write('import "node:fs";\n');
    await playground.run("The program does not compile.");

    expect(await playground.output()).toContain('has no module "node:fs"');
  });

  it.each(["for (;;) {}", "for (;;) await null;"])("ends an endless loop: %s", async (loop) => {
    await playground.write(`console.log("before");\n${loop}`);
    await playground.run("Stopped: endless loop.");

    expect(await playground.output()).toMatch(/^before\nThe program has not paused for 5 seconds/);
  });

  it("ends a program that prints without end", async () => {
    await playground.write(
      "for (let count = 0; ; count++) { console.log(count); await new Promise((resolve) => setTimeout(resolve)); }",
    );
    await playground.run("Stopped: the program prints too much.");
  });

  it("shows an error with its code, its hint and its page, and every example runs", async () => {
    const { page } = playground.visit;
    const outputs: string[] = [];

    for (const example of ["fan out and gather", "ask a person", "retry"]) {
      await page.getByLabel("Example").selectOption(example);
      await playground.run("Finished.");
      outputs.push((await playground.output()).split("\n").at(-1) ?? "");
    }
    await page.getByLabel("Example").selectOption("an error with a hint");
    await playground.run("Failed.");

    expect(outputs).toEqual(["16 words", "A-17: refunded 80 euros", "answered after 3 calls"]);
    expect(await playground.output()).toMatch(/^WORKFLOW_INVALID: [\s\S]*Hint: /);
    await page.getByRole("link", { name: "About WORKFLOW_INVALID" }).click();
    await page.getByRole("heading", { level: 1, name: "WORKFLOW_INVALID" }).waitFor();
    playground.visit.expectNoFaults();
  });

  it("continues a run of somebody else, and sends nothing", async () => {
    await using own = await Playground.open();
    const { page } = own.visit;
    await page.getByLabel("Example").selectOption("continue a run");
    await own.run("The program does not compile.");
    expect(await own.output()).toContain('choose a file at "Open a run"');

    await page.getByLabel("Open a run").setInputFiles({ name: "a.run", mimeType: "", buffer: await waitingRun() });
    await page.getByText("./a.run is the run refund-17 of refund.").waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await own.run("Finished.");

    expect(await own.output()).toContain("refunded, not sent from here");
    expect(requests.filter((path) => !/^\/(playground|assets)\//.test(path) && !path.includes("-"))).toEqual([]);
    own.visit.expectNoFaults();
  });
});

describe("a run file", () => {
  it.each(looks)("is shown by the site, %i wide and %s", async (width, colours) => {
    await using visit = await Visit.open(browser, new URL("/run/file.html", site.url).href, { width, colours });
    const file = { name: "a.run", mimeType: "", buffer: await waitingRun() };
    await visit.page.locator("input[type=file]").setInputFiles(file);

    await visit.sees("Refund 5 €?");
    expect(await visit.hardships()).toEqual([]);
    expect(await visit.isWide()).toBe(false);
    await visit.shoot(`site-run-file-${width}`);
    visit.expectNoFaults();
  });
});

/** A run that waits for an answer, as its server saves it. */
async function waitingRun(): Promise<Buffer> {
  const refund = defineWorkflow("refund")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.ask({ title: "Refund 5 €?", details: { order: "A-17" }, schema: { approved: z.boolean() } });
      return new StopEvent({ result: "never" });
    })
    .build();
  const runtime = createRuntime({ workflows: { refund }, store: memoryStore() });
  const server = createServer({ runtime });
  await runtime.run("refund", {}, { runId: "refund-17" }).idle();
  const fetch: typeof globalThis.fetch = async (input, init) => server.fetch(new Request(input, init));
  const file = await saveRun("refund-17", { baseUrl: "http://millrace.test", fetch });
  await runtime.stop();
  return Buffer.from(await packRunFile(file));
}

const isChosen = (label: Element): boolean => (label as HTMLLabelElement).control?.matches(":checked") ?? false;

/** Vue notes its app at the element. A click before is lost. */
async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => "__vue_app__" in (document.getElementById("app") ?? {}));
}

async function openSearch(page: Page): Promise<void> {
  await alive(page);
  await page.getByRole("button", { name: /search/i }).click();
}

class Playground implements AsyncDisposable {
  readonly visit: Visit;

  constructor(visit: Visit) {
    this.visit = visit;
  }

  /** With the first program in the editor. */
  static async open(): Promise<Playground> {
    const visit = await Visit.open(browser, new URL("/playground.html", site.url).href);
    await visit.page.getByText("class JokeFlow").waitFor();
    return new Playground(visit);
  }

  async write(program: string): Promise<void> {
    await this.visit.page.getByLabel("Program").fill(program);
  }

  async run(ending: string): Promise<void> {
    await this.visit.page.getByRole("button", { name: "Run", exact: true }).click();
    await this.visit.page.locator(".playground").getByRole("status").getByText(ending, { exact: true }).waitFor();
  }

  async output(): Promise<string> {
    const lines = await this.visit.page.getByRole("log", { name: "Output" }).locator("> *").allTextContents();
    return lines.join("\n");
  }

  steps(): Promise<string[]> {
    return this.visit.page.locator(".tree b").allTextContents();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.visit[Symbol.asyncDispose]();
  }
}
