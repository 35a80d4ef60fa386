import { collect, event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Book extends StartEvent.define("Book", { chapters: z.array(z.string()) }) {}
class Chapter extends event("Chapter", { number: z.number(), text: z.string() }) {}
class Counted extends event("Counted", { number: z.number(), words: z.number() }) {}

class WordCount extends Workflow {
  @step({ on: Book, emits: many(Chapter) })
  split(ev: Book) {
    return ev.chapters.map((text, index) => new Chapter({ number: index + 1, text }));
  }

  @step({ on: Chapter, emits: Counted, workers: 2 })
  async count(ev: Chapter) {
    await new Promise((resolve) => setTimeout(resolve, 500)); // long enough to be seen
    return new Counted({ number: ev.number, words: ev.text.split(" ").length });
  }

  @step({ on: collect(Counted), emits: StopEvent })
  sum(all: readonly Counted[]) {
    return new StopEvent({ result: all.reduce((total, one) => total + one.words, 0) });
  }
}

const chapters = [
  "Call me Ishmael.",
  "I stuffed a shirt or two",
  "Entering that gable-ended",
  "Upon waking next morning",
];
console.log(await new WordCount().run({ chapters }), "words");
