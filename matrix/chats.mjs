/** Chats from the packed packages, in apps as people make them, used in Chromium. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const root = join(matrix, "..");
const read = (...path) => readFileSync(join(root, ...path), "utf8");
const driver = (name) => `node "${join(matrix, "src", "chats", `${name}.mjs`)}"`;

export function chatRows() {
  return [templateRow(), nextRow()];
}

/** A new project, as the page of `create-millrace` prints it. */
function templateRow() {
  const [, block] = /^## Templates\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(
    read("packages", "create-millrace", "README.md"),
  );
  const commands = [
    ...block.trim().split("\n"),
    "npm run typecheck",
    `${driver("template")} # allowed, reloaded, killed`,
  ];
  return rowOf({ name: "npm create millrace, chat", files: {}, commands }, 24);
}

/** The files of the guide, with the scripted model of the template in the place of one that costs money. */
function nextRow() {
  const guide = read("docs", "how-to", "show-an-agent-in-a-chat.md");
  const block = (first) => new RegExp(`^\`\`\`tsx?\\n(${first}[\\s\\S]*?)^\`\`\``, "m").exec(guide)[1];
  const route = block("import \\{ Agent, tool \\}");
  const withModel = route
    .replace('model: "openai/gpt-5-mini"', "model: scriptedModel()")
    .replace(/^/, 'import { scriptedModel } from "../../../../scripted-model";\n');
  const files = {
    "app/layout.tsx":
      "export default ({ children }: { children: React.ReactNode }) => <html lang='en'><body>{children}</body></html>;",
    "app/page.tsx": "export default () => <a href='/chat/c1'>Chat</a>;",
    "app/api/chat/[[...path]]/route.ts": withModel,
    "app/chat/[id]/page.tsx": block("import \\{ headers \\}"),
    "app/chat/[id]/chat.tsx": block(
      '"use client";\nimport \\{ useChat \\} from "@ai-sdk/react";\nimport \\{ ChatTransport',
    ),
    "scripted-model.ts": read("packages", "create-millrace", "templates", "chat", "src", "server", "scripted-model.ts"),
    "package.json": JSON.stringify({ private: true, type: "module" }),
  };
  const ours = "millrace @millrace/agents @millrace/ai-sdk @millrace/server @millrace/sqlite";
  const commands = [
    `npm install --no-audit --no-fund next@16 react@19 react-dom@19 ai@7 @ai-sdk/react@4 zod@4 ${ours}`,
    "npm install --no-audit --no-fund --save-dev typescript@6 @types/react@19 @types/node@24",
    "npx next build",
    "test ! -e chats.db", // the build opens no store
    `${driver("next")} # reloaded, killed twice, allowed`,
  ];
  return rowOf({ name: "chat in Next", files, commands }, 24);
}
