/** Commands that are printed can be pasted. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { joke } from "./support/flows.js";
import { command, createProject, plainEnv } from "./support/project.js";

it.each(["a b's $HOME", "-a"])("prints commands that a shell takes, for the run %j", async (id) => {
  const project = createProject({ "joke.ts": joke });
  const store = "my runs.db";
  const paste = (said: string, name: string): string => {
    const line = said.split("\n").find((one) => one.includes(`: millrace ${name}`)) ?? "";
    const script = `millrace() { "$NODE" "$COMMAND" "$@"; }\n${line.slice(line.indexOf(": ") + 2)}`;
    const env = plainEnv({ NODE: process.execPath, COMMAND: command });
    return execFileSync("sh", ["-c", script], {
      cwd: project.folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  };

  const asked = await project.call("run", "joke.ts#AskFlow", `--id=${id}`, "--store", store);
  const cancelled = await project.call("cancel", "--store", store, "--", id);
  const resumed = paste(cancelled.stderr, "resume");

  expect(asked.stderr).toContain("Answer with: millrace answer");
  expect(resumed).toContain("waiting for an answer");
});
