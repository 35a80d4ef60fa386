/**
 * Uses a project of `npm create millrace -- --template chat` as a person does, in Chromium: `node drive.mjs [SCREENSHOTS]`
 * in its folder. It allows a refund, reloads in the middle of an answer, and kills the server twice.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../../../packages/client/test/support/browser.ts";
import { freePort } from "../../../test-ports.ts";

const [, , screenshots] = process.argv;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = { ...process.env, PORT: String(port), DATABASE: "driven.db" };
const faults = [];
let server = null;

async function start(script) {
  const options = { env, stdio: ["ignore", "ignore", "inherit"], detached: true };
  server = spawn("npm", ["run", script], options);
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await fetch(url).catch(() => null)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`npm run ${script} did not answer within 60 s`);
}

/** npm and what it has started. */
async function kill() {
  const gone = once(server, "exit");
  process.kill(-server.pid, "SIGKILL");
  server = null;
  await gone;
}

async function shoot(page, name) {
  if (screenshots === undefined) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

async function send(page, text) {
  await page.fill("input", text);
  await page.click("button[type=submit]");
}

const says = (page, text) => page.waitForSelector(`article:last-of-type p:has-text(${JSON.stringify(text)})`);
const isReady = (page) => page.waitForSelector("main[data-status=ready]");
const question = "What can you do?";
const [early, end] = ["I am a script and not a model", "loses a word of it."];
const refund = "My lamp is broken, I want a refund.";

const browser = await openBrowser();
try {
  await start("start");
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(url);
  match(await page.textContent("header"), /Answers come from a script, not from a model\./);

  await send(page, refund);
  await page.waitForSelector("fieldset");
  await isReady(page);
  await shoot(page, "approval");
  await page.click("fieldset >> text=Allow");
  await says(page, "on their way");
  await isReady(page);

  await send(page, question);
  await says(page, early);
  await page.reload();
  await says(page, end);
  await isReady(page);

  await send(page, question);
  await says(page, early);
  await kill();
  await start("start");
  await says(page, end);
  await isReady(page);

  await send(page, refund);
  await page.waitForSelector("fieldset");
  await isReady(page);
  await kill();
  await start("start");
  await page.click("fieldset >> text=Refuse");
  await says(page, "nothing was paid back");
  await isReady(page);
  await shoot(page, "desktop");

  const id = new URL(page.url()).searchParams.get("chat");
  const stored = await (await fetch(`${url}/millrace/chat/${id}`)).json();
  const texts = stored.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? part.text.trim() : [])));
  const shown = await page.$$eval("article", (all) =>
    all.map((one) => [...one.querySelectorAll("p:not(.call)")].map((text) => text.textContent.trim())),
  );
  deepEqual(shown, texts);
  equal(stored.length, 8);

  const phone = await browser.newPage({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  await phone.goto(page.url());
  await says(phone, "nothing was paid back");
  const isInView = "document.querySelector('article:last-of-type').getBoundingClientRect().bottom < innerHeight";
  ok(await phone.evaluate(isInView), "the page does not show the last message");
  ok(await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a phone");
  await send(phone, refund);
  await phone.waitForSelector("fieldset");
  await isReady(phone);
  await shoot(phone, "phone");

  const run = await phone.getAttribute("article:last-of-type a.run", "href");
  await page.goto(url + run);
  await page.waitForSelector("text=May Support call refund?");
  await shoot(page, "studio");

  await kill();
  await start("dev");
  await page.goto(url);
  await page.waitForSelector("text=or anything else");
  deepEqual(faults, []);
  console.log("chat: allowed, reloaded, killed twice, shown on a phone and in the studio");
} finally {
  if (server !== null) await kill();
  await browser.close();
}
