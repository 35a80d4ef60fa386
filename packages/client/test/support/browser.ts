/** Chromium, and a site for it: a bundled page, and a way to the server of the same origin. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packaged from "@sparticuz/chromium";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";

/** As root, in a container, and without asking anybody outside for anything. */
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** `CHROMIUM` names one; else the one of the package, for Linux on x64. */
export async function openBrowser(): Promise<Browser> {
  const named = process.env["CHROMIUM"];
  if (named === undefined && `${process.platform}-${process.arch}` !== "linux-x64") {
    throw new TypeError(
      `There is no packaged Chromium for ${process.platform}-${process.arch}: set CHROMIUM to the path of one.`,
    );
  }
  return chromium.launch({ executablePath: named ?? (await unpacked()), args: flags, timeout: 120_000 });
}

/**
 * The one of the package, which unpacks itself into the temporary folder. It is given one of its own, and moved to its place when it
 * is whole: else a process that is stopped would leave half a program for the next one, and a second one would run half of it.
 */
async function unpacked(): Promise<string> {
  const folder = fileURLToPath(new URL("../../node_modules/.cache/chromium", import.meta.url));
  const { version } = JSON.parse(
    await readFile(new URL("../package.json", import.meta.resolve("@sparticuz/chromium")), "utf8"),
  );
  const place = join(folder, version);
  if (!existsSync(place)) {
    await mkdir(folder, { recursive: true });
    const making = await mkdtemp(join(folder, "making-"));
    await withTemporaryFolder(making, () => packaged.executablePath());
    await rename(making, place).catch((error: unknown) => {
      if (!existsSync(place)) throw error; // else another process was faster
    });
    await rm(making, { recursive: true, force: true });
  }
  return join(place, "chromium");
}

/** Asked for before the first wait of `work`. */
function withTemporaryFolder<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  const working = work();
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  return working;
}

/** The page of a module, and everything it loads; `/api` leads to the server of `apiUrl`. */
export class Site implements AsyncDisposable {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #apiUrl: string;
  #files: ReadonlyMap<string, Uint8Array> = new Map();

  constructor(apiUrl: string) {
    this.#apiUrl = apiUrl;
  }

  async open(module: URL): Promise<string> {
    this.#files = await bundle(module);
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [path = ""] = (request.url ?? "").split("?");
    if (path.startsWith("/api/")) return forward(request, response, `${this.#apiUrl}${request.url?.slice(4)}`);
    const script = this.#files.get(path);
    const page =
      '<!doctype html><link rel="icon" href="data:,"><body></body><script type="module" src="/page.js"></script>';
    response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html" }).end(script ?? page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** As any proxy: what breaks on one side breaks on the other. */
function forward(request: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers } = request;
  const onward = ask(url, { ...(method !== undefined && { method }), headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on("close", () => response.destroy());
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

async function bundle(module: URL): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    outdir: "/",
  });
  return new Map(outputFiles.map(({ path, contents }) => [path.replace(/^\/?/, "/"), contents]));
}
