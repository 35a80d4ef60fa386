import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const readText = (name: string): string => readFileSync(fileOf(name), "utf8");

/** From the sources, beside which the packages that it names are found. */
function run(program: string): string {
  const source = program.replace('"@millrace/client"', JSON.stringify("./src/index.ts"));
  const flags = ["--disable-warning=ExperimentalWarning", "--import", fileOf("child/source.mjs")];
  return execFileSync(process.execPath, [...flags, "--input-type=module-typescript", "--eval", source], {
    cwd: fileOf(".."),
    encoding: "utf8",
    timeout: 200_000,
  });
}

it("the first program of the README prints what stands below it", () => {
  const [, program = "", output] = /```ts\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/.exec(readText("../README.md")) ?? [];

  expect(run(program)).toBe(output);
});

it("the first program of the guide prints what stands behind its lines", () => {
  const guide = readText("../../../docs/how-to/call-workflows-from-a-client.md");
  const [, program = ""] = /```ts\n([\s\S]*?)```/.exec(guide) ?? [];
  const said = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);

  expect(said).toHaveLength(2);
  expect(run(program).trim().split("\n")).toEqual(said);
});
