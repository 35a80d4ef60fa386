/** What the person at the terminal sees of a run, and says to it. */
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { Context, type WorkflowEvent } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { FileDone, KeepThem, type SummaryFlow } from "./workflow.js";

/** Says how far a stored run is. @returns how many files are done */
export async function tellState(run: RunHandle, workflow: SummaryFlow): Promise<number> {
  const { store } = Context.fromDict(workflow, await run.snapshot());
  const { files, done } = await store.getState();
  console.log(`run ${run.runId}: ${done} of ${files} files were done`);
  return done;
}

/** Shows what the run does and answers what it asks, until it ends. @param done how many files were shown as done before */
export async function follow<Result>(run: RunHandle<Result>, done: number): Promise<Result> {
  const [result] = await Promise.all([run, showFiles(run, done), answerPrompts(run)]);
  return result;
}

async function showFiles(run: RunHandle, shown: number): Promise<void> {
  for await (const { event } of run.streamEvents().filter(FileDone)) {
    if (event.done > shown) console.log(`${event.done}  ${event.file}`);
  }
}

async function answerPrompts(run: RunHandle): Promise<void> {
  for (;;) {
    const outcome = await run.idle();
    if (outcome.status !== "waiting") return;
    const [prompt] = outcome.prompts;
    if (prompt !== undefined) await run.answer(prompt.promptId, { keep: await ask(prompt.event) });
    else await tellSleep(outcome.wakeAtMs ?? Date.now());
  }
}

async function tellSleep(untilMs: number): Promise<void> {
  console.log(`The run sleeps until ${new Date(untilMs).toLocaleTimeString("en-GB")}.`);
  await setTimeout(Math.max(50, untilMs - Date.now() + 50));
}

/** @returns whether to keep the summaries; yes where nobody can be asked */
async function ask(prompt: WorkflowEvent): Promise<boolean> {
  const question = `Keep the ${KeepThem.is(prompt) ? prompt.lines : ""} lines? [Y/n] `;
  if (!process.stdin.isTTY) {
    console.log(`${question}(no terminal: yes)`);
    return true;
  }
  // Without its own handling of keys: Ctrl-C stays a signal.
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    return !/^n/i.test(await terminal.question(question));
  } finally {
    terminal.close();
  }
}
