import { expect, it } from "vitest";
import { Greeting } from "./workflows/greeting.js";

it("greets a visitor", async () => {
  expect(await new Greeting().run({ name: "Ada" })).toBe("Hello, Ada!");
});
