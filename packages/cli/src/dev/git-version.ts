/** The version of code that says none: the revision of its repository. */
import { execFile } from "node:child_process";

/** Git is asked for so long. */
const timeoutMs = 2_000;

/** `3f2a9c1b7d5e`, with `-dirty` where files differ from it; `null` outside of a repository, and where there is no Git. */
export function gitVersion(folder: string): Promise<string | null> {
  const args = ["-C", folder, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  return new Promise((resolve) => {
    execFile("git", args, { timeout: timeoutMs }, (error, stdout) => {
      const text = stdout.trim();
      resolve(error === null && text !== "" ? text : null);
    });
  });
}
