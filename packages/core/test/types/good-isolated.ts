// biome-ignore-all format: one case per line
// Good cases I01..: what `isolatedDeclarations` takes (see isolated-declarations.test.ts). An event class names its fields once more.
import * as z from "zod";
import { type EventBase, type EventFacts, type EventOf, event, StopEvent } from "../../src/index.js";

const JokeBase: EventOf<"Joke", { text: string; stars: number }, { text: string; stars?: number | undefined }> = event("Joke", {
  text: z.string(),
  stars: z.number().default(0),
});
export class Joke extends JokeBase {
  loud(): string { return this.text.toUpperCase(); }
}
// Of another role
interface Rating { readonly stars: number }
const RatedBase: EventBase<"Rated", EventFacts<"stop", Rating, Rating, "Rated">> = StopEvent.define("Rated", { stars: z.number() });
export class Rated extends RatedBase {}
