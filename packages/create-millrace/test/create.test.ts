import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { beforeAll, expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..");
const command = join(root, "dist", "main.js");

beforeAll(() => {
  const tsup = join(root, "..", "..", "node_modules", "tsup", "dist", "cli-default.js");
  execFileSync(process.execPath, [tsup, "--silent"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "create-millrace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function call(cwd: string, args: readonly string[], agent = "npm/11.0.0 node/v24.0.0") {
  const { PATH = "" } = process.env;
  const env = { PATH, npm_config_user_agent: agent };
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

it("writes a project with its name and the version of this package", () => {
  const cwd = emptyFolder();

  const { status, stdout } = call(cwd, ["My App"]);

  const manifest = JSON.parse(readFileSync(join(cwd, "My App", "package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(status).toBe(0);
  expect(manifest).toMatchObject({ name: "my-app", dependencies: { millrace: `^${version}` } });
  expect(JSON.stringify(manifest)).not.toContain('""');
  expect(stdout).toMatch(/npm install\n {2}npm run dev/);
  expect(readFileSync(join(cwd, "My App", ".gitignore"), "utf8")).toContain(".millrace");
  expect(readFileSync(join(cwd, "My App", "README.md"), "utf8")).not.toContain("{{");
  expect(readFileSync(join(cwd, "My App", "AGENTS.md"), "utf8")).toContain("`npm run typecheck`");
});

it.each(["My App", "it's", "$HOME a", "Ünïcode", 'a "b"', "plain"])(
  "prints a `cd` that a shell takes, to %j",
  (name) => {
    const cwd = emptyFolder();

    const { stdout } = call(cwd, [name]);
    const there = execFileSync("sh", ["-c", `${/^ {2}(cd .*)$/m.exec(stdout)?.[1]} && pwd`], { cwd, encoding: "utf8" });

    expect(there.trim()).toBe(join(realpathSync(cwd), name));
  },
);

it("takes the letters of a name without their accents", () => {
  const cwd = emptyFolder();

  call(cwd, ["Ünïcode Äpp"]);

  const manifest = JSON.parse(readFileSync(join(cwd, "Ünïcode Äpp", "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "unicode-app" });
});

it("takes a folder without a letter that a registry knows", () => {
  const cwd = emptyFolder();

  call(cwd, ["工作流"]);

  const manifest = JSON.parse(readFileSync(join(cwd, "工作流", "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "millrace-app" });
});

it("names the commands of whoever called it", () => {
  const told = ["pnpm", "yarn", "bun"].map((name) => call(emptyFolder(), ["--yes"], `${name}/1.0.0 npm/?`).stdout);

  expect(told[0]).toMatch(/cd millrace-app\n {2}pnpm install\n {2}pnpm run dev/);
  expect(told[1]).toMatch(/\n {2}yarn\n {2}yarn run dev/);
  expect(told[2]).toMatch(/bun install\n {2}bun run dev/);
});

it("writes the template that is named, with the commands of whoever called it", () => {
  const cwd = emptyFolder();

  const { status } = call(cwd, ["desk", "--template", "chat"], "pnpm/10.0.0 npm/?");

  const textOf = (file: string) => readFileSync(join(cwd, "desk", file), "utf8");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(status).toBe(0);
  expect(JSON.parse(textOf("package.json")).dependencies).toMatchObject({ "@millrace/ai-sdk": `^${version}` });
  expect(textOf("package.json")).not.toContain('""');
  expect(textOf("README.md")).toMatch(/^# desk\n[\s\S]*`pnpm run dev`/);
  expect(textOf("AGENTS.md")).toContain("`pnpm run test`");
  expect(textOf("README.md") + textOf("AGENTS.md")).not.toContain("{{");
});

it.each(["chats", "../workflow", "toString", ""])("names the templates when there is none of %j", (template) => {
  const cwd = emptyFolder();

  const { status, stderr } = call(cwd, ["desk", `--template=${template}`]);

  expect(status).toBe(2);
  expect(stderr).toContain(`There is no template "${template}". There are chat and workflow.`);
  expect(existsSync(join(cwd, "desk"))).toBe(false);
});

it("leaves a folder that is not empty as it is", () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "mine.txt"), "mine");

  const here = call(cwd, ["."]);
  const odd = call(cwd, ["--odd"]);

  expect(here).toMatchObject({ status: 2, stderr: expect.stringContaining("is not empty") });
  expect(existsSync(join(cwd, "package.json"))).toBe(false);
  expect(odd).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage:") });
});

it.each([
  [["taken"], "taken cannot be a folder of a project: ENOTDIR."],
  [["taken/app"], "The folder taken/app cannot be made: ENOTDIR."],
  [["x".repeat(300)], "cannot be made: ENAMETOOLONG."],
  [["my", "app"], "There are 2 folders: my, app."],
])("says why it makes no project of %j, without a stack", (args, says) => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "taken"), "");

  const { status, stderr } = call(cwd, args);

  expect(status).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/^ +at /m);
});

it("asks for the folder in a terminal", async () => {
  const cwd = emptyFolder();
  const { PATH = "" } = process.env;
  const terminal = spawn(process.execPath, [command], { cwd, env: { PATH, TERM: "xterm" }, cols: 80, rows: 24 });
  let written = "";
  let exitCode: number | null = null;
  terminal.onData((data) => (written += data));
  terminal.onExit((exit) => (exitCode = exit.exitCode));
  onTestFinished(() => {
    if (exitCode === null) terminal.kill("SIGKILL");
  });

  await expect.poll(() => written).toContain("Where?");
  terminal.write("shop\r");
  await expect.poll(() => exitCode).toBe(0);

  expect(existsSync(join(cwd, "shop", "src", "workflows", "greeting.ts"))).toBe(true);
});
