/** `pnpm install`, and nothing at all when no manifest has changed since the last one. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { retry, root, say } from "./console.mjs";

const stampFile = join(root, "node_modules", ".installed");

export function installPackages(env) {
  const stamp = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  say("installing packages");
  const args = ["install", "--frozen-lockfile", "--reporter=append-only", "--config.confirmModulesPurge=false"];
  retry("installing packages", () => {
    const options = { cwd: root, env, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" };
    return spawnSync("pnpm", args, options).status === 0;
  });
  writeFileSync(stampFile, stamp);
  say("packages are installed");
}

/** Over everything that decides what an install does. */
function fingerprint() {
  const manifests = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.mjs", "examples/package.json"];
  for (const name of readdirSync(join(root, "packages"))) manifests.push(`packages/${name}/package.json`);
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const path of manifests) {
    const file = join(root, path);
    if (existsSync(file)) hash.update(`${path}\n`).update(readFileSync(file));
  }
  return hash.digest("hex");
}
