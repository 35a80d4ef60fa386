import { expectTypeOf, it } from "vitest";
import * as z from "zod";
import { event } from "../event/event.js";
import type { RunStream, StreamedEvent } from "./run-stream.js";

class Progress extends event("Progress", { percent: z.number() }) {}
class Note extends event("Note", { text: z.string() }) {}

declare const stream: RunStream<Progress | Note>;

it("narrows to the class that is kept", () => {
  expectTypeOf(stream.filter(Progress)).toEqualTypeOf<RunStream<Progress>>();
  expectTypeOf(stream.filter(Progress).toArray()).resolves.toEqualTypeOf<StreamedEvent<Progress>[]>();
});

it("keeps its events through a predicate, until and take", () => {
  expectTypeOf(stream.filter((shown) => shown.type === "Note")).toEqualTypeOf<RunStream<Progress | Note>>();
  expectTypeOf(stream.until(Note).take(1)).toEqualTypeOf<RunStream<Progress | Note>>();
  stream.filter(Progress).until((progress, item) => progress.percent > item.sequence);
});

it("yields bare events", () => {
  expectTypeOf(stream.filter(Note).events()).toEqualTypeOf<AsyncIterable<Note>>();
});

it("is a stream of any events where one is asked for", () => {
  expectTypeOf(stream).toExtend<RunStream>();
});
