/** The rows of the client: each runs on its platform, against a server in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { transform } from "esbuild";
import { oldestNode } from "./node-versions.mjs";
import { inWorker } from "./servers.mjs";
import { bundle, inBun, inDeno, inNode, source } from "./tools.mjs";

/** As installed, not bundled: its types are gone, and its imports are as they were. */
export const clientInOldestNode = (format) => (folder) =>
  withServer(async (env) => inNode(await stripped(folder, format), { program: oldestNode(), env }));

export const clientInNode24 = () => withServer((env) => inNode(source("client"), { env }));
export const clientInBun = () => withServer((env) => inBun(source("client"), { env }));
export const clientInDeno = (folder) => withServer((env) => inDeno(source("client"), folder, { env }));

/** No `nodejs_compat`: nothing of Node is there. */
export const clientInWorkerd = () =>
  withServer(({ SHOP_URL }) =>
    inWorker(`import { buyFrom } from ${JSON.stringify(source("client"))};
      export default { fetch: async () => new Response(await buyFrom(${JSON.stringify(SHOP_URL)})) };`),
  );

/** Bundled and minified, in the oldest Node. */
export const clientBundled = (folder) =>
  withServer(async (env) => inNode(await bundle(source("client"), folder), { program: oldestNode(), env }));

async function stripped(folder, format) {
  const file = join(folder, format === "cjs" ? "client.cjs" : "client.mjs");
  const { code } = await transform(readFileSync(source("client"), "utf8"), { loader: "ts", format, platform: "node" });
  writeFileSync(file, code);
  return file;
}

/** What `ask` gives while the server runs. */
async function withServer(ask) {
  const server = spawn(process.execPath, [source("shop-server")], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = await Promise.race([once(createInterface({ input: server.stdout }), "line"), once(server, "exit")]);
    return await ask({ SHOP_URL: `http://127.0.0.1:${port}` });
  } finally {
    server.kill("SIGKILL");
  }
}
