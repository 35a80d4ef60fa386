/**
 * Makes the pictures of the documentation with Chromium, from programs of this repository: `node scripts/pictures.mjs` after
 * `pnpm build`. Look at each of them before it is committed.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openBrowser } from "../packages/client/test/support/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");
const folder = mkdtempSync(join(tmpdir(), "millrace-pictures-"));
const children = [];

/** Starts a program, and resolves once it has printed something. */
async function start(args, { cwd, env = {} }) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
}

async function open(browser, url, [width, height]) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(url);
  return page;
}

async function shoot(page, name) {
  await page.screenshot({ path: join(images, `${name}.png`) });
  await page.close();
}

/** A project of `npm create millrace -- --template chat`, with the packages of this repository. */
function chatProject() {
  const project = join(folder, "chat");
  cpSync(join(root, "packages/create-millrace/templates/chat"), project, { recursive: true });
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const owners = ["ai-sdk", "studio", "server", "agents", "sqlite"].map((name) => join(root, "packages", name));
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const own = join(root, "packages", name.replace(/^@millrace\//, "").replace(/^millrace$/, "core"));
    const found = [own, ...owners.map((owner) => join(owner, "node_modules", name))].find((at) => existsSync(at));
    if (found === undefined) continue; // only for its tests and types
    const place = join(project, "node_modules", name);
    mkdirSync(join(place, ".."), { recursive: true });
    symlinkSync(found, place);
  }
  return project;
}

async function chat(browser, port) {
  const cwd = chatProject();
  const vite = spawn(process.execPath, [join(cwd, "node_modules/vite/bin/vite.js"), "build"], { cwd });
  await once(vite, "exit");
  const env = { PORT: String(port), DATABASE: join(folder, "chat.db") };
  await start(["src/server/main.ts"], { cwd, env });
  const page = await open(browser, `http://127.0.0.1:${port}`, [760, 470]);
  await page.fill("input", "My lamp is broken, I want a refund.");
  await page.keyboard.press("Enter");
  await page.waitForSelector("fieldset");
  await page.waitForSelector("form >> text=Send");
  await shoot(page, "chat");
}

/** A task of another agent in the studio, and the page behind the link of its mail. */
async function everyDoor(browser, port) {
  const cwd = join(root, "examples");
  const effects = join(folder, "effects.txt");
  writeFileSync(effects, "");
  const tsx = pathToFileURL(createRequire(join(cwd, "package.json")).resolve("tsx")).href;
  const args = ["--import", tsx, "every-door/server.ts", join(folder, "doors.db"), effects, String(port)];
  await start(args, { cwd });
  const url = `http://127.0.0.1:${port}`;
  const message = { role: "ROLE_USER", messageId: "m-1", parts: [{ text: "order A-17" }] };
  const answer = await fetch(`${url}/a2a/message:send`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ message, configuration: { returnImmediately: false } }),
  });
  const { task } = await answer.json();
  const run = await open(browser, `${url}/studio/#/run/${encodeURIComponent(task.id)}`, [1180, 660]);
  await run.getByText("through a2a").first().waitFor();
  await shoot(run, "task");
  const [{ mail }] = readFileSync(effects, "utf8").split("\n").filter(Boolean).map(JSON.parse);
  const link = await open(browser, mail, [620, 420]);
  await link.waitForSelector("form");
  await shoot(link, "link");
}

const browser = await openBrowser();
try {
  await chat(browser, 4_871);
  await everyDoor(browser, 4_872);
} finally {
  await browser.close();
  for (const child of children) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}
