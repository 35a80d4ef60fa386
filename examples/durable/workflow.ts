/**
 *     Summarise ─► find ─► FileFound ─► summarise ─► Summary ─► finish ─► StopEvent
 *                       each file                    collect: all files
 *                                                    sleeps, then asks a person
 *
 * @module
 */
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type Context,
  collect,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

export class Summarise extends StartEvent.define("Summarise", { files: z.array(z.string()) }) {}
export class FileDone extends event("FileDone", { file: z.string(), done: z.number() }) {}
export class KeepThem extends InputRequiredEvent.define("KeepThem", { lines: z.number() }) {}
export class Decision extends HumanResponseEvent.define("Decision", { keep: z.boolean() }) {}

class FileFound extends event("FileFound", { file: z.string() }) {}
class Summary extends event("Summary", { file: z.string() }) {}

const Counts = z.object({ files: z.number().default(0), done: z.number().default(0) });
interface Counts extends z.output<typeof Counts> {}

export interface Folders {
  /** Paths of files begin here. */
  readonly root: string;
  /** Where the summaries are written. */
  readonly output: string;
}

/** One line about each file. Its state says how far it is. */
export class SummaryFlow extends Workflow.withState(Counts) {
  static override readonly name = "SummaryFlow";
  readonly #folders: Folders;

  constructor(folders: Folders) {
    super();
    this.#folders = folders;
  }

  @step({ on: Summarise, emits: many(FileFound) })
  async find({ files }: Summarise, ctx: Context<Counts>) {
    await ctx.run("empty", () => writeFile(this.#folders.output, ""));
    await ctx.store.set("files", files.length);
    return files.map((file) => new FileFound({ file }));
  }

  @step({ on: FileFound, emits: Summary, streams: FileDone, workers: 1 })
  async summarise({ file }: FileFound, ctx: Context<Counts>) {
    const text = await readFile(join(this.#folders.root, file), "utf8");
    await setTimeout(200); // stands for slow work, such as a model
    await ctx.run("write", () => addLine(this.#folders.output, `${file}: ${firstSentence(text)}`));
    const done = await ctx.store.editState((counts) => ++counts.done);
    ctx.writeEventToStream(new FileDone({ file, done }));
    return new Summary({ file });
  }

  @step({ on: collect(Summary), emits: StopEvent, waits: Decision, streams: KeepThem })
  async finish(all: readonly Summary[], ctx: Context<Counts>) {
    await ctx.sleep("2s");
    const { keep } = await ctx.waitForEvent(Decision, { prompt: new KeepThem({ lines: all.length }) });
    if (!keep) await ctx.run("remove", () => rm(this.#folders.output, { force: true }));
    return new StopEvent({ result: { kept: keep, lines: all.length } });
  }
}

/**
 * Once, also when it is called twice: `ctx.run` calls it again if the process died after the line was written and before the run
 * could note it.
 */
async function addLine(path: string, line: string): Promise<void> {
  const written = await readFile(path, "utf8").catch(() => "");
  if (!written.split("\n").includes(line)) await appendFile(path, `${line}\n`);
}

function firstSentence(markdown: string): string {
  const prose = markdown.split(/\n{2,}/).find((part) => /^[A-Z]/.test(part)) ?? "";
  return prose.replaceAll("\n", " ").split(/(?<=[.:])\s/)[0] ?? "";
}
