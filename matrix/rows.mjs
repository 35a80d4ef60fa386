/**
 * The matrix. A row with `fails` cannot work, and its message is part of the promise: when a tool
 * learns it, the row fails and the documentation (docs/reference/toolchains.md) is put right.
 */
import { a2aRows } from "./a2a.mjs";
import { agentRows } from "./agents.mjs";
import { appRows } from "./apps.mjs";
import { chatRows } from "./chats.mjs";
import * as clients from "./client.mjs";
import { containerRows } from "./container.mjs";
import { frameworkRows } from "./frameworks.mjs";
import { mcpRows } from "./mcp.mjs";
import { packedRows } from "./packed.mjs";
import { releaseRows } from "./release.mjs";
import { inNext, inWorkerd, pausedInNext, pausedInWorkerd, servedInNext } from "./servers.mjs";
import { setupRows } from "./setup.mjs";
import { strangerRows } from "./strangers.mjs";
import * as tool from "./tools.mjs";
import { trialRows } from "./trials.mjs";
import { workflowCoreRows } from "./workflow-core.mjs";

const { inBun, inDeno, inNode, source } = tool;
const unlowered = /SyntaxError: Invalid or unexpected token/;

/** tsup, Vite 7 and the like build a module that Node runs. */
const built =
  (build, ...options) =>
  async (folder) =>
    inNode(await build(...options.slice(0, 1), folder, ...options.slice(1)));

const classForm = [
  ["tsc 6, TC39", built(tool.tsc, "class")],
  ["tsc 6, experimentalDecorators", built(tool.tsc, "class", { flags: ["--experimentalDecorators"] })],
  ["tsc 7, TC39", built(tool.tsc, "class", { compiler: "typescript-native" })],
  [
    "tsc 7, experimentalDecorators",
    built(tool.tsc, "class", { compiler: "typescript-native", flags: ["--experimentalDecorators"] }),
  ],
  [
    "esbuild, target es2022",
    async (folder) => inNode(await tool.bundle(source("class"), folder, { target: "es2022" })),
  ],
  ["esbuild, no target", async (folder) => inNode(await tool.bundle(source("class"), folder)), unlowered],
  ["SWC, decoratorVersion 2022-03", built(tool.viaSwc, "class", { decoratorVersion: "2022-03" })],
  ["SWC, decoratorVersion 2023-11", built(tool.viaSwc, "class", { decoratorVersion: "2023-11" })],
  ["SWC, legacyDecorator", built(tool.viaSwc, "class", { legacyDecorator: true })],
  ["Vite 7", built(tool.vite, "class")],
  ["tsup 9", built(tool.tsup, "class")],
  ["tsx", async () => inNode(source("class"), { flags: ["--import", "tsx"] })],
  ["Next 16, Turbopack", (folder) => inNext("class", folder)],
  ["Next 16, Turbopack, experimentalDecorators", (folder) => inNext("class", folder, { experimentalDecorators: true })],
  [
    "Next 16, webpack, experimentalDecorators",
    (folder) => inNext("class", folder, { flags: ["--webpack"], experimentalDecorators: true }),
  ],
  [
    "Next 16, webpack",
    (folder) => inNext("class", folder, { flags: ["--webpack"] }),
    /Unexpected token `@`|Unexpected token|Unexpected character '@'/,
  ],
  ["Next 16, Turbopack, killed between requests", (folder) => pausedInNext("class", folder)],
  ["Bun", () => inBun(source("class"))],
  ["Bun, built", async (folder) => inBun(await tool.bunBuild("class", folder))],
  ["Deno", (folder) => inDeno(source("class"), folder)],
  ["workerd", () => inWorkerd("class")],
  ["Vite 8", built(tool.vite, "class", { version: "vite-8" }), unlowered],
  ["Vite 8, legacy decorators", built(tool.vite, "class", { version: "vite-8", oxc: { decorator: { legacy: true } } })],
  ["Vite 8, esbuild plugin", built(tool.vite, "class", { version: "vite-8", plugins: [tool.lowering] })],
  ["tsdown", built(tool.tsdown, "class"), unlowered],
  ["tsdown, experimentalDecorators", built(tool.tsdown, "class", { experimentalDecorators: true })],
  ["Node type stripping", () => inNode(source("class")), unlowered],
];

const functionForm = [
  ["esbuild, no target", async (folder) => inNode(await tool.bundle(source("functions"), folder))],
  ["Next 16, webpack", (folder) => inNext("functions", folder, { flags: ["--webpack"] })],
  [
    "Next 16, webpack, killed between requests",
    (folder) => pausedInNext("functions", folder, { flags: ["--webpack"] }),
  ],
  ["Vite 8", built(tool.vite, "functions", { version: "vite-8" })],
  ["tsdown", built(tool.tsdown, "functions")],
  ["Node type stripping", () => inNode(source("functions"))],
  ["Bun", () => inBun(source("functions"))],
  ["Deno", (folder) => inDeno(source("functions"), folder)],
  ["workerd", () => inWorkerd("functions")],
];

const served = [
  ["Bun", () => inBun(source("served"))],
  ["Deno", (folder) => inDeno(source("served"), folder)],
  ["Next 16, Turbopack", (folder) => servedInNext("class", folder)],
  ["workerd, a Durable Object killed between requests", (folder) => pausedInWorkerd(folder)],
];

/** The client on a platform; the server is in Node. */
const client = [
  ["Node 24", clients.clientInNode24],
  ["Node 22.13", clients.clientInOldestNode("esm")],
  ["Node 22.13, CommonJS", clients.clientInOldestNode("cjs")],
  ["Node 22.13, bundled by esbuild", clients.clientBundled],
  ["Bun", clients.clientInBun],
  ["Deno", clients.clientInDeno],
  ["workerd", clients.clientInWorkerd],
];

const named = (form, list) => list.map(([name, run, fails = null]) => ({ name: `${form}: ${name}`, run, fails }));
export const rows = [
  ...named("class", classForm),
  ...named("functions", functionForm),
  ...named("served", served),
  ...named("client", client),
];
/** These run beside the others: each is in a folder of its own, and waits for npm half of the time. */
export const rowsBeside = [
  ...setupRows(),
  ...packedRows(),
  ...releaseRows(),
  ...containerRows(),
  ...appRows(),
  ...trialRows(),
  ...agentRows(),
  ...a2aRows(),
  ...chatRows(),
  ...frameworkRows(),
  ...mcpRows(),
  ...workflowCoreRows(),
  ...strangerRows(),
];
