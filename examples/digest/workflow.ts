/**
 *     DigestInput ─► find ─► FileFound ─► read ─► Section ─► digest ─► SectionDigested
 *                          each file        │   each section                │ collect: of one file
 *                                    fails  ▼                               ▼
 *                                         skip ─► FileSkipped            gather ─► FileDigested
 *                                                     │ collect: all files          │
 *                                                     ▼                             ▼
 *                               TopicsChosen ◄──── choose ◄─────────────────────────┘
 *                               from a person         │
 *                                                     ▼
 *                                                DigestReady ─► write ─► StopEvent
 *
 * @module
 */
import { rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import {
  type Context,
  catchError,
  collect,
  many,
  retryIf,
  retryPolicy,
  type StepFailedEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import { countFiles, digestMarkdown } from "./digest-markdown.js";
import {
  ChooseTopics,
  Counts,
  DigestInput,
  DigestReady,
  FileDigested,
  FileFound,
  FileSkipped,
  Progress,
  Section,
  SectionDigested,
  TopicsChosen,
} from "./events.js";
import { isPassing, NotTextError, readText } from "./read-text.js";
import { sectionsOf } from "./sections.js";
import { summarise } from "./summary.js";
import { topicsOf } from "./topics.js";
import { UserError } from "./user-error.js";

/** A file may be locked, or written to, for a moment. What is not text stays so. */
const readAgain = retryPolicy({
  when: retryIf.test(isPassing),
  wait: wait.fixed("250ms"),
  stop: stop.afterAttempts(3),
});

/** Files in, one Markdown file out. Its state says how far it is. */
export class DigestFlow extends Workflow.withState(Counts) {
  readonly #output: string;

  /** @param output where the digest is written */
  constructor(output: string) {
    super({ name: "digest" });
    this.#output = output;
  }

  @step({ on: DigestInput, emits: many(FileFound) })
  async find({ files }: DigestInput, ctx: Context<Counts>) {
    await ctx.store.set("files", files.length);
    return files.map((file) => new FileFound({ file }));
  }

  @step({ on: FileFound, emits: many(Section), streams: Progress, workers: 8, timeout: "30s", retry: readAgain })
  async read({ file }: FileFound, ctx: Context<Counts>) {
    const sections = sectionsOf(await readText(file), basename(file));
    if (sections.length === 0) throw new NotTextError("no prose in it");
    await report(ctx, (counts) => {
      counts.filesDone += 1;
      counts.sections += sections.length;
    });
    return sections.map((section) => new Section({ file, ...section }));
  }

  @catchError({ steps: ["read"], emits: FileSkipped, streams: Progress })
  async skip({ input, error }: StepFailedEvent, ctx: Context<Counts>) {
    await report(ctx, (counts) => {
      counts.filesSkipped += 1;
    });
    return new FileSkipped({ file: (input as FileFound).file, reason: (error as Error).message });
  }

  @step({ on: Section, emits: SectionDigested, streams: Progress, workers: 4 })
  async digest({ file, title, text }: Section, ctx: Context<Counts>) {
    const summary = summarise(text);
    await report(ctx, (counts) => {
      counts.sectionsDone += 1;
    });
    return new SectionDigested({ file, title, ...summary });
  }

  @step({ on: collect(SectionDigested), emits: FileDigested })
  gather(all: readonly SectionDigested[]) {
    return new FileDigested({
      sections: all.map(({ file, title, sentences, terms }) => ({ file, title, sentences, terms })),
    });
  }

  @step({ on: collect([FileDigested, FileSkipped]), emits: DigestReady, waits: TopicsChosen, streams: ChooseTopics })
  async choose(all: readonly (FileDigested | FileSkipped)[], ctx: Context<Counts>) {
    const skipped = all.filter((one) => FileSkipped.is(one)).map(({ file, reason }) => ({ file, reason }));
    const sections = all.filter((one) => FileDigested.is(one)).flatMap((one) => one.sections);
    const [first] = skipped;
    if (sections.length === 0) throw new UserError(`None of the files can be read. ${first?.file}: ${first?.reason}.`);

    const topics = topicsOf(sections);
    const sizes = topics.map((topic) => ({
      name: topic.name,
      sections: topic.sections.length,
      files: countFiles(topic.sections),
    }));
    const { keep } = await ctx.waitForEvent(TopicsChosen, { prompt: new ChooseTopics({ topics: sizes }) });
    return new DigestReady({ topics: topics.filter((_, index) => keep.includes(index + 1)), skipped });
  }

  @step({ on: DigestReady, emits: StopEvent })
  async write({ topics, skipped }: DigestReady, ctx: Context<Counts>) {
    await ctx.run("write", () => replaceFile(this.#output, digestMarkdown(topics, skipped)));
    const sections = topics.flatMap((topic) => topic.sections);
    return new StopEvent({
      result: {
        topics: topics.map(({ name }) => name),
        sections: sections.length,
        files: countFiles(sections),
        skipped,
      },
    });
  }
}

/** Counts, and shows it. */
async function report(ctx: Context<Counts>, edit: (counts: Counts) => void): Promise<void> {
  const counts = await ctx.store.editState((state) => {
    edit(state);
    return { ...state };
  });
  ctx.writeEventToStream(new Progress(counts));
}

/** Whole or not at all: a reader never sees half a digest. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
}
