/** The tests call the command as it ships. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const cli = join(import.meta.dirname, "..", "..");
  const tsup = join(cli, "..", "..", "node_modules", "tsup", "dist", "cli-default.js");
  execFileSync(process.execPath, [tsup, "--silent"], { cwd: cli, stdio: ["ignore", "ignore", "inherit"] });
}
