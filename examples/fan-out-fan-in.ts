// An array is a fan-out; `collect` gathers what became of it. `pnpm --filter ./examples fan-out-fan-in`
import { collect, event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Book extends StartEvent.define("Book", { chapters: z.array(z.string()) }) {}
class Chapter extends event("Chapter", { number: z.number(), text: z.string() }) {}
class Counted extends event("Counted", { number: z.number(), words: z.number() }) {}

export class WordCount extends Workflow {
  #busy = 0;
  /** How many chapters were counted at the same time, at most. */
  peak = 0;

  /** Every element of the array is delivered on its own. */
  @step({ on: Book, emits: many(Chapter) })
  split(ev: Book) {
    return ev.chapters.map((text, index) => new Chapter({ number: index + 1, text }));
  }

  /** At most three chapters at once; the others wait in line. */
  @step({ on: Chapter, emits: Counted, workers: 3 })
  async count(ev: Chapter) {
    this.peak = Math.max(this.peak, ++this.#busy);
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.#busy--;
    return new Counted({ number: ev.number, words: ev.text.split(/\s+/).length });
  }

  /** Once, with all of them, in the order of the array: whichever was counted first. */
  @step({ on: collect(Counted), emits: StopEvent })
  sum(all: readonly Counted[]) {
    const words = all.reduce((total, one) => total + one.words, 0);
    return new StopEvent({ result: { words, chapters: all.map((one) => one.number) } });
  }
}

if (import.meta.main) {
  const chapters = [
    "Call me Ishmael.",
    "I stuffed a shirt or two",
    "Entering that gable-ended",
    "Upon waking next morning",
    "I quickly followed",
  ];
  const workflow = new WordCount();
  const { words, chapters: numbers } = await workflow.run({ chapters });
  console.log(`${words} words in chapters ${numbers.join(", ")}; ${workflow.peak} counted at once.`);
}
