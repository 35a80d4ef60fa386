/**
 * The tools that `millrace mcp` gives a coding assistant.
 *
 * @module
 */
import { join } from "node:path";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { describeError } from "../output/cli-error.js";
import { explained } from "../output/error-pages.js";
import { version } from "../version.js";
import { DocsIndex } from "./docs-index.js";
import { type CommandAnswer, callCommand, type JsonObject } from "./own-command.js";
import { whyStuck } from "./why-stuck.js";

const instructions = `Tools for code that uses Millrace, the workflow runtime.
Search the documentation before you write a workflow, check the file after each change, and look up error codes.`;

/** How long a workflow may run before it is paused. */
const runLimitMs = 60_000;
const sectionLimit = 2_000;

const store = z
  .string()
  .optional()
  .describe("A SQLite file, or postgres://…. Default: .millrace/runs.db of the project");
const runId = z.string().describe("Id of the run");
const file = z
  .string()
  .describe("The file with the workflow, from the folder of the project; `file.ts#name` for one of several");

/** @param cwd Folder of the project. */
export function createAssistantServer(cwd: string): McpServer {
  const server = new McpServer({ name: "millrace", version }, { instructions });
  addTexts(server, cwd);
  addWorkflows(server, cwd);
  addRuns(server, cwd);
  return server;
}

function addTexts(server: McpServer, cwd: string): void {
  let docs: DocsIndex | null = null;
  server.registerTool(
    "search_docs",
    {
      description: "Searches the documentation of Millrace, of the installed version. Returns sections with code.",
      inputSchema: z.object({
        query: z.string().min(1),
        limit: z.number().int().min(1).max(20).default(5).describe("How many sections"),
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ query, limit }) =>
      answered(() => {
        docs ??= new DocsIndex(cwd);
        const { folder } = docs;
        const found = docs.search(query, limit).map(({ page, heading, text }) => {
          const cut = text.length > sectionLimit ? `${text.slice(0, sectionLimit)}\n… more in the file` : text;
          return `# ${heading}\n${join(folder, page)}\n\n${cut}`;
        });
        return found.length === 0 ? `Nothing about "${query}". Try other words.` : found.join("\n\n---\n\n");
      }),
  );
  server.registerTool(
    "explain_error",
    {
      description: "Explains an error code of Millrace: what it means, why, and the code before and after.",
      inputSchema: z.object({ code: z.string().describe("Such as RUN_STUCK") }),
      annotations: { readOnlyHint: true },
    },
    async ({ code }) => answered(() => explained(code).page),
  );
}

function addWorkflows(server: McpServer, cwd: string): void {
  server.registerTool(
    "check_workflow",
    {
      description: "Loads a file and checks its workflows: the graph, the options, and stored runs against the code.",
      inputSchema: z.object({ file, store }),
    },
    async ({ file, store }, { mcpReq: { signal } }) => {
      return jsonResult(await callCommand(["check", ...stored(store), "--json", "--", file], { cwd, signal }));
    },
  );
  server.registerTool(
    "run_workflow",
    {
      description: `Runs a workflow, and returns how it ended: its result, its error, or its open questions. After ${runLimitMs / 1_000} s it is paused.`,
      inputSchema: z.object({
        file,
        store,
        input: z.record(z.string(), z.unknown()).optional().describe("Fields of the start event"),
        run_id: runId.optional().describe("Id of the new run"),
      }),
    },
    async ({ file, store, input, run_id }, { mcpReq: { signal } }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(runLimitMs)]);
      const options = [
        ...stored(store),
        ...(input === undefined ? [] : [`--input=${JSON.stringify(input)}`]),
        ...(run_id === undefined ? [] : [`--id=${run_id}`]),
      ];
      const answer = await callCommand(["run", ...options, "--json", "--", file], { cwd, signal: limited });
      const ofRun = answer.values.filter(({ type }) => type !== "step" && type !== "event");
      return jsonResult({ ...answer, values: [Object.assign({}, ...ofRun) as JsonObject] });
    },
  );
}

function addRuns(server: McpServer, cwd: string): void {
  const show = (
    run: { readonly run_id: string; readonly store?: string | undefined },
    signal: AbortSignal,
    ...more: string[]
  ) => callCommand(["show", ...stored(run.store), ...more, "--json", "--", run.run_id], { cwd, signal });
  server.registerTool(
    "show_run",
    {
      description: "Shows a stored run: status, attempts of its steps, recorded calls, open questions, error.",
      inputSchema: z.object({
        run_id: runId,
        store,
        history: z.boolean().default(false).describe("With everything that happened, tick by tick"),
        state: z.boolean().default(false).describe("With its state"),
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ history, state, ...run }, { mcpReq: { signal } }) =>
      jsonResult(await show(run, signal, ...(history ? ["--history"] : []), ...(state ? ["--state"] : []))),
  );
  server.registerTool(
    "why_stuck",
    {
      description: "Says why a stored run does not continue, or why it failed, and what to do.",
      inputSchema: z.object({ run_id: runId, store }),
      annotations: { readOnlyHint: true },
    },
    async (run, { mcpReq: { signal } }) => {
      const answer = await show(run, signal);
      const [shown] = answer.values;
      if (answer.exitCode !== 0 || shown === undefined) return jsonResult(answer);
      const { status, reasons, codes } = whyStuck(shown);
      return textResult([`Status: ${status}`, ...reasons, ...codes.map(pageOf)].join("\n\n"));
    },
  );
}

const stored = (store: string | undefined): string[] => (store === undefined ? [] : [`--store=${store}`]);

function pageOf(code: string): string {
  try {
    return explained(code).page;
  } catch {
    return `${code} is a code of the program, without a page.`;
  }
}

/** What the command printed, as the text of one result. */
function jsonResult({ values, printed, exitCode }: CommandAnswer): CallToolResult {
  const [value = {}] = values;
  const all = printed === "" ? value : { ...value, printed };
  return textResult(JSON.stringify(all, null, 2), exitCode !== 0);
}

function answered(find: () => string): CallToolResult {
  try {
    return textResult(find());
  } catch (error) {
    const { code, message, hint } = describeError(error);
    return textResult(`${code}: ${message} ${hint ?? ""}`, true);
  }
}

function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}
