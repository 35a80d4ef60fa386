import { expect, it } from "vitest";
import { event, isKeyed, keyed } from "./event.js";

class Joke extends event("Joke") {}

it("names an event, and is no event", () => {
  const joke = new Joke();
  const named = keyed("a", joke);

  expect(named).toMatchObject({ id: "a", event: joke });
  expect([isKeyed(named), isKeyed(joke), isKeyed(null), isKeyed("a")]).toEqual([true, false, false, false]);
});
