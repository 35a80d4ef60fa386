/** What the page says that one sees is what one sees: in processes, with the tools that it names. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./test/temporary-folder.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = ["troubleshooting.md", "troubleshooting-refusals.md"]
  .map((name) => readFileSync(join(root, "docs", name), "utf8"))
  .join("\n");
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc");
const shout = `
import { StartEvent, StopEvent, step, Workflow } from "millrace";

class Shout extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async shout(ev: StartEvent) {
    return new StopEvent({ result: String(ev.get("word")).toUpperCase() });
  }
}

console.log(await new Shout().run({ word: "ahoy" }));
`;

/** An empty folder with the program, as its reader has it. */
function project(type: "commonjs" | "module", target = "es2024"): string {
  const folder = temporaryFolder("troubleshooting-");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "packages", "core"), join(folder, "node_modules", "millrace"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  const compilerOptions = { target, module: "nodenext", strict: true, skipLibCheck: true, types: [], outDir: "dist" };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  writeFileSync(join(folder, "shout.ts"), shout);
  return folder;
}

function node(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, NODE_PATH: "" }; // pnpm names its own modules there
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  return stdout + stderr;
}

const tsx = ["--import", import.meta.resolve("tsx")];

describe("troubleshooting", () => {
  it.each([
    ["SyntaxError: Invalid or unexpected token", "module", []],
    ['Top-level await is currently not supported with the "cjs" output format', "commonjs", tsx],
    ["Cannot use import statement outside a module", "commonjs", []],
  ] as const)("shows what is printed: %s", (message, type, loader) => {
    expect(node(project(type), ...loader, "shout.ts")).toContain(message);
    expect(page).toContain(message);
  });

  it("shows what a program prints that tsc has written for esnext, and that es2024 mends it", () => {
    const [broken, mended] = [project("module", "esnext"), project("module")];
    node(broken, tsc);
    node(mended, tsc);

    expect(node(broken, "dist/shout.js")).toContain("SyntaxError: Invalid or unexpected token");
    expect(node(mended, "dist/shout.js")).toBe("AHOY\n");
  });

  it.each([
    ["better-sqlite3 is installed but cannot be loaded", 'throw new Error("invalid ELF header");'],
    ["Neither node:sqlite nor better-sqlite3 is there.", null],
  ])("shows what SQLite says where its driver cannot be had: %s", (message, betterSqlite) => {
    const folder = project("module");
    const store = join(folder, "node_modules", "@millrace", "sqlite");
    mkdirSync(store, { recursive: true });
    for (const part of ["package.json", "dist"])
      cpSync(join(root, "packages", "sqlite", part), join(store, part), { recursive: true });
    if (betterSqlite !== null) {
      mkdirSync(join(folder, "node_modules", "better-sqlite3"));
      writeFileSync(join(folder, "node_modules", "better-sqlite3", "index.js"), betterSqlite);
    }
    const program = `
      process.getBuiltinModule = () => undefined; // as a Node without node:sqlite
      const { sqliteStore } = await import("@millrace/sqlite");
      sqliteStore("runs.db");`;
    writeFileSync(join(folder, "store.js"), program);

    expect(node(folder, "store.js")).toContain(message);
    expect(page).toContain(message);
  });

  it.each([
    [
      "what it returns",
      "emits: StopEvent",
      "emits: StartEvent",
      "The step returns StopEvent, which `emits` does not list.",
    ],
    [
      "its parameter",
      "ev: StartEvent",
      "ev: StartEvent & { readonly other: 1 }",
      "The step gets StartEvent: its first parameter has to accept that.",
    ],
    ["what it accepts", "on: StartEvent", "on: StopEvent", "No step accepts StopEvent: it ends a run"],
    [
      "what it emits",
      "emits: StopEvent",
      "emits: [StopEvent, WorkflowFailedEvent]",
      "No step emits WorkflowFailedEvent: only the engine makes it.",
    ],
    ["what it waits for", "emits: StopEvent", "emits: StopEvent, waits: StopEvent", "No step waits for StopEvent"],
    ["what it streams", "emits: StopEvent", "emits: StopEvent, streams: StopEvent", "No step streams StopEvent"],
    [
      "what it sends",
      "(ev: StartEvent) {",
      "(ev: StartEvent, ctx: Context) { ctx.sendEvent(new StopEvent());",
      "This event ends a run, so it cannot be sent: return it from a step.",
    ],
    [
      "a class that it sends",
      "(ev: StartEvent) {",
      "(ev: StartEvent, ctx: Context) { ctx.sendEvent(WorkflowFailedEvent);",
      "Only an event can be sent: make an instance of its class with `new`.",
    ],
    [
      "its prompt",
      "(ev: StartEvent) {",
      "(ev: StartEvent, ctx: Context) { void ctx.waitForEvent(StopEvent, { prompt: new StopEvent() });",
      "A prompt asks a person: make its class with `InputRequiredEvent.define`.",
    ],
    ["its options", "@step({ on: StartEvent, emits: StopEvent })", "@step", "Write `@step({ on, emits })`"],
  ])("has one sentence of the compiler for a step that does not fit: %s", (_, right, wrong, sentence) => {
    const folder = project("module");
    const program = shout.replace("StartEvent,", "StartEvent, type Context, WorkflowFailedEvent,");
    writeFileSync(join(folder, "shout.ts"), program.replace(right, wrong));
    const args = [tsc, "--noEmit", "--pretty", "false"];
    for (const printed of [node(folder, ...args), node(folder, ...args, "--experimentalDecorators")]) {
      expect(printed.split(sentence)).toHaveLength(2);
      expect(printed).not.toContain("eventFacts");
      expect(printed.match(/error TS\d+/g)).toHaveLength(1);
    }
  });

  it("shows what the compiler says of a step that does not fit", () => {
    expect(page).toContain("TS1241: Unable to resolve signature of method decorator");
    expect(page).toContain("The step returns StopEvent, which `emits` does not list.");
    expect(page).toContain("The step gets Draft: its first parameter has to accept that.");
  });
});
