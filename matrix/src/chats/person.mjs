/** Somebody in front of a chat in Chromium, and the server behind it, in the folder of an app. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../../../packages/client/test/support/browser.ts";
import { freePort } from "../../../test-ports.ts";

const port = await freePort();
export const url = `http://127.0.0.1:${port}`;

/** Errors that no page has caught. */
export const faults = [];
let browser = null;
let server = null;

/** @param program With its arguments; `PORT` says where it listens. */
export async function start(program, ...args) {
  const env = { ...process.env, PORT: String(port), DATABASE: "driven.db" };
  server = spawn(program, args, { env, stdio: ["ignore", "ignore", "inherit"], detached: true });
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await fetch(url).catch(() => null)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${program} ${args.join(" ")} did not answer within 60 s`);
}

/** The program and what it has started. */
export async function kill() {
  const gone = once(server, "exit");
  process.kill(-server.pid, "SIGKILL");
  server = null;
  await gone;
}

export async function open(address, viewport = { width: 1280, height: 800 }) {
  browser ??= await openBrowser();
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(address);
  return page;
}

export async function close() {
  if (server !== null) await kill();
  await browser?.close();
}

/** `SCREENSHOTS=FOLDER node …` puts pictures there. */
export async function shoot(page, name) {
  const { SCREENSHOTS: screenshots } = process.env;
  if (screenshots === undefined) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

export async function send(page, text) {
  await page.fill("input, textarea", text);
  await page.click("form >> text=Send");
}

export const says = (page, text) => page.waitForSelector(`article:last-of-type p:has-text(${JSON.stringify(text)})`);
export const isReady = (page) => page.waitForSelector("form >> text=Send");

/** What the scripted model of the template is told, and says. */
export const question = "What can you do?";
export const [early, end] = ["I am a script and not a model", "loses a word of it."];
export const refund = "My lamp is broken, I want a refund.";
export const [paid, unpaid] = ["on their way", "nothing was paid back"];

/** The text of each message, as stored or as shown. */
export const textsOf = (messages) =>
  messages.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? part.text.trim() : [])));
export const shownTexts = (page) =>
  page.$$eval("article", (all) =>
    all.map((one) => [...one.querySelectorAll("p:not(.call)")].map((text) => text.textContent.trim())),
  );
