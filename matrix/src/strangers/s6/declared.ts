/** Events of a library, with `isolatedDeclarations`, as the page says. */
import { type EventBase, type EventFacts, type EventOf, event, StopEvent } from "millrace";
import * as z from "zod";

const JokeBase: EventOf<"Joke", { text: string }> = event("Joke", { text: z.string() });
export class Joke extends JokeBase {}

type Rated = EventFacts<"stop", { stars: number }, { stars: number }, "Rated">;
const RatedBase: EventBase<"Rated", Rated> = StopEvent.define("Rated", { stars: z.number() });
export class Rating extends RatedBase {}
