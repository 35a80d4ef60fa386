// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Good cases M01..: declared fan-outs. Each must compile in every mode.
import * as z from "zod";
import {type Context, 
  catchError, collect, defineWorkflow, event, type Many, many, type ResultOf, StartEvent, type Step, 
  type StepFailedEvent, StopEvent, step,Workflow,
} from "../../src/index.js";
import { type Equal, expectType } from "./expect.js";

class Book extends event("Book", { pages: z.array(z.string()) }) {}
class Chapter extends event("Chapter", { text: z.string() }) {}
class Note extends event("Note", { text: z.string() }) {}
class Score extends event("Score", { n: z.number() }) {}
class Answer extends StopEvent.define("Answer", { n: z.number() }) {}

// M01 hover and type
const chapters = many(Chapter);
expectType<Equal<typeof chapters, Many<Chapter>>>(true);
const both = many(Chapter, Note);
expectType<Equal<typeof both, Many<Chapter | Note>>>(true);

class Books extends Workflow {
  // M02 array, sync and async, mutable, readonly, tuple, empty
  @step({ on: Book, emits: many(Chapter) }) a(book: Book) { return book.pages.map((text) => new Chapter({ text })); }
  @step({ on: Book, emits: many(Chapter) }) async b(_: Book) { return [new Chapter({ text: "" })] as const; }
  @step({ on: Book, emits: many(Chapter) }) c(_: Book): readonly Chapter[] { return []; }
  @step({ on: Book, emits: many(Chapter) }) async d(): Promise<Chapter[]> { return []; }
  @step({ on: Book, emits: many(Chapter) }) emptyOne() { return []; }
  // M03 generator
  @step({ on: Book, emits: many(Chapter) }) async *e(book: Book) { for (const text of book.pages) yield new Chapter({ text }); }
  @step({ on: Book, emits: many(Chapter) }) async *f(_: Book): AsyncGenerator<Chapter> { yield new Chapter({ text: "" }); }
  @step({ on: Book, emits: many(Chapter) }) async *early(book: Book) { if (book.pages.length === 0) return; yield new Chapter({ text: "" }); }
  // M04 nothing: the branch ends, no fan-out is opened
  @step({ on: Book, emits: many(Chapter) }) g(book: Book) { return book.pages.length ? [new Chapter({ text: "" })] : null; }
  @step({ on: Book, emits: many(Chapter) }) async h(book: Book) { if (book.pages.length) return [new Chapter({ text: "" })]; return; }
  // M05 an array or one of another class
  @step({ on: Book, emits: [many(Chapter), StopEvent] }) i(book: Book) {
    if (book.pages.length === 0) return new StopEvent({ result: "empty" as const });
    return book.pages.map((text) => new Chapter({ text }));
  }
  @step({ on: Book, emits: [many(Chapter), Answer, Note] }) async j(book: Book) {
    if (book.pages.length === 0) return new Answer({ n: 0 });
    if (book.pages.length === 1) return new Note({ text: "" });
    return [new Chapter({ text: "" })];
  }
  // M06 one array of several classes, in both notations
  @step({ on: Book, emits: many(Chapter, Note) }) k(_: Book) { return [new Chapter({ text: "" }), new Note({ text: "" })]; }
  @step({ on: Book, emits: [many(Chapter), many(Note)] }) l(_: Book) { return [new Chapter({ text: "" }), new Note({ text: "" })]; }
  @step({ on: Book, emits: many(Chapter, Note) }) async *m(_: Book) { yield new Chapter({ text: "" }); yield new Note({ text: "" }); }
  // M07 a class that is both: alone, or as an element
  @step({ on: Book, emits: [Chapter, many(Chapter)] }) n(book: Book) { return book.pages.length ? [new Chapter({ text: "" })] : new Chapter({ text: "" }); }
  // M08 only sent
  @step({ on: Book, emits: many(Chapter) }) async o(_: Book, ctx: Context) { ctx.sendEvent(new Chapter({ text: "" })); }
  // M09 collect with the name of a step
  @step({ on: collect(Chapter, { of: "a" }), emits: Score }) p(all: readonly Chapter[]) { return new Score({ n: all.length }); }
  @step({ on: collect([Chapter, Note], { of: "a", settle: true, take: 2 }), emits: many(Score) })
  q(all: readonly { readonly status: string }[]) { return all.map((_, n) => new Score({ n })); }
  // M10 an error handler that fans out
  @catchError({ steps: ["a"], emits: many(Chapter) }) r(_: StepFailedEvent) { return [new Chapter({ text: "" })]; }
  // M11 a field step
  s = step({ on: Book, emits: [many(Chapter), StopEvent] }, (book) => book.pages.length ? [new Chapter({ text: "" })] : new StopEvent({ result: 7 }));
}
type BooksResult = ResultOf<Books>;
expectType<Equal<BooksResult, "empty" | Answer | number>>(true);

// M12 the function form
const flow = defineWorkflow("books")
  .step("read", { on: StartEvent, emits: [many(Chapter), StopEvent] }, (ev) => {
    if (!ev.get("text")) return new StopEvent({ result: null });
    return [new Chapter({ text: "a" }), new Chapter({ text: "b" })];
  })
  .step("score", { on: Chapter, emits: Score }, (chapter) => new Score({ n: chapter.text.length }))
  .step("sum", { on: collect(Score, { of: "read" }), emits: StopEvent }, (scores) => {
    expectType<Equal<typeof scores, Score[]>>(true);
    return new StopEvent({ result: scores.reduce((sum, { n }) => sum + n, 0) });
  })
  .build();
expectType<Equal<ResultOf<typeof flow>, number | null>>(true);

// M13 a fan-out in a collect step, in two phases
const phases = defineWorkflow("phases")
  .step("split", { on: StartEvent, emits: many(Chapter) }, async function* () { yield new Chapter({ text: "" }); })
  .step("first", { on: collect(Chapter), emits: many(Note) }, (all) => all.map(({ text }) => new Note({ text })))
  .step("second", { on: collect(Note, { settle: true }), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();
expectType<Equal<ResultOf<typeof phases>, number>>(true);

// M14 free steps
const split = step({ on: StartEvent, emits: [many(Chapter), StopEvent] }, () => (Math.random() > 0.5 ? [new Chapter({ text: "" })] : new StopEvent({ result: 1 })));
expectType<Equal<typeof split, Step<StartEvent, Many<Chapter> | StopEvent<number>, unknown>>>(true);
const gather = step({ on: collect(Chapter), emits: StopEvent }, (all) => new StopEvent({ result: `${all.length}` }));
const free = defineWorkflow("free").step("split", split).step("gather", gather).build();
expectType<Equal<ResultOf<typeof free>, number | string>>(true);
// M15 called in a test: an array or a generator comes back
const given = split(new StartEvent(), {} as Context);
void given;
// M16 a fan-out that reaches itself, and a loop with a fan-out in it
defineWorkflow("tree")
  .step("begin", { on: StartEvent, emits: many(Book) }, () => [new Book({ pages: [] })])
  .step("grow", { on: Book, emits: [many(Book), Note] }, (book) => (book.pages.length ? [new Book({ pages: [] })] : new Note({ text: "" })))
  .step("end", { on: collect(Note, { of: "begin" }), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();
// M17 a catchError handler is the only fan-out
defineWorkflow("rescue")
  .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 0 }))
  .catchError("many", { emits: many(Chapter) }, () => [new Chapter({ text: "" })])
  .step("all", { on: collect(Chapter), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();
// M18 a list of classes kept in a constant
const emits = [many(Chapter), StopEvent] as const;
defineWorkflow("constant")
  .step("go", { on: StartEvent, emits }, () => [new Chapter({ text: "" })])
  .step("all", { on: collect(Chapter), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();

export { Books, both, flow, gather, split };
