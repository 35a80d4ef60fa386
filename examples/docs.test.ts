/** The code blocks of the documentation do what their comments say: `console.log(x); // what it prints`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "./test/temporary-folder.js";

const home = process.cwd();
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = fileURLToPath(new URL(".reports/docs", import.meta.url));

interface Block {
  readonly name: string;
  readonly code: string;
  readonly prints: readonly string[];
}

const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md"),
);
const blocks = [
  join(root, "README.md"),
  join(root, "packages/core/README.md"),
  ...pages.map((name) => join(root, "docs", name)),
].flatMap(blocksOf);

/** Blocks that stand alone and say what they print. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].flatMap(({ 1: code = "", index }) => {
    const prints = [...code.matchAll(/console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(([, comment = ""]) => comment);
    const line = text.slice(0, index).split("\n").length;
    return prints.length > 0 ? [{ name: `${relative(root, page)}:${line}`, code, prints }] : [];
  });
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

describe("documentation", () => {
  it("has blocks that say what they print", () => {
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(blocks)("$name prints what it says", async ({ name, code, prints }) => {
    const printed: string[] = [];
    vi.stubEnv("OPENAI_API_KEY", ""); // no page asks a model
    vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(format(...values)));
    const file = join(folder, `${name.replace(/[^A-Za-z0-9]+/g, "-")}.ts`);
    writeFileSync(file, code);
    process.chdir(temporaryFolder("docs-")); // what a block stores is there
    onTestFinished(() => {
      process.chdir(home);
      vi.unstubAllEnvs();
    });

    await import(file);

    expect(printed).toEqual(prints);
  });
});
