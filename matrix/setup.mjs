/**
 * The setup page, walked as a newcomer walks it: each section in an empty folder outside of the repository, with the files
 * and commands that are printed there. Packages of this repository come from the packed tarballs, the rest from npm.
 *
 * A line "`name`:" names the block below it as a file. The files of "Start" are there in every section, those of a section in the
 * parts of it. A comment behind a command says what it prints.
 */
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { published, tarballs } from "../scripts/setup/pack.mjs";
import { freePort } from "../test-ports.ts";
import { nodeFolder } from "./node-versions.mjs";
import { matrix } from "./tools.mjs";

const root = join(matrix, "..");
const sectionLimitMs = 600_000;

/** Rows for every section with commands, and for the first screens of the README and of that of the package. */
export function setupRows() {
  const [start, ...sections] = sectionsOf(readFileSync(join(root, "docs", "setup.md"), "utf8")).filter(
    ({ commands }) => commands.length > 0,
  );
  const readmes = ["README.md", "packages/core/README.md"].map((name) => ({
    ...sectionsOf(readFileSync(join(root, name), "utf8"))[0],
    name,
  }));
  const rows = sections.map((section) => ({
    ...section,
    files: { ...start.files, ...section.files },
    commands: [...start.commands, ...section.commands],
  }));
  const onBoth = [...readmes, ...rows.filter(({ name }) => ["tsx", "Node alone"].includes(name))];
  return [
    ...[...onBoth.map((row) => rowOf(row, 22)), ...readmes, ...rows].map((row) => (row.run ? row : rowOf(row, 24))),
    ...createRows(),
  ];
}

/** A new project by `npm create millrace`, as its page prints it. */
function createRows() {
  const page = readFileSync(join(root, "packages", "create-millrace", "README.md"), "utf8");
  const [{ commands }] = sectionsOf(page).filter((section) => section.commands.length > 0);
  return [22, 24].map((major) => rowOf({ name: "npm create millrace, as a stranger", files: {}, commands }, major));
}

/** The files of a folder of `src`, as a project of modules. */
export function filesOf(name) {
  return {
    ...filesBelow(join(matrix, "src", name)),
    "package.json": JSON.stringify({ private: true, type: "module" }),
  };
}

/** Texts, by their paths below the folder. */
export function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

/** Runs these commands in an empty folder with these files. */
export function rowOf({ name, files, commands }, major) {
  return { name: `setup: ${name}, Node ${major}`, run: () => walk({ files, commands }, major), prints: "as printed" };
}

/** The page by its headings: the files that each section names, and its commands. */
export function sectionsOf(page) {
  let around = { files: {}, name: "" };
  return page.split(/^(?=###? )/m).map((text) => {
    const isPart = text.startsWith("### ");
    const files = isPart ? { ...around.files } : {};
    const commands = [];
    for (const [, before, language, code] of text.matchAll(/([^\n]*)\n*^```(\w+)[^\n]*\n([\s\S]*?)^```/gm)) {
      const named = /^`([^`\s]+\.\w+)`.*:$/.exec(before);
      if (language === "sh") commands.push(...code.trim().split("\n"));
      else if (named) files[named[1]] = code;
    }
    const heading = /^###? (.*)/.exec(text)?.[1] ?? "";
    const section = { name: isPart ? `${around.name}, ${heading}` : heading, files, commands };
    if (!isPart) around = section;
    return section;
  });
}

/** Bun and Deno as somebody has them who installed them: for all folders. */
function installed() {
  const folder = join(matrix, "out", ".installed");
  mkdirSync(folder, { recursive: true });
  for (const name of ["bun", "deno"]) {
    const link = join(folder, name);
    // pnpm's programs are shell scripts that look for their package beside them, also through a link.
    if (!existsSync(link)) symlinkSync(join(matrix, "node_modules", ".bin", name), link);
  }
  return folder;
}

async function walk({ files, commands }, major) {
  const printed = await printedBy({ files, commands }, major);
  const missing = promisesOf(commands).filter((line) => !printed.includes(line));
  return missing.length === 0 ? "as printed" : `did not print ${missing.join(", ")} but ${printed.slice(-300)}`;
}

/** What these commands print in an empty folder with these files, in one line. */
export async function printedBy({ files, commands }, major) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-setup-"));
  try {
    for (const [name, code] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
    const port = String(await freePort());
    const here = commands.map((line) => fromTarballs(line).replaceAll("3000", port));
    return await shell(here, folder, major);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the comments behind commands say. */
const promisesOf = (commands) => commands.flatMap((line) => / # (.+)$/.exec(line)?.[1] ?? []);

/** Until the packages are on npm, and after: what is tried is this tree. */
function fromTarballs(line) {
  if (line.startsWith("npm create millrace")) return createdFromTarballs(line);
  if (!line.startsWith("npm install")) return line;
  const named = /(?<= |@npm:)(?:@millrace\/[\w-]+|(?:create-)?millrace)(?= |$)/g;
  const wanted = line.match(named) ?? [];
  const beside = neededBy(wanted).map((name) => ` ${tarballs()[name]}`);
  return line.replace(named, (name) => tarballs()[name]).replace("@npm:", "@file:") + beside.join("");
}

/** Packages of this repository that these depend on. A registry would add them by itself. */
function neededBy(names) {
  const ours = published();
  const seen = new Set(names);
  for (const name of seen)
    for (const dependency of dependenciesOf(ours.find((one) => one.name === name)))
      if (ours.some((one) => one.name === dependency)) seen.add(dependency);
  return [...seen].slice(names.length);
}

function dependenciesOf({ folder }) {
  return Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies ?? {});
}

/** The project names versions; here they are tarballs, with those that they need beside them. */
function createdFromTarballs(line) {
  const [, folder, args] = /^npm create millrace (\S+)(?: -- (.*))?$/.exec(line);
  const [, template = "workflow"] = /--template (\w+)/.exec(args) ?? [];
  const project = join(root, "packages", "create-millrace", "templates", template, "package.json");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(project, "utf8"));
  const named = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name in tarballs());
  const names = [...named, ...neededBy(named)];
  const others = names.map((name) => `'dependencies.${name}' 'devDependencies.${name}'`);
  const files = names.map((name) => `'dependencies.${name}=file:${tarballs()[name]}'`);
  return [
    `npm exec --yes --package=${tarballs()["create-millrace"]} -- create-millrace ${folder} ${args ?? ""}`,
    `(cd ${folder} && npm pkg delete ${others.join(" ")} && npm pkg set ${files.join(" ")})`,
  ].join(" && ");
}

/**
 * The environment of a new terminal: with NODE_ENV=production npm leaves development dependencies out, and `npm run` adds
 * settings of this repository.
 */
function newcomersEnv() {
  const isOurs = (name) => name === "NODE_ENV" || /^npm_/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs(name)));
}

/** One bash for all lines, as in a terminal; what it started in the background ends with it. */
function shell(commands, cwd, major) {
  const path = [nodeFolder(major), process.env.PATH, installed()].join(delimiter);
  const env = { ...newcomersEnv(), PATH: path, NO_COLOR: "1", CI: "true", NEXT_TELEMETRY_DISABLED: "1" };
  return new Promise((resolve, reject) => {
    const options = { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true };
    const child = spawn("bash", ["-euc", commands.join("\n")], options);
    const end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {} // nothing is left of the group
    };
    const stop = setTimeout(end, sectionLimitMs);
    let printed = "";
    let said = "";
    child.stdout.on("data", (data) => (printed += data));
    child.stderr.on("data", (data) => (said += data));
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(stop);
      end();
      if (code === 0) resolve(printed.replace(/\s+/g, " "));
      else reject(new Error((said.trim() || printed).slice(-2_000)));
    });
  });
}
