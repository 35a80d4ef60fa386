import { expect, it } from "vitest";
import { observe } from "./observe.js";

it("shows a run, its attempts and what they do as a tree", async () => {
  expect(await observe()).toEqual([
    "start Trip",
    "  run Trip",
    "    step quote (TypeError)",
    "    step quote",
    "    step book",
    "      effect pay",
    "      wait sleep",
  ]);
});
