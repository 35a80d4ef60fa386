/** `pnpm install`, which says nothing where all packages are there. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { retry, root, say } from "./console.mjs";

export function installPackages(env) {
  const args = ["install", "--frozen-lockfile", "--reporter=append-only", "--config.confirmModulesPurge=false"];
  const options = { cwd: root, env, encoding: "utf8", shell: process.platform === "win32" };
  if (!existsSync(join(root, "node_modules"))) say("installing packages");
  retry("installing packages", () => {
    const { status, stdout, stderr } = spawnSync("pnpm", args, options);
    if (status !== 0 || !/up to date/i.test(stdout)) console.log(stdout, stderr);
    return status === 0;
  });
}
