import { expect, it } from "vitest";
import * as client from "../src/client.js";
import * as surface from "../src/index.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["chatHandler", "toUIMessageStream"]);
  expect(Object.keys(client).sort()).toEqual(["ChatTransport", "isAnswered", "isOver"]);
});
