/** A look at the studio in a browser, which also notes everything that should not happen in one. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

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
      if (!request.url().startsWith(`${this.#origin}/`)) this.faults.push(`asked ${request.url()}`);
    });
  }

  static async open(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
    const { width = 1440, height = 900, colours = "light" } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: colours,
      reducedMotion: "reduce",
    });
    const visit = new Visit(await context.newPage(), url);
    visit.page.setDefaultTimeout(30_000);
    await visit.page.goto(url);
    return visit;
  }

  async show(hash: string): Promise<void> {
    await this.page.evaluate((address) => {
      location.hash = address;
    }, hash);
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

  /** Whether the page can be moved sideways. */
  isWide(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  }

  /** @throws when something happened that should not. */
  expectNoFaults(): void {
    expect(this.faults).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
