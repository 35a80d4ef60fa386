// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases N01..: declared fan-outs. Each has the message of TypeScript 6.0.3 above it.
import * as z from "zod";
import {type Context, 
  catchError, collect, defineWorkflow, event, many, StartEvent, type StepFailedEvent, StopEvent, step, Workflow,
} from "../../src/index.js";

class Book extends event("Book", { pages: z.array(z.string()) }) {}
class Chapter extends event("Chapter", { text: z.string() }) {}
class Note extends event("Note", { text: z.string() }) {}

class Books extends Workflow {
  // @ts-expect-error N01 an array that is not declared
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Chapter[]' is not assignable to parameter of type '"The step returns an array of Chapter, where `emits` says one: write many(Chapter)."'.
  @step({ on: Book, emits: Chapter }) a(_: Book) { return [new Chapter({ text: "" })]; }
  // @ts-expect-error N02 the same, async
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Promise<Chapter[]>' is not assignable to parameter of type '"The step returns an array of Chapter, where `emits` says one: write many(Chapter)."'.
  @step({ on: Book, emits: Chapter }) async b(_: Book) { return [new Chapter({ text: "" })]; }
  // @ts-expect-error N03 a generator that is not declared
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => AsyncGenerator<Chapter, void, unknown>' is not assignable to parameter of type '"The step yields Chapter, where `emits` says one: write many(Chapter)."'.
  @step({ on: Book, emits: Chapter }) async *c(_: Book) { yield new Chapter({ text: "" }); }
  // @ts-expect-error N04 one event, where many are declared
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Chapter' is not assignable to parameter of type '"The step returns one Chapter, where `emits` says many(Chapter): return an array, or drop many()."'.
  @step({ on: Book, emits: many(Chapter) }) d(_: Book) { return new Chapter({ text: "" }); }
  // @ts-expect-error N05 the same, async, in one branch
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(book: Book) => Promise<Chapter[] | Chapter>' is not assignable to parameter of type '"The step returns one Chapter, where `emits` says many(Chapter): return an array, or drop many(…
  @step({ on: Book, emits: many(Chapter) }) async e(book: Book) { if (book.pages.length) return [new Chapter({ text: "" })]; return new Chapter({ text: "" }); }
  // @ts-expect-error N06 an array of what is listed alone
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Note[]' is not assignable to parameter of type '"The step returns an array of Note, where `emits` says one: write many(Note)."'.
  @step({ on: Book, emits: [many(Chapter), Note] }) f(_: Book) { return [new Note({ text: "" })]; }
  // @ts-expect-error N07 yields what is listed alone
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => AsyncGenerator<Chapter | Note, void, unknown>' is not assignable to parameter of type '"The step yields Note, where `emits` says one: write many(Note)."'.
  @step({ on: Book, emits: [many(Chapter), Note] }) async *g(_: Book) { yield new Chapter({ text: "" }); yield new Note({ text: "" }); }
  // @ts-expect-error N08 yields a stop event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => AsyncGenerator<Chapter | StopEvent<number>, void, unknown>' is not assignable to parameter of type '"The step yields StopEvent: a stop event is returned alone."'.
  @step({ on: Book, emits: [many(Chapter), StopEvent] }) async *h(_: Book) { yield new Chapter({ text: "" }); yield new StopEvent({ result: 1 }); }
  // @ts-expect-error N09 a stop event in an array
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => (Chapter | StopEvent<number>)[]' is not assignable to parameter of type '"The step returns an array of StopEvent: a stop event is returned alone."'.
  @step({ on: Book, emits: [many(Chapter), StopEvent] }) i(_: Book) { return [new Chapter({ text: "" }), new StopEvent({ result: 1 })]; }
  // @ts-expect-error N10 a generator that returns an event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => AsyncGenerator<Chapter, StopEvent<number>, unknown>' is not assignable to parameter of type '"A generator only yields: what it returns would be lost."'.
  @step({ on: Book, emits: [many(Chapter), StopEvent] }) async *j(_: Book) { yield new Chapter({ text: "" }); return new StopEvent({ result: 1 }); }
  // @ts-expect-error N11 null in an array
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(book: Book) => (Chapter | null)[]' is not assignable to parameter of type '"The elements of a fan-out are events: leave out null and undefined."'.
  @step({ on: Book, emits: many(Chapter) }) k(book: Book) { return [book.pages.length ? new Chapter({ text: "" }) : null]; }
  // @ts-expect-error N12 an array with an event that is not listed
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => (Chapter | Note)[]' is not assignable to parameter of type '"The step returns Note, which `emits` does not list."'.
  @step({ on: Book, emits: many(Chapter) }) l(_: Book) { return [new Chapter({ text: "" }), new Note({ text: "" })]; }
  // @ts-expect-error N13 a generator of an event that is not listed
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => AsyncGenerator<Note, void, unknown>' is not assignable to parameter of type '"The step returns Note, which `emits` does not list."'.
  @step({ on: Book, emits: many(Chapter) }) async *m(_: Book) { yield new Note({ text: "" }); }
  // @ts-expect-error N14 a generator that is not async
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Generator<Chapter, void, unknown>' is not assignable to parameter of type '"A step that yields is async: write `async *`."'.
  @step({ on: Book, emits: many(Chapter) }) *n(_: Book) { yield new Chapter({ text: "" }); }
  // @ts-expect-error N15 an empty array, where one is declared
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => never[]' is not assignable to parameter of type '"The step returns an array: list its events in `emits` with many()."'.
  @step({ on: Book, emits: Chapter }) o(_: Book) { return []; }
  // @ts-expect-error N16 an array of arrays
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Chapter[][]' is not assignable to parameter of type '"A step returns an event or nothing; with many(), an array or an async generator of events."'.
  @step({ on: Book, emits: many(Chapter) }) p(_: Book) { return [[new Chapter({ text: "" })]]; }
  // @ts-expect-error N17 an error handler
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: StepFailedEvent) => Chapter[]' is not assignable to parameter of type '"The step returns an array of Chapter, where `emits` says one: write many(Chapter)."'.
  @catchError({ emits: Chapter }) q(_: StepFailedEvent) { return [new Chapter({ text: "" })]; }
  // @ts-expect-error N18 no event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Promise<string[]>' is not assignable to parameter of type '"A step returns an event or nothing; with many(), an array or an async generator of events."'.
  @step({ on: Book, emits: many(Chapter) }) async r(_: Book) { return ["text"]; }
  // @ts-expect-error N19 declares nothing, returns an array
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Book) => Chapter[]' is not assignable to parameter of type '"The step returns Chapter, which `emits` does not list."'.
  @step({ on: Book }) s(_: Book) { return [new Chapter({ text: "" })]; }
}
// @ts-expect-error N20 a stop event is no element
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'TypeHint<"A stop event ends the run: list it beside many(…), not in it.">' is not assignable to type 'EmittableClasses'.
step({ on: Book, emits: many(Chapter, StopEvent) }, () => [new Chapter({ text: "" })]);
// @ts-expect-error N21 many of nothing
//   TS2555: Expected at least 1 arguments, but got 0.
many();
// @ts-expect-error N22 many of an array
//   TS2345: Argument of type '(typeof Chapter)[]' is not assignable to parameter of type 'EmittableClass'.
//     Property 'type' is missing in type '(typeof Chapter)[]' but required in type 'EventClass<EmittableEvent>'.
many([Chapter]);
// @ts-expect-error N23 many of many
//   TS2345: Argument of type 'Many<Chapter>' is not assignable to parameter of type 'EmittableClass'.
//     Property 'type' is missing in type 'Many<Chapter>' but required in type 'EventClass<EmittableEvent>'.
many(many(Chapter));
// @ts-expect-error N24 an instance type where a class is meant
//   TS2345: Argument of type 'Chapter' is not assignable to parameter of type 'EmittableClass'.
//     Type 'Chapter' provides no match for the signature 'new (...fields: any): EmittableEvent'.
many(new Chapter({ text: "" }));
// @ts-expect-error N25 waits for many
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'Many<Chapter>' is not assignable to type 'AcceptableClasses'.
step({ on: Book, waits: many(Chapter) }, async () => {});
// @ts-expect-error N26 on many
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'Many<Chapter>' is not assignable to type 'Trigger'.
step({ on: many(Chapter) }, async () => {});
// @ts-expect-error N27 a free step, array
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'Chapter[]' is not assignable to type '"The step returns an array of Chapter, where `emits` says one: write many(Chapter)."'.
step({ on: Book, emits: Chapter }, () => [new Chapter({ text: "" })]);
// @ts-expect-error N28 a free step, one
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'Promise<Chapter>' is not assignable to type '"The step returns one Chapter, where `emits` says many(Chapter): return an array, or drop many()."'.
step({ on: Book, emits: many(Chapter) }, async () => new Chapter({ text: "" }));

const read = defineWorkflow("read").step("read", { on: StartEvent, emits: Chapter }, () => new Chapter({ text: "" }));
// @ts-expect-error N29 a collect, and no fan-out in the workflow
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"A step collects a fan-out, and there is none: no step emits many(…).">' has no call signatures.
read.step("all", { on: collect(Chapter), emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error N30 the same, with free steps
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"A step collects a fan-out, and there is none: no step emits many(…).">' has no call signatures.
read.step("all", step({ on: collect(Chapter), emits: StopEvent }, () => new StopEvent())).build();
const fan = defineWorkflow("fan").step("read", { on: StartEvent, emits: many(Chapter) }, () => [new Chapter({ text: "" })]);
// @ts-expect-error N31 `of` names no step
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"A collect names the fan-out of raed: there is no such step.">' has no call signatures.
fan.step("all", { on: collect(Chapter, { of: "raed" }), emits: StopEvent }, () => new StopEvent()).build();
// N32 `of` names a step that does not fan out: construction says so
fan.step("one", { on: Chapter, emits: Note }, () => new Note({ text: "" })).step("all", { on: collect(Note, { of: "one" }), emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error N33 the function form, array
//   TS2322: Type 'Chapter[]' is not assignable to type '"The step returns an array of Chapter, where `emits` says one: write many(Chapter)."'.
defineWorkflow("a").step("a", { on: StartEvent, emits: Chapter }, () => [new Chapter({ text: "" })]);
// @ts-expect-error N34 the function form, one
//   TS2345: Argument of type '(ev: StartEvent, ctx: Context) => Chapter' is not assignable to parameter of type '(event: StartEvent, ctx: Context<unknown>, resources: {}) => "The step returns one Chapter…
//     Type 'Chapter' is not assignable to type '"The step returns one Chapter, where `emits` says many(Chapter): return an array, or drop many()."'.
defineWorkflow("a").step("a", { on: StartEvent, emits: many(Chapter) }, (ev, ctx: Context) => new Chapter({ text: "" }));
// @ts-expect-error N35 the function form, generator
//   TS2345: Argument of type '() => AsyncGenerator<Chapter, void, unknown>' is not assignable to parameter of type '(event: StartEvent, ctx: Context<unknown>, resources: {}) => "The step yields Chapter, …
//     Type 'AsyncGenerator<Chapter, void, unknown>' is not assignable to type '"The step yields Chapter, where `emits` says one: write many(Chapter)."'.
defineWorkflow("a").step("a", { on: StartEvent, emits: Chapter }, async function* () { yield new Chapter({ text: "" }); });
// @ts-expect-error N36 an element that nobody takes
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts Chapter, which a step emits.">' has no call signatures.
fan.step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent()).build();

export { Books };
