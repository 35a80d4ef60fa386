/** Blocks of commands of npm get a tab for each package manager. The pages themselves, and those for assistants, keep npm alone. */
import converter from "npm-to-yarn";
import type { MarkdownRenderer } from "vitepress";

// Its types are those of a CommonJS module, and it is none.
const convert = converter as unknown as typeof converter.default;

const managers = ["npm", "pnpm", "yarn", "bun"] as const;
type Manager = (typeof managers)[number];

/** How each of them runs a command of an installed package. */
const runs: Readonly<Record<Manager, string>> = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" };

/** The core rule runs before code is rendered: the tabs are those of VitePress, as `::: code-group` makes them. */
export function installTabs({ core }: MarkdownRenderer): void {
  core.ruler.push("install-tabs", (state) => {
    state.tokens = state.tokens.flatMap((token) => {
      if (token.type !== "fence" || token.info.trim() !== "sh" || !hasTabs(token.content)) return [token];
      const tabs = managers.map((manager) => {
        const tab = new state.Token("fence", "code", 0);
        return Object.assign(tab, token, { info: `sh [${manager}]`, content: commandsFor(token.content, manager) });
      });
      const open = new state.Token("container_code-group_open", "div", 1);
      return [open, ...tabs, new state.Token("container_code-group_close", "div", -1)];
    });
  });
}

/** Whether something is installed, and every line means the same to all of them. */
function hasTabs(commands: string): boolean {
  const lines = commands.trim().split("\n");
  const isCommon = (line: string): boolean =>
    /^(?:npm (?:install|create|run|start|test)\b|npx |(?:cd|mkdir|node|rm) |#|$)/.test(line);
  const isSingle = (line: string): boolean => !/&&|\||;/.test(line.replace(/#.*/, ""));
  return /^npm (?:install|create)\b/m.test(commands) && lines.every((line) => isCommon(line) && isSingle(line));
}

/** The same commands for another package manager. Comments are kept. */
function commandsFor(commands: string, manager: Manager): string {
  if (manager === "npm") return commands;
  return commands.replace(/^(npm|npx) ([^#\n]*[^#\s])/gm, (command, tool, rest) =>
    tool === "npx" ? `${runs[manager]} ${rest}` : convert(command, manager),
  );
}
