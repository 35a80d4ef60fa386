/**
 * One process's part of a digest: it begins or goes on, and ends with the digest, or with the file in which that waits.
 *
 * @module
 */
import { mkdir, open } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ResultOf, RunOutcome, WorkflowHandler } from "millrace";
import { digestMark } from "./digest-markdown.js";
import { ChooseTopics, type Counts } from "./events.js";
import { findFiles } from "./find-files.js";
import { forgetPaused, type PausedDigest, type Question, restore, writePaused } from "./paused-digest.js";
import { plural } from "./plural.js";
import { showProgress } from "./progress.js";
import { UserError } from "./user-error.js";
import { DigestFlow } from "./workflow.js";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** Both files are in the folder where the user stands, but in the root of this repository in one that Git ignores. */
const pathOf = (name: string): string => (`${process.cwd()}/` === repository ? `examples/digest/out/${name}` : name);
const digestFile = (): string => pathOf("digest.md");
export const pausedFile = (): string => pathOf("digest.paused.json");

type Result = ResultOf<DigestFlow>;
type Handler = WorkflowHandler<Result, Counts>;

/** Reads the files, and stops at the question. @returns the exit code */
export async function begin(paths: readonly string[]): Promise<number> {
  const files = await findFiles(paths.length > 0 ? paths : ownDocumentation());
  await mkdir(dirname(digestFile()), { recursive: true });
  await assertOurs(digestFile());
  const handler = new DigestFlow(digestFile()).run({ files });
  return finish(handler, paths);
}

/** Continues in a new process, with the topics to keep where it has asked for them. @returns the exit code */
export async function goOn(paused: PausedDigest, keep: readonly number[] | "all" | null): Promise<number> {
  const workflow = new DigestFlow(digestFile());
  const { question, paths } = paused;
  const positions = question && keep ? positionsIn(question, keep) : null;
  const handler = workflow.resume(restore(workflow, pausedFile(), paused));
  if (question && positions) await answer(handler, question.promptId, positions);
  return finish(handler, paths);
}

export function printQuestion({ topics }: Question): void {
  console.log("\nWhich topics go into the digest?\n");
  for (const [index, { name, sections, files }] of topics.entries()) {
    console.log(`  ${index + 1}  ${name.padEnd(16)} ${plural(sections, "section")} in ${plural(files, "file")}`);
  }
  const some = topics.length < 3 ? "1" : "1,3";
  console.log(`\nThe run waits in ${pausedFile()}; this process ends. Go on with:\n\n  npm start -- --keep ${some}\n`);
}

function ownDocumentation(): string[] {
  return ["README.md", "docs"].map((name) => relative(process.cwd(), `${repository}${name}`));
}

/** A digest is overwritten by the next one; somebody's own file of that name is not. */
async function assertOurs(path: string): Promise<void> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read({ buffer: Buffer.alloc(digestMark.length) });
    if (buffer.toString() === digestMark) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  throw new UserError(`${path} is here already and is no digest. Move it, or run in another folder.`);
}

function positionsIn(question: Question, keep: readonly number[] | "all"): readonly number[] {
  const count = question.topics.length;
  if (keep === "all") return question.topics.map((_, index) => index + 1);
  const wrong = keep.find((position) => position > count);
  if (wrong !== undefined) throw new UserError(`There is no topic ${wrong}. Give numbers from 1 to ${count}, or all.`);
  return keep;
}

async function answer(handler: Handler, promptId: string, keep: readonly number[]): Promise<void> {
  const receipt = await handler.answer(promptId, { keep });
  if (receipt.status === "refused")
    throw new UserError(
      `${pausedFile()} does not take this answer: ${receipt.hint} Run again with --fresh to start over.`,
    );
}

/** Lets the run go as far as it can; Ctrl-C stops it and keeps its work. */
async function finish(handler: Handler, paths: readonly string[]): Promise<number> {
  const interrupt = () => void handler.cancel("Ctrl-C");
  // `on`, not `once`: what restores the cursor ends the process when it is the only listener left
  process.on("SIGINT", interrupt);
  const [outcome] = await Promise.all([untilItNeedsUs(handler), showProgress(handler)]);
  process.off("SIGINT", interrupt);
  return end(handler, outcome, paths);
}

/** A run that reads a file again in a moment is idle too, but needs nobody. */
async function untilItNeedsUs(handler: Handler): Promise<RunOutcome<Result>> {
  for (;;) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return outcome;
    await setTimeout(Math.max(0, outcome.wakeAtMs - Date.now()) + 1);
  }
}

async function end(handler: Handler, outcome: RunOutcome<Result>, paths: readonly string[]): Promise<number> {
  const paused = { paths: [...paths], context: handler.context.toDict() };
  switch (outcome.status) {
    case "completed":
      await forgetPaused(pausedFile());
      printResult(outcome.result);
      return 0;
    case "waiting": {
      const question = questionOf(outcome);
      await writePaused(pausedFile(), { ...paused, question });
      printQuestion(question);
      return 0;
    }
    case "cancelled":
      await writePaused(pausedFile(), { ...paused, question: null });
      console.log(`\nStopped. What is done is kept in ${pausedFile()}; run again to go on.`);
      return 130;
    case "failed":
      throw outcome.error;
    case "timedOut":
      throw new UserError(`The run took longer than ${outcome.timeoutMs} ms.`);
  }
}

function questionOf({ prompts }: Extract<RunOutcome, { status: "waiting" }>): Question {
  for (const { promptId, event } of prompts) {
    if (ChooseTopics.is(event)) return { promptId, topics: event.topics };
  }
  throw new UserError("The run waits for something that nobody here can answer.");
}

function printResult({ topics, sections, files, skipped }: Result): void {
  console.log(
    `\n${digestFile()}: ${plural(sections, "section")} of ${plural(files, "file")} about ${topics.join(", ")}.`,
  );
  for (const { file, reason } of skipped) console.log(`Not read: ${file} (${reason})`);
}
