/** What a coding assistant gets from `millrace mcp`, over the official client and standard input and output. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";
import { ask, flaky } from "./support/flows.js";
import { command, createProject, plainEnv } from "./support/project.js";

type Call = (name: string, args: object) => Promise<{ readonly text: string; readonly isError: boolean }>;

async function assistant(folder: string): Promise<Call> {
  const client = new Client({ name: "assistant", version: "1.0.0" });
  const server = { command: process.execPath, args: [command, "mcp"], cwd: folder, env: plainEnv() };
  await client.connect(new StdioClientTransport(server));
  onTestFinished(() => client.close());
  return async (name, args) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...args } });
    const [first] = content as readonly { readonly text: string }[];
    return { text: first?.text ?? "", isError };
  };
}

const withoutEnd = `
import { defineWorkflow, event, StartEvent } from "millrace";
console.log("loaded");
class Draft extends event("Draft", {}) {}
export const writer = defineWorkflow("writer")
  .step("write", { on: StartEvent, emits: Draft }, () => new Draft())
  .build();
`;

it("searches, explains, checks, runs, and looks into runs", async () => {
  const project = createProject({ "ask.ts": ask, "flaky.ts": flaky, "wrong.ts": withoutEnd });
  const call = await assistant(project.folder);

  const found = await call("search_docs", { query: "wait for approval of a person", limit: 3 });
  const none = await call("search_docs", { query: "qqqqzzzz" });
  const explained = await call("explain_error", { code: "run_stuck" });
  const unknown = await call("explain_error", { code: "NO_SUCH_CODE" });
  const wrong = await call("check_workflow", { file: "wrong.ts" });
  const option = await call("check_workflow", { file: "--help" });
  const asked = await call("run_workflow", { file: "ask.ts", run_id: "claim" });
  const shown = await call("show_run", { run_id: "claim", history: true });
  const stuck = await call("why_stuck", { run_id: "claim" });
  const failed = await call("run_workflow", { file: "flaky.ts", run_id: "flaky", input: { n: 1 } });
  const failure = await call("why_stuck", { run_id: "flaky" });

  expect(found.text).toMatch(/^# .*\n.*\/docs\/how-to\/[\w-]+\.md\n/);
  expect(none.text).toBe('Nothing about "qqqqzzzz". Try other words.');
  expect(explained.text).toMatch(/^# RUN_STUCK\n/);
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('No page explains "NO_SUCH_CODE".') });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("No step emits a stop event") });
  expect(JSON.parse(wrong.text)).toMatchObject({ error: { code: "WORKFLOW_INVALID" }, printed: "loaded" });
  expect(JSON.parse(option.text)).toMatchObject({ error: { code: "FILE_UNKNOWN" } });
  expect(JSON.parse(asked.text)).toMatchObject({ run_id: "claim", status: "waiting", prompts: [{}] });
  expect(JSON.parse(shown.text)).toMatchObject({
    status: "waiting",
    attempts: [{ step: "ask" }],
    history: [{}, {}, {}],
  });
  expect(stuck.text).toContain("It waits for an answer to the prompt claim:2");
  expect(JSON.parse(failed.text)).toMatchObject({ status: "failed", error: { code: "STEP_FAILED" } });
  expect(failed.isError).toBe(true);
  expect(failure.text).toContain(
    "STEP_FAILED: It is not fixed yet. `millrace retry flaky` runs the failed work again.",
  );
  expect(failure.text).toContain("# STEP_FAILED");
});
