/** How soon pages are usable: `pnpm --filter @millrace/studio bench`. Each number is the median of several fresh tabs. */
import type { Browser, BrowserContext } from "playwright-core";
import { openBrowser } from "../../client/test/support/browser.js";
import { StudioServer } from "../test/support/server-process.js";

const ROUNDS = 7;

interface Sight {
  readonly name: string;
  readonly hash: string;
  /** Selector of what makes the page usable. */
  readonly seen: string;
}

const sights: readonly Sight[] = [
  { name: "first view: the list of runs", hash: "#/runs", seen: "tr[data-run]" },
  { name: "graph of 40 steps", hash: "#/workflow/wide", seen: ".react-flow__node:nth-of-type(40) .node" },
  { name: "run of 1,000 ticks", hash: "#/run/long", seen: ".react-flow__node .node.step" },
];

/** Milliseconds from the beginning of the navigation to the first frame with it. */
async function look(browser: Browser, url: string, seen: string): Promise<number> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript((selector) => {
    const wait = (): void => {
      if (document.querySelector(selector) === null) requestAnimationFrame(wait);
      else requestAnimationFrame(() => performance.mark("seen"));
    };
    requestAnimationFrame(wait);
  }, seen);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("seen").length > 0);
  const ms = await page.evaluate(() => performance.getEntriesByName("seen")[0]?.startTime ?? Number.NaN);
  await context.close();
  return ms;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

await using server = await StudioServer.start();
await server.settled(await server.run("count", { to: 333 }, { handlerId: "long" }));
for (let index = 0; index < 60; index++) await server.run("refund", { order: `A-${index}` });
const browser = await openBrowser();
for (const { name, hash, seen } of sights) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await look(browser, server.studio + hash, seen));
  console.log(`${name.padEnd(32)} ${Math.round(median(times))} ms`);
}
await browser.close();
