import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

it("the first program of the README prints what stands below it", () => {
  const [, program = "", output] =
    /```ts\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/.exec(readFileSync(fileOf("../README.md"), "utf8")) ?? [];
  const source = program.replace('"@millrace/client"', JSON.stringify("./src/index.ts"));

  // From the sources, beside which the packages that it names are found.
  const flags = ["--disable-warning=ExperimentalWarning", "--import", fileOf("child/source.mjs")];
  const printed = execFileSync(process.execPath, [...flags, "--input-type=module-typescript", "--eval", source], {
    cwd: fileOf(".."),
    encoding: "utf8",
    timeout: 30_000,
  });

  expect(printed).toBe(output);
}, 40_000);
