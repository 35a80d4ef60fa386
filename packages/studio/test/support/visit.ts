/** A look at the studio in a browser, which also notes everything that should not happen in one. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { within } from "./within.js";

export type Colours = "light" | "dark";

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: Colours;
}

const folder = fileURLToPath(new URL("../../.screenshots/", import.meta.url));

export class Visit implements AsyncDisposable {
  readonly page: Page;
  /** Errors of the console and of the page, and requests that left the server's origin. */
  readonly faults: string[] = [];
  readonly #origin: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.#origin = new URL(url).origin;
    page.on("console", (message) => {
      // A browser writes an error for each answer that is none, such as 401, and for a server that is away.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        this.faults.push(message.text());
    });
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("request", (request) => {
      // Of a `blob:` it is the origin of the page that made it.
      if (new URL(request.url()).origin !== this.#origin) this.faults.push(`asked ${request.url()}`);
    });
  }

  static async open(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
    const { width = 1440, height = 900, colours = "light" } = options;
    const viewport = { width, height };
    const context = await within(
      "a new visit",
      browser.newContext({ viewport, colorScheme: colours, reducedMotion: "reduce" }),
    );
    const visit = new Visit(await within("a new page", context.newPage()), url);
    visit.page.setDefaultTimeout(30_000);
    await visit.page.goto(url);
    return visit;
  }

  /** Without the navigation, which names runs that wait for a person too, and forgets them up to a second later. */
  get main(): Locator {
    return this.page.getByRole("main");
  }

  async show(hash: string): Promise<void> {
    const done = this.page.evaluate((address) => {
      location.hash = address;
    }, hash);
    await within(`the address ${hash}`, done);
  }

  /** Scrolls the page: to so many pixels below its top, or to its end. */
  async scroll(to: number | "end"): Promise<void> {
    const done = this.page.evaluate((top) => {
      scrollTo(0, top === "end" ? document.documentElement.scrollHeight : top);
    }, to);
    await within(`scrolling to ${to}`, done);
  }

  /** Waits until there is such a text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async shoot(name: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: `${folder}${name}.png` });
  }

  /** What axe finds that is serious, as lines. */
  async hardships(): Promise<string[]> {
    // Through the debugger, whom the content security policy does not bind; a script in the page it would not let in.
    await this.page.evaluate(axe.source);
    return this.page.evaluate(async () => {
      const page = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      interface Violation {
        readonly id: string;
        readonly impact: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
      }
      const { violations } = await page.axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
        );
    });
  }

  /** Texts that are written from right to left by a mark in them, and take what stands behind them along. */
  reordering(): Promise<string[]> {
    return this.page.evaluate(() => {
      const found: string[] = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        const parent = text.parentElement;
        if (parent === null || !text.textContent?.includes("\u202e")) continue;
        const { unicodeBidi, display } = getComputedStyle(parent);
        const rest = [...parent.childNodes].slice([...parent.childNodes].indexOf(text as ChildNode) + 1);
        const isLast = display.includes("flex") || rest.every(({ textContent }) => textContent === "");
        if (unicodeBidi !== "isolate" || !isLast) found.push(parent.outerHTML.slice(0, 200));
      }
      return found;
    });
  }

  /** Whether the page can be moved sideways. */
  isWide(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  }

  /** Shows each time as the widest text that it has within an hour. */
  ageTimes(): Promise<void> {
    return this.page.evaluate(() => {
      for (const time of document.querySelectorAll("#main time")) time.textContent = "59 min ago";
    });
  }

  /** @throws when something happened that should not. */
  expectNoFaults(): void {
    expect(this.faults).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await within("the end of a visit", this.page.context().close());
  }
}
