/** The rows that answer a request instead of being run: workerd and Next. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { matrix, output, source } from "./tools.mjs";

/** No `nodejs_compat`: nothing of Node is there. */
export async function inWorkerd(form) {
  const contents = `import { runShop } from ${JSON.stringify(source(form))};
    export default { fetch: async () => new Response(await runShop()) };`;
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false };
  const built = await esbuild.build({ stdin: { contents, resolveDir: matrix, loader: "ts" }, ...options });
  const script = built.outputFiles[0].text;
  const worker = new Miniflare({ modules: true, script, compatibilityDate: "2026-01-01" });
  try {
    // Several at once, and again: what a module keeps of one request may not be usable in another.
    const ask = async () => (await worker.dispatchFetch("http://localhost/")).text();
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    return answers.find((answer) => answer !== answers[0]) ?? answers[0];
  } finally {
    await worker.dispose();
  }
}

/** What Next writes into an app that has none, and would write into ours. */
const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "ESNext.Decorators", "ESNext.Disposable", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "bundler",
  jsx: "react-jsx",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  esModuleInterop: true,
  isolatedModules: true,
  resolveJsonModule: true,
  allowJs: true,
  incremental: true,
  allowImportingTsExtensions: true,
};

/** A production build of a Next app whose one route runs the workflow. */
export async function inNext(form, folder, { flags = [], experimentalDecorators = false } = {}) {
  const files = {
    "app/layout.tsx":
      "export default ({ children }: { children: React.ReactNode }) => <html lang='en'><body>{children}</body></html>;",
    "app/page.tsx": "export default () => <p>Ask /run.</p>;",
    "app/run/route.ts": `import { runShop } from "../../src/${form}.ts";
      export const dynamic = "force-dynamic";
      export const GET = async () => new Response(await runShop());`,
    "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(matrix)} } };`,
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...compilerOptions, experimentalDecorators },
      include: ["app", "src"],
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const name of ["shop", form]) cpSync(source(name), join(folder, "src", `${name}.ts`), { recursive: true });
  const next = join(matrix, "node_modules", "next", "dist", "bin", "next");
  await output(process.execPath, [next, "build", ...flags], { cwd: folder });
  return answerOf(next, folder);
}

async function answerOf(next, folder) {
  const port = await freePort();
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  const server = spawn(process.execPath, [next, "start", "--port", String(port)], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  try {
    for (let attempt = 0; attempt < 60; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const response = await fetch(`http://127.0.0.1:${port}/run`).catch(() => null);
      if (response) return await response.text();
    }
    throw new Error("the server did not answer within 30 s");
  } finally {
    server.kill("SIGKILL");
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
