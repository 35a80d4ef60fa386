/** What the README shows is what the command prints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject } from "./support/project.js";

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");

/** Times and sizes differ from run to run; so does which comes first, an event or the end of the step that shows it. */
function withoutNumbers(text: string): string[] {
  const plain = text
    .replace(/"at":"[^"]+"/g, '"at":""')
    .replace(/"elapsed_ms":\d+/g, '"elapsed_ms":0')
    .replace(/\d+(\.\d+)? (ms|s|m|MB)\b( \d+ s\b)?/g, "0 $2")
    .replace(/\b0 (ms|s|m)\b/g, "0 s")
    .replace(/\bnow$|0 s ago$/gm, "0 s ago")
    .trim();
  return plain.split("\n").sort();
}

interface Example {
  readonly args: readonly string[];
  readonly output: string;
}

function examples(): Example[] {
  const blocks = [...readme.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.split(/^\$ millrace /m).slice(1))
    .map((text) => {
      const [line = "", ...output] = text.split("\n");
      const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      return { args, output: output.join("\n") };
    });
}

it("shows what the command prints", async () => {
  const [, code = ""] = /^```ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const project = createProject({ "src/order.ts": code });
  const shown = examples();

  for (const { args, output } of shown) {
    const { stdout, stderr } = await project.call(...args);
    expect(withoutNumbers(`${stdout}\n${stderr}`), args.join(" ")).toEqual(withoutNumbers(output));
  }
  expect(shown.length).toBeGreaterThan(8);
});
