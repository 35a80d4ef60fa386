// An agent whose process is killed twice, with a question to you in between; and what it has cost.
//
//     pnpm --filter ./examples agent        asks you in the terminal
//     pnpm --filter ./examples agent --yes  says yes
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { AgentPart, AgentQuestion } from "@millrace/agents";
import { PieceReader, type WrittenPieces } from "millrace";
import { needed, scriptedModel } from "./scripted-model.js";

interface Told {
  readonly written?: WrittenPieces;
  readonly writer?: string;
  /** Number of the event in the stream. */
  readonly sequence?: number;
  readonly question?: AgentQuestion;
  readonly promptId?: string;
  readonly content?: string;
  readonly tokens?: number;
}

const folder = mkdtempSync(join(tmpdir(), "agent-"));
const [database, bill] = [join(folder, "runs.db"), join(folder, "bill.txt")];
let worker: ChildProcess;
const killed: string[] = [];
/** The last event that was shown: the next process goes on behind it. */
let seen = -1;
const reader = new PieceReader();

const model = await scriptedModel((count) => {
  if (count === 2) kill("while the model writes its second answer");
});

/** As `kill -9`: the process cannot do anything about it. */
function kill(when: string): void {
  killed.push(when);
  worker.kill("SIGKILL");
}

/** Starts the process; resolves when it has ended, with the result if it came so far. */
function start(): Promise<Told | null> {
  worker = fork(join(import.meta.dirname, "worker.ts"), [database, model.url, bill, String(seen)], {
    execArgv: ["--import", import.meta.resolve("tsx")],
  });
  console.log(`\n[process ${worker.pid} begins]`);
  let result: Told | null = null;
  worker.on("message", (told: Told) => {
    show(told);
    if (told.question !== undefined) void answer(told.promptId ?? "", told.question);
    if (told.content !== undefined) result = told;
  });
  return new Promise((resolve) => {
    worker.once("exit", (_code, signal) => {
      if (signal === "SIGKILL") console.log(`\n[killed ${killed.at(-1)}]`);
      resolve(result);
    });
  });
}

/** Each piece once: a process that goes on says some of them again. */
function show({ written, writer, sequence = seen }: Told): void {
  seen = sequence;
  const news = written === undefined ? null : reader.take(written, writer);
  for (const part of (news?.pieces ?? []) as AgentPart[]) {
    if (part.type === "text") process.stdout.write(part.text);
    if (part.type === "tool-result") console.log(`\n  → ${part.output}`);
  }
}

/** The first time that it asks, its process is killed: the question stays. */
async function answer(promptId: string, { toolName, input }: AgentQuestion): Promise<void> {
  if (killed.length < 2) return kill("while it waits for you");
  console.log(`\nMay the agent ${toolName} ${JSON.stringify(input)}?`);
  const approved = process.argv.includes("--yes") || (await isAllowed());
  worker.send({ promptId, approved });
}

async function isAllowed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const said = await terminal.question("yes or no: ");
  terminal.close();
  return /^y/i.test(said.trim());
}

let end: Told | null = null;
while (end === null) end = await start();

const calls = readFileSync(bill, "utf8").trim().split("\n");
const keys = new Set(calls.map((line) => line.slice(line.lastIndexOf(" ") + 1)));
console.log(`\nThe bill: ${model.asked()} model calls of ${needed} that were needed, after ${killed.length} kills;`);
console.log(`${calls.length} calls of tools under ${keys.size} keys; ${end.tokens} tokens in the answers that count.`);
model.close();
rmSync(folder, { recursive: true, force: true });
