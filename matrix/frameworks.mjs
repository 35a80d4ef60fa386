/** Frameworks, with the files of the guide: each app is built, asked, killed, started again, answered and ended. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf, rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const page = join(matrix, "..", "docs", "how-to", "serve-from-a-framework.md");

const ours = "millrace @millrace/server @millrace/sqlite";
const node = "node --disable-warning=ExperimentalWarning";
/** The programs themselves: what npm puts into `.bin` starts Deno as a child, which would survive a kill. */
const bun = join(matrix, "node_modules", "bun", "bin", "bun.exe");
const deno = join(matrix, "node_modules", "deno", "deno");
const vite = "node ../node_modules/vite/bin/vite.js build";

/** By the headings of the page: the folder, where `flows.ts` is in it, what builds the app, and what starts it. */
const frameworks = {
  Next: {
    folder: "next",
    flows: "flows.ts",
    build: "node ../node_modules/next/dist/bin/next build",
    start: `${node} ../node_modules/next/dist/bin/next start`,
  },
  Hono: { folder: "hono", flows: "flows.ts", start: `${node} main.ts` },
  Express: { folder: "express", flows: "flows.ts", start: `${node} main.ts` },
  Fastify: { folder: "fastify", flows: "flows.ts", start: `${node} main.ts` },
  SvelteKit: { folder: "sveltekit", flows: "src/flows.ts", build: vite, start: `${node} build/index.js` },
  "TanStack Start": { folder: "tanstack-start", flows: "src/flows.ts", build: vite, start: `${node} serve.ts` },
  "Nuxt and Nitro": {
    folder: "nuxt",
    flows: "server/utils/flows.ts",
    build: "NUXT_TELEMETRY_DISABLED=1 node ../node_modules/nuxt/bin/nuxt.mjs build",
    start: `${node} .output/server/index.mjs`,
  },
  Bun: { folder: "bun", flows: "flows.ts", start: `${bun} main.ts` },
  Deno: { folder: "deno", flows: "flows.ts", start: `${deno} run --allow-all --node-modules-dir=manual main.ts` },
};

const manifest = JSON.stringify({ private: true, type: "module" });
const installed = {
  shared: `zod@4 @hono/node-server@2 ${ours}`,
  servers: "express@5 fastify@5 hono@4",
  vite: "vite@8 svelte@5 @sveltejs/kit@3 @sveltejs/adapter-node@6 @sveltejs/vite-plugin-svelte@7",
  react: "@tanstack/react-start@1 @tanstack/react-router@1 react@19 react-dom@19 @vitejs/plugin-react@6",
  nuxt: "nuxt@4",
  next: "next@16 typescript@6 @types/node@24 @types/react@19",
};

export function frameworkRows() {
  const [start, ...sections] = readFileSync(page, "utf8").split(/^(?=## )/m);
  const flows = blocksOf(start)["flows.ts"];
  const files = filesOf("frameworks");
  const commands = ["export PORT=3000", `npm install --no-audit --no-fund ${Object.values(installed).join(" ")}`];
  for (const [name, { folder, flows: place, build, start: command }] of Object.entries(frameworks)) {
    const section = sections.find((text) => text.startsWith(`## ${name}\n`));
    const own = { ...blocksOf(section), [place]: flows, "package.json": manifest };
    for (const [file, code] of Object.entries(own)) files[`${folder}/${file}`] = code;
    const steps = [
      ...(build === undefined ? [] : [build, "test ! -e runs.db"]),
      `node ../try.mjs "${name}" ${command}`,
    ];
    commands.push(`(cd ${folder} && ${steps.join(" && ")}) # ${name}: Ahoy, Ada!`);
  }
  return [rowOf({ name: "served from frameworks", files, commands }, 24)];
}

/** The blocks below "`name`:", by name. */
function blocksOf(text) {
  const found = text.matchAll(/^`([^`]+)`.*:\n\n```ts.*\n([\s\S]*?)^```/gm);
  return Object.fromEntries([...found].map(([, name, code]) => [name, code]));
}
