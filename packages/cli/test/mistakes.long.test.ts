/** Mistakes that coding assistants make: the printed text names the file, the line, the cause and the edit that mends it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { lineOf, type Mistake, programOf } from "./support/mistake.js";
import { mistakesOfGraphs } from "./support/mistakes-of-graphs.js";
import { mistakesOfRuns } from "./support/mistakes-of-runs.js";
import { mistakesOfTypes } from "./support/mistakes-of-types.js";
import { createProject, type Project } from "./support/project.js";

function planted(mistakes: readonly Mistake[]): Project {
  const files = mistakes.flatMap((mistake) =>
    (["wrong", "right"] as const).map((form) => [`${form}/${mistake.name}.ts`, programOf(mistake, form)]),
  );
  return createProject(Object.fromEntries(files));
}

const compiler = join(import.meta.dirname, "..", "..", "..", "node_modules", "typescript-native", "bin", "tsc");

/** What the compiler prints for all files of the project. */
async function compile({ folder, write }: Project): Promise<string> {
  const options = { target: "es2024", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true, types: [] };
  write("tsconfig.json", JSON.stringify({ compilerOptions: options, include: ["wrong", "right"] }));
  const args = [compiler, "--project", folder, "--pretty", "false"];
  const failed = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: unknown) => error);
  return (failed as { readonly stdout: string }).stdout;
}

/** The lines that begin with the place of the mistake, with what is printed below them. */
function toldAt(printed: string, place: string): string {
  const parts = printed.split(/^ *(?=\S+\.ts[:(])/m);
  return parts.filter((part) => part.startsWith(place)).join("");
}

it("are found by `millrace check`, all in one call, and the edit mends each", async () => {
  const project = planted(mistakesOfGraphs);

  const wrong = await project.call("check", "wrong");
  const right = await project.call("check", "right");

  for (const mistake of mistakesOfGraphs) {
    const told = toldAt(wrong.stdout, `wrong/${mistake.name}.ts:${lineOf(mistake)}: `);
    for (const part of mistake.says) expect.soft(told, mistake.name).toContain(part.replaceAll("$", mistake.name));
  }
  expect(wrong).toMatchObject({ code: 1, stderr: "" });
  expect(right).toMatchObject({ code: 0, stderr: "" });
  expect(right.stdout.match(/^✔/gm)).toHaveLength(mistakesOfGraphs.length);
});

it("are found by the compiler, and the edit mends each", async () => {
  const project = planted(mistakesOfTypes);

  const printed = await compile(project);

  for (const mistake of mistakesOfTypes) {
    const told = toldAt(printed, `wrong/${mistake.name}.ts(${lineOf(mistake)},`);
    for (const part of mistake.says) expect.soft(told, mistake.name).toContain(part.replaceAll("$", mistake.name));
  }
  expect(printed).not.toContain("right/");
});

it.each(mistakesOfRuns)("are found by a run, and the edit mends it: $name", async (mistake) => {
  const project = planted([mistake]);

  const wrong = await project.call("run", `wrong/${mistake.name}.ts`);
  const right = await project.call("run", `right/${mistake.name}.ts`);

  for (const part of [...mistake.says, `at wrong/${mistake.name}.ts:${lineOf(mistake)}:`])
    expect.soft(wrong.stdout).toContain(part);
  expect([wrong.code, right.code]).toEqual([1, 0]);
});
