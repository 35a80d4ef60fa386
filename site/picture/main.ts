/**
 * Makes `docs/images/killed.webp`: the studio while the process of a run is killed and started again. Real processes and a real browser.
 *
 *     node picture/main.ts     in `site`, with built packages
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient } from "@millrace/client";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { openBrowser } from "../../packages/client/test/support/browser.ts";
import { freePort } from "../../test-ports.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "millrace-picture-"));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const frameMs = 500;
const size = { width: 1000, height: 580 };
const client = createClient({ baseUrl: url });
const frames: Buffer[] = [];

async function serve(): Promise<ChildProcess> {
  const args = [
    "--disable-warning=ExperimentalWarning",
    join(import.meta.dirname, "server.ts"),
    join(folder, "runs.db"),
  ];
  const child = spawn(process.execPath, [...args, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

/** Takes pictures, with these words below the page. */
async function film(page: Page, words: string, count: number): Promise<void> {
  const { width, height } = size;
  const bar = `<svg width="${width}" height="44"><rect width="${width}" height="44" fill="#111"/>
    <text x="18" y="28" font-family="monospace" font-size="17" fill="#fff">${words}</text></svg>`;
  for (let taken = 0; taken < count; taken++) {
    const picture = sharp(await page.screenshot()).extend({ bottom: 44 });
    frames.push(
      await picture
        .composite([{ input: Buffer.from(bar), left: 0, top: height }])
        .png()
        .toBuffer(),
    );
    await setTimeout(frameMs);
  }
}

await using browser = await openBrowser();
const page = await browser.newPage({ viewport: size, reducedMotion: "reduce" });
const first = await serve();
await client.run("report", { text: "Rivers" }, { handlerId: "rivers" }).accepted;
await page.goto(`${url}/studio/#/run/rivers`);
await page.getByText("research").first().waitFor();
await film(page, "$ node server.ts", 5);
first.kill("SIGKILL");
await film(page, "$ kill -9", 3);
const second = await serve();
await film(page, "$ node server.ts # finished calls are not repeated", 7);
const [question] = await client.handle("rivers").prompts();
if (question !== undefined) await client.handle("rivers").answer(question.promptId, { approved: true });
await film(page, "# a person has answered", 4);
second.kill("SIGKILL");
const picture = sharp(frames, { join: { animated: true } });
const delay = frames.map((_frame, index) => (index === frames.length - 1 ? 3_000 : frameMs));
const { size: bytes } = await picture
  .webp({ quality: 55, effort: 6, delay, loop: 0 })
  .toFile(join(root, "docs/images/killed.webp"));
rmSync(folder, { recursive: true, force: true });
console.log(`docs/images/killed.webp: ${bytes} bytes, ${frames.length} frames`);
