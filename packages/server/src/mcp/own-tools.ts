/** The tools besides the workflows: they answer open prompts and find earlier runs. */
import type { OfferedTool } from "./mcp-scope.types.js";

const handlerId = { type: "string", description: "The `handler_id` of a run." };

/** Where the model answers. */
const answerPrompt = {
  description:
    "Answers what a run has asked, and waits for the run. Ask the person first; never make up an answer. An answer that does not fit is refused, and the prompt stays open.",
  inputSchema: {
    type: "object",
    properties: { handler_id: handlerId, prompt_id: { type: "string" }, fields: { type: "object" } },
    required: ["handler_id", "prompt_id", "fields"],
  },
};

/** Where the person answers. */
const askPerson = {
  description:
    "Shows the person the form of an open prompt again, and waits for the run. You cannot answer it; a prompt that the person has declined stays open.",
  inputSchema: { type: "object", properties: { handler_id: handlerId }, required: ["handler_id"] },
};

const lookups = {
  list_runs: {
    description: "Lists runs of the workflows that are tools here, newest first, in pages.",
    inputSchema: {
      type: "object",
      properties: {
        workflow: { type: "string", description: "Only runs of this one." },
        status: { type: "string", enum: ["running", "completed", "failed", "cancelled"] },
        waiting: {
          type: "boolean",
          description: "Only runs that wait for an answer, an event or a time, or only others.",
        },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        cursor: { type: "string", description: "Of the page before." },
      },
    },
  },
  get_run: {
    description: "Returns the state of a run: its status, result or error, and its open questions.",
    inputSchema: {
      type: "object",
      properties: {
        handler_id: handlerId,
        wait_ms: { type: "integer", minimum: 0, default: 0, description: "Waits so long for its end or a prompt." },
      },
      required: ["handler_id"],
    },
  },
} as const;

export type OwnTool = keyof typeof lookups | "answer_prompt";

export interface OfferedTools {
  readonly readOnly: boolean;
  readonly answers: "person" | "model";
}

export function ownTools({ readOnly, answers }: OfferedTools): readonly OfferedTool[] {
  const answering = readOnly ? {} : { answer_prompt: answers === "model" ? answerPrompt : askPerson };
  return Object.entries({ ...answering, ...lookups }).map(
    ([name, definition]) => ({ name, ...definition }) as unknown as OfferedTool,
  );
}

export function isOwnTool(name: string): name is OwnTool {
  return name === "answer_prompt" || isLookup(name);
}

/** Tools that change nothing. */
export function isLookup(name: string): boolean {
  return Object.hasOwn(lookups, name);
}
