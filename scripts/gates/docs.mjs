/**
 * The documentation holds: relative links lead somewhere, numbers of the capacity page and of the page of numbers stand in the bench pages that they link, and the
 * TypeScript compiles against the built package, or with `JS_ONLY=1` against the sources. No page is longer than a reader reads at once. A block is a file of its own, unless it says
 * otherwise:
 *
 *     ```ts continued          goes on where the block above it ended
 *     ```ts fragment           a piece that does not stand alone: not compiled
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { linesWith, numberProblems, numbersOf } from "../numbers.mjs";
import { root } from "../setup/console.mjs";
import { filesIn, finish, read } from "./gate.mjs";

// Inside the package: so `millrace` is the package itself, as its `exports` say, and `zod` is its own.
const folder = join(root, "packages", "core", ".reports", "docs");
const pages = [
  ...["docs", "packages", "examples"].flatMap((name) => filesIn(name, /\.md$/)),
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"],
];
const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");
/** Of a page of the documentation, or of a README of a package. */
const WORD_LIMIT = 1_500;
const problems = [];

for (const page of pages) checkLinks(page);
for (const page of pages.filter(isRead)) checkLength(page);
checkList("docs/README.md");
checkNumbers("docs/architecture/scale.md");
checkNamedFiles(["docs/architecture/durable-runs.md", "docs/architecture/run-loop.md"], "packages/core/src/runtime");
problems.push(...numberProblems(numbersOf()));
const blocks = pages.flatMap(blocksOf);
compile(blocks);
finish(`${pages.length} pages: links lead somewhere, ${blocks.length} code blocks compile`, problems);

function checkLinks(page) {
  const text = read(page).replace(/^(```|~~~)[\s\S]*?^\1/gm, (code) => code.replace(/[^\n]/g, ""));
  text.split("\n").forEach((line, index) => {
    for (const [, target] of line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)) {
      const problem = /^[a-z][a-z+.-]*:/i.test(target) ? null : linkProblem(page, target);
      if (problem) problems.push(`${page}:${index + 1}: ${target}: ${problem}`);
    }
  });
}

function linkProblem(page, target) {
  const [path, anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(root, file))) return "no such file";
  if (!anchor || !file.endsWith(".md")) return null;
  const anchors = [...read(file).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => anchorOf(heading));
  return anchors.includes(anchor) ? null : "no such heading";
}

/** Decisions, changelogs and benches are looked up. */
function isRead(page) {
  return /^docs\/(?!decisions\/)|^packages\/[^/]+\/README\.md$/.test(page.replaceAll("\\", "/"));
}

/** The bars of a table and signs in code are no words. */
function checkLength(page) {
  const words = read(page)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  if (words > WORD_LIMIT) problems.push(`${page}: ${words} words, and at most ${WORD_LIMIT} are read: split it`);
}

/** A list of guides names each of them once. */
function checkList(page) {
  const guides = [...read(page).matchAll(/\]\((how-to\/[^)#]+)\)/g)].map(([, guide]) => guide);
  const again = guides.filter((guide, index) => guides.indexOf(guide) !== index);
  problems.push(...again.map((guide) => `${page}: lists ${guide} twice`));
}

/** Pages on how it works name files that exist, and together all of a folder; types and tests are not named. */
function checkNamedFiles(named, folder) {
  const sources = filesIn("packages", /^[\w-]+(\.[\w-]+)*\.ts$/).map((file) => basename(file));
  const files = new Set(sources);
  const found = named.flatMap((page) =>
    [...read(page).matchAll(/`(?:[\w/.]+\/)?([a-z][\w.-]*\.ts)`/g)].map(([, file]) => ({ page, file })),
  );
  for (const { page, file } of found)
    if (!files.has(file)) problems.push(`${page}: names ${file}, which does not exist`);
  const known = new Set(found.map(({ file }) => file));
  for (const file of filesIn(folder, /(?<!\.types|\.test|\.test-prop|\.test-d)\.ts$/))
    if (!known.has(basename(file))) problems.push(`${file}: named in none of ${named.join(", ")}`);
}

/** A row `| what | number | unit | [bench](page) |` repeats a number of that page. */
function checkNumbers(page) {
  const rows = [...read(page).matchAll(/^\| (.+?) +\| +([\d.,]+) \| .*\]\((\S+)\) +\|$/gm)];
  if (rows.length === 0) problems.push(`${page}: no row names a bench`);
  for (const [, what, number, bench] of rows) {
    if (linesWith(read(join(dirname(page), bench)), [number]).length === 0)
      problems.push(`${page}: ${what}: ${bench} has no ${number}`);
  }
}

/** As GitHub makes them. */
function anchorOf(heading) {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
}

function blocksOf(page) {
  const found = [];
  for (const match of read(page).matchAll(/^( *)```(?:ts|typescript)\b([^\n]*)\n([\s\S]*?)^ *```/gm)) {
    const [, indent, info, code] = match;
    const line = read(page).slice(0, match.index).split("\n").length + 1;
    const lines = code.split("\n").map((text) => text.replace(new RegExp(`^${indent}`), ""));
    if (/\bfragment\b/.test(info)) continue;
    const before = found.at(-1);
    if (/\bcontinued\b/.test(info) && before) {
      // Keeps the line numbers of the page: a message leads to the right place.
      const gap = Math.max(0, line - before.line - before.lines.length);
      before.lines.push(...Array(gap).fill(""), ...lines);
    } else found.push({ page, line, lines });
  }
  return found;
}

/** The other packages, as their `exports` say, one of them also by the name that it replaces, and what programs of agents and servers need. */
function linkPackages(into) {
  mkdirSync(into, { recursive: true });
  const packages = join(root, "packages");
  for (const name of readdirSync(packages).filter((name) => name !== "core"))
    symlinkSync(join(packages, name), join(into, name), "junction");
  mkdirSync(join(into, "..", "@llamaindex"), { recursive: true });
  symlinkSync(join(packages, "workflow-core"), join(into, "..", "@llamaindex", "workflow-core"), "junction");
  const others = { ai: "agents", "@ai-sdk": "agents", "@hono": "server" };
  for (const [name, owner] of Object.entries(others))
    symlinkSync(join(packages, owner, "node_modules", name), join(into, "..", name), "junction");
}

function compile(all) {
  rmSync(folder, { recursive: true, force: true });
  linkPackages(join(folder, "node_modules", "@millrace"));
  const nameOf = ({ page, line }) => `${page.replace(/[^A-Za-z0-9]+/g, "-")}-${line}.ts`;
  for (const block of all) writeFileSync(join(folder, nameOf(block)), block.lines.join("\n"));
  const lib = ["ES2023", "ESNext.Decorators", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"];
  const compilerOptions = { lib, customConditions: process.env.JS_ONLY === "1" ? ["@millrace/source"] : [] };
  const options = { extends: "../../../../tsconfig.json", compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const args = [compiler, "--project", folder, "--noEmit", "--pretty", "false"];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  for (const message of stdout.split("\n").filter(Boolean)) {
    const [, file, row, rest] = /^(\S+?)\((\d+),\d+\): (.*)$/.exec(message) ?? [];
    const block = file && all.find((candidate) => nameOf(candidate) === file);
    problems.push(block ? `${block.page}:${block.line + Number(row) - 1}: ${rest}` : message);
  }
  if (status !== 0 && stdout === "") problems.push("tsc failed without a message");
}
