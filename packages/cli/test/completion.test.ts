import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { joke } from "./support/flows.js";
import { createProject } from "./support/project.js";

it("completes commands, options and files of code", async () => {
  const project = createProject({ "src/joke.ts": joke, "src/joke.test.ts": "" });

  const commands = await project.call("complete", "--", "re");
  const options = await project.call("complete", "--", "runs", "--st");
  const files = await project.call("complete", "--", "run", "src/");
  const nested = await project.call("complete", "--", "store", "");

  expect(commands.stdout).toMatch(/^resume\t[\s\S]*^retry\t/m);
  expect(options.stdout).toMatch(/^--store\t[\s\S]*^--status\t/m);
  expect(files.stdout).toMatch(/^src\/joke\.ts\t/m);
  expect(files.stdout).not.toContain("joke.test.ts");
  expect(nested.stdout).toMatch(/^vacuum\t/m);
});

it("prints scripts that the shells take", async () => {
  const project = createProject();

  const bash = await project.call("completion", "bash");
  const parsed = spawnSync("bash", ["-n"], { input: bash.stdout, encoding: "utf8" });
  const zsh = await project.call("completion", "zsh");
  const fish = await project.call("completion", "fish");
  const odd = await project.call("completion", "tcsh");

  expect(parsed).toMatchObject({ status: 0, stderr: "" });
  expect(zsh.stdout).toContain("#compdef millrace");
  expect(fish.stdout).toContain("complete -c millrace");
  expect(odd.code).toBe(2);
});
