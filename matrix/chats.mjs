/** The chat of `npm create millrace`, used in Chromium. Those of `examples/apps` are in apps.mjs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const page = join(matrix, "..", "packages", "create-millrace", "README.md");
const driver = `node "${join(matrix, "src", "chats", "template.mjs")}"`;

/** A new project, as the page of `create-millrace` prints it. */
export function chatRows() {
  const [, block] = /^## Templates\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(readFileSync(page, "utf8"));
  const commands = [...block.trim().split("\n"), "npm run typecheck", `${driver} # allowed, reloaded, killed`];
  return [rowOf({ name: "npm create millrace, chat", files: {}, commands }, 24)];
}
