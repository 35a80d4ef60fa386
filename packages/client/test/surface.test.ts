import { expect, it } from "vitest";
import * as surface from "../src/index.js";
import * as react from "../src/react.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["ClientError", "WorkflowError", "createClient"]);
  expect(Object.keys(react)).toEqual(["useRun"]);
});
