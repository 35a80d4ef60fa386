/**
 * The workflow of `examples/ag-ui` behind CopilotKit, in Chromium: a question, `kill -9` of the server, and the answer.
 *
 *     node scripts/copilotkit.mjs [FOLDER]     after `pnpm build`; it installs CopilotKit in FOLDER, unless it is there
 *
 * No part of `npm test`: CopilotKit brings more than a thousand packages, of more than 700 MB.
 *
 * @module
 */
import { ok } from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openBrowser } from "../packages/client/test/support/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "copilotkit-"));
const packages = ["@copilotkit/runtime@1.74.0", "@copilotkit/react-core@1.74.0", "react@19", "react-dom@19"];
const [aguiPort, pagePort] = [4_881, 4_882];

const server = `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { CopilotRuntime, ExperimentalEmptyAdapter, copilotRuntimeNodeHttpEndpoint } from "@copilotkit/runtime";
import { HttpAgent } from "@ag-ui/client";

const runtime = new CopilotRuntime({ agents: { trip: new HttpAgent({ url: "http://127.0.0.1:${aguiPort}/agui/trip" }) } });
const endpoint = "/api/copilotkit";
const handle = copilotRuntimeNodeHttpEndpoint({ runtime, serviceAdapter: new ExperimentalEmptyAdapter(), endpoint });
const page = '<!doctype html><link rel="stylesheet" href="/page.css"><div id="root"></div><script type="module" src="/page.js"></script>';
createServer((request, response) => {
  if (request.url.startsWith(endpoint)) return handle(request, response);
  const isFile = /^\\/page\\.(js|css)$/.test(request.url);
  const type = request.url.endsWith(".js") ? "text/javascript" : request.url.endsWith(".css") ? "text/css" : "text/html";
  response.writeHead(200, { "content-type": type }).end(isFile ? readFileSync(request.url.slice(1)) : page);
}).listen(${pagePort}, "127.0.0.1", () => console.log("ready"));
`;

const page = `
import { createRoot } from "react-dom/client";
import { CopilotChat, CopilotKitProvider, useInterrupt } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";

function Question() {
  useInterrupt({
    agentId: "trip",
    render: ({ interrupt, resolve }) => (
      <button id="approve" onClick={() => resolve({ approved: true })}>{interrupt?.message}</button>
    ),
  });
  return null;
}
createRoot(document.getElementById("root")).render(
  <CopilotKitProvider runtimeUrl="/api/copilotkit">
    <Question />
    <CopilotChat agentId="trip" threadId="holidays" />
  </CopilotKitProvider>,
);
`;

function install() {
  writeFileSync(join(folder, "server.mjs"), server);
  writeFileSync(join(folder, "page.jsx"), page);
  const run = (command, args) => execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (!existsSync(join(folder, "node_modules/@copilotkit"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages]);
  }
  const esbuild = createRequire(join(root, "packages/client/package.json")).resolve("esbuild/bin/esbuild");
  const fonts = ["woff", "woff2", "ttf"].map((name) => `--loader:.${name}=dataurl`);
  const options = ["--bundle", "--format=esm", "--jsx=automatic", "--outfile=page.js", "--log-level=error", ...fonts];
  run(process.execPath, [esbuild, "page.jsx", ...options, '--define:process.env.NODE_ENV="production"']);
}

const children = [];
/** Resolves once the program has printed `said`. */
async function start(args, { cwd, said }) {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  for await (const line of createInterface(child.stdout)) if (line === said) return child;
  throw new Error(`${args.join(" ")} has ended`);
}

const tsx = pathToFileURL(createRequire(join(root, "examples/package.json")).resolve("tsx")).href;
const database = join(mkdtempSync(join(tmpdir(), "trips-")), "trips.db");
const serve = () =>
  start(["--import", tsx, "ag-ui/serve.ts", database, String(aguiPort)], {
    cwd: join(root, "examples"),
    said: String(aguiPort),
  });

async function kill(child) {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

install();
const browser = await openBrowser();
try {
  const first = await serve();
  await start(["server.mjs"], { cwd: folder, said: "ready" });
  const chat = await browser.newPage();
  chat.setDefaultTimeout(60_000);
  await chat.goto(`http://127.0.0.1:${pagePort}/`);
  await chat.fill("textarea", "Oslo");
  await chat.keyboard.press("Enter");
  const question = await chat.textContent("#approve");
  ok(question?.includes("Book Oslo for 99"), `asked: ${question}`);
  await kill(first);
  await serve();
  await chat.click("#approve");
  await chat.getByText("Your flight to Oslo is booked.").first().waitFor();
  console.log("CopilotKit: asked, killed, answered");
} finally {
  await browser.close();
  for (const child of children) child.kill("SIGKILL");
}
