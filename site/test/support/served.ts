/** `site/dist` as any server of static files gives it. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const folder = join(import.meta.dirname, "..", "..", "dist");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".webp": "image/webp",
  ".txt": "text/plain",
};

export async function served(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const contents = await readFile(join(folder, file)).catch(() => null);
    response.writeHead(contents === null ? 404 : 200, { "content-type": types[extname(file)] ?? "text/plain" });
    response.end(contents);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
