import { expect, it } from "vitest";
import * as client from "../src/client.js";
import * as surface from "../src/index.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["a2aHandler", "pushNotifications", "schemasUri"]);
  expect(Object.keys(client)).toEqual(["remoteAgent"]);
});

it("refuses wrong options with every problem", () => {
  const wrong = () =>
    surface.a2aHandler({ workflows: { one: {} } } as never, { skills: { two: "" }, waitMs: 0, card: {} } as never);

  for (const problem of ["card", "skills", "waitMs", "two"]) expect(wrong).toThrow(problem);
  expect(() => surface.pushNotifications({ secrets: [] })).toThrow("secrets");
});
