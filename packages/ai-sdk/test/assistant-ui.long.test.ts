/** assistant-ui in Chromium, in front of a server that is killed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { bundlePage } from "./support/bundle.js";
import { textOf } from "./support/chats.js";
import { DeskServer } from "./support/desk-server.js";
import { scriptedModel } from "./support/scripted-model.js";

const opened = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), "millrace-assistant-"));
const faults: string[] = [];
let open: (id: string) => Promise<Page>;
let server: DeskServer;

beforeAll(async () => {
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bundle = join(folder, "page.js");
  await bundlePage(new URL("./support/assistant-page.ts", import.meta.url), bundle);
  const browser = opened.use(await openBrowser());
  const model = opened.use(await scriptedModel({ tokenMs: 20 }));
  server = opened.use(await DeskServer.start(model.url, bundle));
  open = async (id) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => void faults.push(error.message));
    await page.goto(`${server.url}/?id=${id}`);
    await page.waitForSelector("textarea");
    return page;
  };
});

afterAll(() => opened.disposeAsync());

async function send(page: Page, text: string): Promise<void> {
  await page.fill("textarea", text);
  await page.click("button.send");
}

/** The last message is of the assistant, and has this text. A message of the user, which may have it too, comes before each of them. */
const says = (page: Page, text: string) =>
  page.waitForFunction((wanted) => {
    const messages = [...document.querySelectorAll("article")];
    return messages.length % 2 === 0 && messages.at(-1)?.textContent?.includes(wanted) === true;
  }, text);
const isReady = (page: Page) => page.waitForSelector('main[data-status="ready"]', { state: "attached" });
const stored = async (id: string) => (await (await fetch(`${server.url}/api/chat/${id}`)).json()) as UIMessage[];
const shown = (page: Page) => page.$$eval("article", (all) => all.map(({ textContent }) => textContent));

it("text, a reload in the middle, and a kill of the server", async () => {
  const page = await open("text");
  await send(page, `say early ${"word ".repeat(60)}end.`);
  await says(page, "early word");
  await page.reload();
  await says(page, "early word");

  await server.kill();
  await server.start();
  await says(page, "end.");
  await isReady(page);

  expect(await shown(page)).toEqual((await stored("text")).map((message) => textOf(message)));
  expect(await page.evaluate("chat.messages")).toEqual(await stored("text"));
  expect(faults).toEqual([]);
  await page.close();
});

it("an approval of one call and a refusal of another, after a reload and a restart", async () => {
  const page = await open("approval");
  await send(page, 'call pay {"n":7}; call pay {"n":8} | say Done.');
  await page.waitForSelector("button.yes");
  await isReady(page);
  await page.reload();
  await page.waitForSelector("button.yes");
  await server.kill();
  await server.start();

  await page.click("b >> nth=0 >> button.no");
  await page.waitForFunction(() => document.querySelectorAll("b").length === 1);
  await page.click("b button.yes");
  await says(page, "Done.");
  await isReady(page);

  expect(server.executed.filter((line) => /^pay [78] /.test(line))).toEqual([expect.stringMatching(/^pay 8 /)]);
  expect(await page.evaluate("chat.messages")).toEqual(await stored("approval"));
  expect(faults).toEqual([]);
  await page.close();
});

it("a message instead of an approval ends what was asked", async () => {
  const page = await open("instead");
  await send(page, 'call pay {"n":9} | say Paid.');
  await page.waitForSelector("button.yes");
  await isReady(page);

  await send(page, "say Never mind.");
  await says(page, "Never mind.");
  await isReady(page);

  expect((await stored("instead"))[1]?.parts[1]).toMatchObject({ state: "output-denied" });
  expect(server.executed.filter((line) => line.startsWith("pay 9"))).toEqual([]);
  expect(faults).toEqual([]);
  await page.close();
});
