import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { proveResumable } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { temporaryFolder } from "../test/temporary-folder.js";
import { agent, answer, begin } from "./agent.js";
import { branches } from "./branches.js";
import { question } from "./model.js";
import { runOriginal as runAgent } from "./original/agent.js";
import { runOriginal as runBranches } from "./original/branches.js";
import { runOriginal as runWalk } from "./original/walk.js";
import { walk } from "./walk.js";

/** `a.txt`, `empty/`, `inner/b.txt`, `inner/deep/c.txt` */
function folderWithFiles(): string {
  const folder = temporaryFolder("walk-");
  mkdirSync(join(folder, "empty"));
  mkdirSync(join(folder, "inner", "deep"), { recursive: true });
  for (const file of ["a.txt", "inner/b.txt", "inner/deep/c.txt"]) writeFileSync(join(folder, file), file);
  return folder;
}

describe("demos of workflow-core", () => {
  it("branches gives what the original gives", async () => {
    const result = await branches.run({ text: "initial data" });

    expect(result).toBe(await runBranches());
  });

  it("walk lists the whole tree, in its order", async () => {
    const directory = folderWithFiles();

    const output = await walk.run({ directory });

    expect(output.trimEnd().split("\n")).toEqual([
      directory,
      `  ${join(directory, "a.txt")}`,
      `  ${join(directory, "empty")}`,
      `  ${join(directory, "inner")}`,
      `    ${join(directory, "inner", "b.txt")}`,
      `    ${join(directory, "inner", "deep")}`,
      `      ${join(directory, "inner", "deep", "c.txt")}`,
    ]);
  });

  it("walk has every line of the original, which may stop before the end", async () => {
    const directory = import.meta.dirname; // stays: the original still reads after it has given its result

    const original = await runWalk(directory);

    expect((await walk.run({ directory })).split("\n")).toEqual(expect.arrayContaining(original.split("\n")));
  });

  it("agent gives what the original gives, over a snapshot as text", async () => {
    const stored = JSON.stringify(await begin());

    const result = await answer(JSON.parse(stored), "Ada");

    expect(result).toBe(await runAgent("Ada"));
  });

  it("all of them survive a crash at every tick", async () => {
    const directory = folderWithFiles();

    const proofs = await Promise.all([
      proveResumable(branches, { text: "initial data" }),
      proveResumable(walk, { directory }),
      proveResumable(agent, { messages: [...question] }, { answers: { NameRequired: { name: "Ada" } } }),
    ]);

    expect(proofs.map(({ ticks, crashes }) => crashes >= ticks - 1)).toEqual([true, true, true]);
  });

  it("prints both side by side", async () => {
    const { output } = await runExample("from-workflow-core/main.ts");

    expect(output).toContain("branches here:  Branch A, Branch B, Branch C\n");
    expect(output).toContain("agent here:     My name is Ada. The weather in San Francisco is sunny and 72°F.\n");
  });
});
