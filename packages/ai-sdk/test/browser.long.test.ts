/** The real `useChat` in Chromium, in front of a server that is killed, and over a network that is gone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { bundlePage } from "./support/bundle.js";
import { DeskServer } from "./support/desk-server.js";
import { scriptedModel } from "./support/scripted-model.js";

const opened = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), "millrace-page-"));
const bundle = join(folder, "page.js");
let browser: Browser;
/** Called with the count of tokens of all answers. */
let onToken: (count: number) => void = () => {};
let model: Awaited<ReturnType<typeof scriptedModel>>;
let server: DeskServer;
/** Errors that no page has caught. */
const faults: string[] = [];

afterEach(() => expect(faults.splice(0)).toEqual([]));

beforeAll(async () => {
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  await bundlePage(new URL("./support/page.ts", import.meta.url), bundle);
  browser = opened.use(await openBrowser());
  model = opened.use(await scriptedModel({ tokenMs: 20, onToken: (count) => onToken(count) }));
  server = opened.use(await DeskServer.start(model.url, bundle));
});

afterAll(() => opened.disposeAsync());

async function open(id: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => void faults.push(error.message));
  await page.goto(`${server.url}/?id=${id}`);
  await page.waitForSelector("main", { state: "attached" });
  return page;
}

/** The page of the test; not typed, for its code runs in the page. */
const send = (page: Page, text: string) => page.evaluate(`void chat.sendMessage({ text: ${JSON.stringify(text)} })`);

/** Resolves when so many more tokens have left the model. */
function tokens(count: number): Promise<void> {
  return new Promise((resolve) => {
    let first: number | null = null;
    onToken = (now) => {
      first ??= now;
      if (now - first >= count) resolve();
    };
  });
}

async function ends(page: Page, text: string): Promise<UIMessage[]> {
  const wanted = `document.querySelector("main").dataset.status === "ready" &&
    [...document.querySelectorAll("article:last-child p")].at(-1)?.textContent.endsWith(${JSON.stringify(text)})`;
  await page.waitForFunction(wanted);
  return (await page.evaluate("chat.messages")) as UIMessage[];
}

const stored = async (id: string) => (await (await fetch(`${server.url}/api/chat/${id}`)).json()) as UIMessage[];
const long = `say ${"word ".repeat(60)}end.`;

it("a reload in the middle of an answer", async () => {
  const page = await open("reload");
  const middle = tokens(20);
  await send(page, long);
  await middle;

  await page.reload();

  expect(await ends(page, "end.")).toEqual(await stored("reload"));
  await page.close();
});

it("a second tab that joins in the middle, and one that comes later", async () => {
  const page = await open("tabs");
  const middle = tokens(20);
  await send(page, long);
  await middle;

  const second = await open("tabs");

  const messages = await ends(second, "end.");
  expect(await ends(page, "end.")).toEqual(messages);
  const third = await open("tabs");
  expect(await ends(third, "end.")).toEqual(messages);
  await Promise.all([page.close(), second.close(), third.close()]);
});

it("a kill of the server in the middle of an answer, without a reload", async () => {
  const before = model.requests.length;
  const page = await open("kill");
  const middle = tokens(20);
  await send(page, `call look {"q":1} | ${long}`);
  await middle;

  await server.kill();
  await server.start();

  expect(await ends(page, "end.")).toEqual(await stored("kill"));
  expect(model.requests.length - before).toBe(3); // the answer that was under way was asked for again
  await page.close();
});

it("an approval after a restart, in a page that was there before, asks the model once for each answer", async () => {
  const before = model.requests.length;
  const page = await open("approval");
  await send(page, 'call pay {"n":3}; call pay {"n":4} | say Done.');
  await page.waitForSelector("button.yes");

  await server.kill();
  await server.start();
  await page.click("article b:first-of-type button.no");
  await page.click("button.yes");

  expect(await ends(page, "Done.")).toEqual(await stored("approval"));
  expect(model.requests.length - before).toBe(2);
  expect(server.executed.filter((line) => /^pay [34] /.test(line))).toEqual([expect.stringMatching(/^pay 4 /)]);
  await page.close();
});

it("an answer that ends while the page is offline", async () => {
  const page = await open("away");
  const middle = tokens(10);
  await send(page, long);
  await middle;
  await page.context().setOffline(true);
  await page.evaluate("chat.stop()"); // as a page that is suspended: its connection is gone
  await expect.poll(async () => (await stored("away")).length).toBe(2);

  const resumed = page.evaluate("chat.resumeStream()");
  await page.context().setOffline(false);
  await resumed;

  expect(await ends(page, "end.")).toEqual(await stored("away"));
  await page.close();
});

it("a message that is written offline is sent with the connection, once", async () => {
  const before = model.requests.length;
  const page = await open("offline");
  await page.context().setOffline(true);
  await send(page, "say Hello.");
  await page.waitForSelector('main[data-status="submitted"]', { state: "attached" });

  await page.context().setOffline(false);

  expect(await ends(page, "Hello.")).toEqual(await stored("offline"));
  expect(model.requests.length - before).toBe(1);
  await page.close();
});
