/** Which tools a server offers, and the options that say so. */

import type { Log } from "millrace";
import { type Rules, unchecked, valueRule } from "millrace/engine";
import { unknownWorkflows, workflowsOf } from "../options.js";
import { anyEventJsonSchema, anyResultJsonSchema } from "../wire/event-schema.js";
import type { WorkflowCatalog } from "../wire/workflow-facts.js";
import type { Offer, OfferedTool } from "./mcp-scope.types.js";
import { isOwnTool, ownTools } from "./own-tools.js";

/** What all servers of tools take. */
export interface ToolOptions {
  /**
   * Descriptions of the workflows by name, by which models choose. Workflows that are not listed are not offered.
   * @default all workflows
   */
  readonly tools?: { readonly [workflow: string]: string };
  /** Name of the server. @default "millrace" */
  readonly name?: string;
  readonly version?: string;
  /**
   * Who answers prompts: the person in forms of the client, or the model with the tool `answer_prompt`. The model cannot answer
   * what the person is to answer, whether the person has declined, was asked or cannot be asked.
   *
   * @default "person" if the client shows forms, otherwise "model"
   */
  readonly answers?: "person" | "model";
  /** `true`: the tools only list runs and look them up. @default false */
  readonly readOnly?: boolean;
  /** Milliseconds that a call waits for its run, and again for each answer of a person. @default 600000 */
  readonly waitMs?: number;
  /** Milliseconds between progress notices, for clients that ask for them. @default 10000 */
  readonly progressMs?: number;
  readonly log?: Log;
}

export const milliseconds = valueRule((ms) => (ms as number) > 0, "a number above 0");

export const toolRules: Rules<ToolOptions> = {
  waitMs: milliseconds,
  progressMs: milliseconds,
  answers: valueRule((who) => who === "person" || who === "model", '"person" or "model"'),
  readOnly: valueRule((is) => typeof is === "boolean", "true or false"),
  ...unchecked("tools name version log"),
};

export function toolProblems(runtime: unknown, { tools }: Pick<ToolOptions, "tools">): string[] {
  const workflows = workflowsOf(runtime);
  const offered = Object.keys(tools ?? workflows);
  return [
    ...offered.filter(isOwnTool).map((name) => `a workflow has the name of the tool "${name}"`),
    ...offered.filter((name) => !toolName.test(name)).map(nameRefused),
    ...unknownWorkflows("tools", offered, workflows),
  ];
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
const toolName = /^[A-Za-z0-9_.-]{1,128}$/;

function nameRefused(name: string): string {
  return `the workflow ${JSON.stringify(name)} cannot be a tool: names of tools are 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and "."`;
}

/** The descriptions that are given, or one of each workflow. */
export function descriptionsOf({ names }: WorkflowCatalog, { tools }: Pick<ToolOptions, "tools">): Offer["tools"] {
  return tools ?? Object.fromEntries(names.map((one) => [one, `Runs the workflow "${one}".`]));
}

export interface ListOptions {
  /** Whether tools say what they return. */
  readonly withOutput: boolean;
}

export function listTools(offer: Offer, { withOutput }: ListOptions): OfferedTool[] {
  const { readOnly, tools, catalog, sender } = offer;
  const mayAnswer = Object.keys(tools).some((name) => sender.may("answer", name));
  const workflows = readOnly ? [] : Object.entries(tools).filter(([name]) => sender.may("start", name));
  return [
    ...workflows.map(([name, description]): OfferedTool => {
      const { compiled } = catalog.get(name);
      return {
        name,
        description,
        inputSchema: { ...anyEventJsonSchema(compiled.startClasses), type: "object" },
        ...(withOutput && { outputSchema: { ...anyResultJsonSchema(compiled, openRun), type: "object" } }),
      };
    }),
    ...ownTools({ readOnly: readOnly || !mayAnswer, answers: offer.answers() }),
  ];
}

/** What a call returns whose run has not ended: its record. */
const openRun = {
  title: "Run that has not ended",
  type: "object",
  properties: { handler_id: { type: "string" }, status: { type: "string" }, prompts: { type: "array" } },
  required: ["handler_id", "status", "prompts"],
};
