#!/usr/bin/env node
import { parseArgs } from "node:util";
import {
  createProject,
  defaultName,
  defaultTemplate,
  folderProblem,
  madeFolder,
  templateNames,
} from "./create-project.js";
import { packageManagerOf } from "./package-manager.js";

const usage = `Usage: create-millrace [folder] [--template <name>] [--yes]

Makes a project with Millrace that runs.

  --template  workflow: one workflow (the default)
              chat: an agent in a page with useChat, and the studio
  --yes       asks nothing: without a folder it is ${defaultName}
  --help      prints this`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const given = readArgs(args);
  if (given === null) return 2;
  if (given.help) {
    console.log(usage);
    return 0;
  }
  const cwd = process.cwd();
  const target = given.folder ?? (await askName(given.yes, cwd));
  if (target === null) return 130;
  const problem = folderProblem(target, cwd) ?? madeFolder(target, cwd);
  if (problem !== null) {
    console.error(`${problem}\nhint  Name another one: npm create millrace <folder>`);
    return 2;
  }
  const manager = packageManagerOf(process.env["npm_config_user_agent"]);
  createProject({ target, cwd, manager, template: given.template });
  const steps = [...(target === "." ? [] : [`cd ${quoted(target)}`]), manager.install, `${manager.run} dev`];
  console.log(`Made ${target}. Now:\n\n${steps.map((step) => `  ${step}`).join("\n")}\n`);
  return 0;
}

/** One word: in double quotes, which every shell takes, unless what is in it means something there. */
function quoted(target: string): string {
  if (!/[^\p{L}\p{M}\p{N}_./\\:@%+=,-]/u.test(target)) return target;
  return /["$`!\\]/.test(target) ? `'${target.replaceAll("'", "'\\''")}'` : `"${target}"`;
}

interface Given {
  readonly folder: string | undefined;
  readonly template: string;
  readonly yes: boolean;
  readonly help: boolean;
}

/** Null, and says why, for arguments that are none. */
function readArgs(args: readonly string[]): Given | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t", default: defaultTemplate },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
    const names = templateNames();
    if (!names.includes(values.template))
      throw new TypeError(`There is no template "${values.template}". There are ${names.join(" and ")}.`);
    if (positionals.length > 1)
      throw new TypeError(`There are ${positionals.length} folders: ${positionals.join(", ")}.`);
    return { folder: positionals[0], template: values.template, yes: values.yes ?? false, help: values.help ?? false };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return null;
  }
}

/** Null: the person has left. */
async function askName(yes: boolean, cwd: string): Promise<string | null> {
  if (yes || !process.stdin.isTTY || !process.stdout.isTTY) return defaultName;
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message: "Where?",
    placeholder: defaultName,
    defaultValue: defaultName,
    validate: (value) => folderProblem(value || defaultName, cwd) ?? undefined,
  });
  return isCancel(answer) ? null : answer;
}
