/**
 * npm shows a README without the files around it: no link of it leads to one. Its commands install all that its first program imports, and
 * that program runs and prints what it says, unless it is a fragment.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { packages, readOf } from "./packages.mjs";

let programs = 0;

for (const { name, manifest } of packages) {
  const readme = readOf(name, "README.md");
  const refuse = (problem) => {
    throw new Error(`error: the README of ${name} ${problem}`);
  };

  const prose = readme.replace(/^( *```)[\s\S]*?^\1/gm, "");
  const [link] = prose.match(/\]\((?![a-z][a-z+.-]*:|#)[^)\s]+\)/) ?? [];
  if (link !== undefined) refuse(`has the link ${link}`);

  const [, fragment, program = ""] = /^```tsx?( fragment)?\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const missing = importsOf(program).find((one) => !installedBy(readme, manifest).has(one));
  if (missing !== undefined) refuse(`does not install ${missing}`);
  if (fragment !== undefined || program === "") continue;
  const printed = await run(program);
  const promised = [...program.matchAll(/console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(([, comment]) => comment);
  const absent = promised.find((line) => !printed.includes(line));
  if (absent !== undefined) refuse(`promises ${absent}, and prints ${printed}`);
  programs += 1;
}
console.log(`${packages.length} READMEs, ${programs} programs`);

/** Packages, without those of Node and files beside the program. */
function importsOf(program) {
  const from = [...program.matchAll(/^import [\s\S]*? from "([^"]+)";/gm)].map(([, specifier]) => specifier);
  const names = from.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)[0]);
  return names.filter((name) => name !== "." && !isBuiltin(name));
}

/** By the commands of a README, by the manifest that it prints, and as peers: npm installs those of a package with it. */
function installedBy(readme, { name, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const lines = [...readme.matchAll(/^npm (?:install|create) (.*)$/gm)].flatMap(([, names]) => names.split(/\s+/));
  const printed = [...readme.matchAll(/^ {4}"([^"]+)": "/gm)].map(([, dependency]) => dependency);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  return new Set([name, ...lines, ...printed, ...peers]);
}

/** What the program prints until it ends; a server is stopped after 5 s. */
async function run(program) {
  writeFileSync("program.ts", program);
  const env = { ...process.env, TOKEN: "secret" };
  const child = spawn(process.execPath, ["--import", "tsx", "program.ts"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let said = "";
  child.stdout.on("data", (data) => (printed += data));
  child.stderr.on("data", (data) => (said += data));
  const stop = program.includes("serve(") ? setTimeout(() => child.kill(), 5_000) : undefined;
  const [code, signal] = await once(child, "close");
  clearTimeout(stop);
  if (code !== 0 && signal !== "SIGTERM") throw new Error(`error: ${said || printed}`);
  return printed;
}
