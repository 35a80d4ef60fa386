import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { defineConfig } from "tsup";
import { addresses } from "../../scripts/addresses.mjs";
import { withOtherLinks } from "../../scripts/setup/links.mjs";
import { declarations } from "../../tsup.shared.js";

/** `millrace explain` reads them without a network. */
function copyErrorPages(): void {
  const from = new URL("../../docs/errors/", import.meta.url);
  const to = new URL("dist/errors/", import.meta.url);
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((file) => file !== "README.md")) {
    const page = withOtherLinks(readFileSync(new URL(name, from), "utf8"), addressOf);
    writeFileSync(new URL(name, to), page.replace(/^```ts .*$/gm, "```ts"));
  }
}

function addressOf(target: string): string | null {
  if (addresses.repository === null) return null;
  return `${addresses.repository}/blob/main/${posix.join("docs/errors", target)}`;
}

const imported = { index: "src/config/index.ts", "run-file": "src/run-file/index.ts" };

export default defineConfig({
  entry: { ...imported, main: "src/main.ts", worker: "src/dev/worker.ts" },
  dts: declarations({ entry: imported }),
  format: ["esm"],
  target: "node22",
  platform: "node",
  removeNodeProtocol: false, // there is no `sqlite` without it
  splitting: true, // a command loads what it needs, and no more
  clean: true,
  onSuccess: async () => copyErrorPages(),
});
