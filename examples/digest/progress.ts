/**
 * Draws how far a run is, from what it streams. Without a terminal: one line when a task begins, one when it ends.
 *
 * @module
 */
import { Listr } from "listr2";
import type { WorkflowHandler } from "millrace";
import { ChooseTopics, type Counts, Progress } from "./events.js";

/** Ends when the run asks its question, or ends. */
export async function showProgress(handler: WorkflowHandler<unknown, Counts>): Promise<void> {
  if (isDone(await handler.context.store.getState())) return;
  const tasks = new Listr(
    [
      {
        title: "Reading files",
        task: (_, task) =>
          follow(handler, {
            task,
            describe: describeFiles,
            done: (counts) => counts.files === filesDone(counts) && counts.files > 0,
          }),
      },
      {
        title: "Summarising sections",
        task: (_, task) => follow(handler, { task, describe: describeSections, done: () => false }),
      },
    ],
    { concurrent: true, registerSignalListeners: false, fallbackRenderer: "simple" },
  );
  await tasks.run();
}

interface Task {
  title: string;
  output: string;
}

interface Line {
  readonly task: Task;
  readonly describe: (counts: Counts) => string;
  /** The line need not wait for the question. */
  readonly done: (counts: Counts) => boolean;
}

async function follow(handler: WorkflowHandler<unknown, Counts>, { task, describe, done }: Line): Promise<void> {
  let counts: Counts = await handler.context.store.getState();
  for await (const { event } of handler.streamEvents()) {
    if (ChooseTopics.is(event)) break;
    if (!Progress.is(event)) continue;
    counts = event;
    if (process.stdout.isTTY) task.title = describe(counts);
    if (done(counts)) break;
  }
  task.title = describe(counts);
}

const isDone = (counts: Counts) =>
  counts.files > 0 && counts.files === filesDone(counts) && counts.sections === counts.sectionsDone;
const filesDone = (counts: Counts) => counts.filesDone + counts.filesSkipped;

function describeFiles(counts: Counts): string {
  const skipped = counts.filesSkipped > 0 ? `, ${counts.filesSkipped} cannot be read` : "";
  return `Files: ${filesDone(counts)} of ${counts.files}${skipped}`;
}

function describeSections(counts: Counts): string {
  return `Sections: ${counts.sectionsDone} of ${counts.sections} summarised`;
}
