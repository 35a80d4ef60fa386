/** One event class as it was, and as it is. */
import * as z from "zod";
import { event } from "../../src/index.js";

export class OldJoke extends event("Joke", { text: z.string() }) {}
export class Joke extends event("Joke", {
  text: z.string(),
  rating: z.number(),
  tags: z.array(z.string()).default([]),
}) {
  static override readonly version: number = 2;
  static override migrate(fields: Record<string, unknown>, from: number): object {
    return { rating: -from, ...fields };
  }
}
export class NewestJoke extends Joke {
  static override readonly version = 7;
}
