import { expect, it } from "vitest";
import { sqliteStore } from "../src/index.js";

it.each([{ path: "runs.db" }, undefined, ""])("a path that is %j is refused with a sentence", (path) => {
  expect(() => sqliteStore(path as never)).toThrow(/the first argument is not the path of a file/);
});
