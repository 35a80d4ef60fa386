/**
 * The client in a real browser, across origins: the hook, a stream whose connection is cut, values that JSON cannot hold.
 * `pnpm --filter @millrace/client run browser` needs Chromium: `/usr/bin/chromium`, or what `CHROMIUM` names.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { ServerProcess, Wire } from "../support/server-process.js";

const EVENTS = 2_000;

const bundled = await build({
  entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "browser",
  write: false,
  outdir: "/",
});
const files = new Map(bundled.outputFiles.map(({ path, contents }) => [path.replace(/^\/?/, "/"), contents]));
const pages = createServer((request, response) => {
  const script = files.get((request.url ?? "").split("?")[0] as string);
  response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html" });
  response.end(
    script ?? '<!doctype html><title>page</title><body></body><script type="module" src="/page.js"></script>',
  );
}).listen(0, "127.0.0.1");
await once(pages, "listening");

await using server = await ServerProcess.start();
await using wire = new Wire(server.port);
const pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/?server=${await wire.open()}`;
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(pageUrl);

  await page.click("#start");
  await page.click("#answer");
  await page.waitForFunction("document.querySelector('output').textContent === 'Hello Ada'");
  console.log("ok  useRun: started, asked, answered, completed");

  assert.equal(await page.evaluate("joke()"), "1970-01-01T00:00:00.000Z");
  console.log("ok  a date in an event");

  const pulling = setInterval(() => wire.cut(), 40);
  const counted = await page.evaluate(`count(${EVENTS})`);
  clearInterval(pulling);
  assert.deepEqual(counted, { inOrder: true, seen: EVENTS, result: EVENTS });
  assert.ok(wire.cuts >= 5, `only ${wire.cuts} cuts`);
  console.log(`ok  ${EVENTS} events, each once and in order, over ${wire.cuts} cuts`);
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  pages.close();
}
console.log("3 passed, 0 failed");
