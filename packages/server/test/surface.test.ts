import { expect, it } from "vitest";
import * as surface from "../src/index.js";
import * as mcp from "../src/mcp.js";
import * as serverless from "../src/serverless.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["bearerAuth", "createHandler", "createServer"]);
  expect(Object.keys(serverless).sort()).toEqual(["bearerAuth", "createHandler"]);
  expect(Object.keys(mcp)).toEqual(["createMcpServer"]);
});
