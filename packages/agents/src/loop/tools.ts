/**
 * The tools of one run: its own, those of the AI SDK, its members, and its handoffs to other agents. The model gets their schemas
 * without `execute`: the loop makes the calls.
 *
 * @module
 */
import { asSchema, type JSONValue, jsonSchema, tool as sdkToolOf, type ToolResultPart, type ToolSet } from "ai";
import { z } from "zod";
import { noTools } from "../run/failure.js";
import { handoffName } from "../settings/agent-id.js";
import type { CallPolicies } from "../settings/call-policies.types.js";
import { invalid, sameNames } from "../settings/check-options.js";
import type { Executor, Member } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel } from "../settings/loop-options.types.js";
import { confirmationOf } from "../settings/tool.js";
import type { AgentTool, Confirmation, ToolContext } from "../settings/tool.types.js";
import { policiesOf } from "../settings/with-policies.js";
import { type Parsed, parseWith } from "./parsed.js";

export const memberToolName = "delegate_task_to_member";

/** Output for the model. */
export type ModelOutput = ToolResultPart["output"];

export interface ToolOutput {
  /** Plain data, or text. */
  readonly output: unknown;
  /** What the model gets in its place, from the tool itself. */
  readonly forModel?: ModelOutput;
}

/** A tool that whoever watches the run executes. */
export interface PageTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. @default none */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** Arguments of the model, and what a tool gets besides them. */
export interface ToolWork {
  readonly value: unknown;
  readonly context: ToolContext;
}

interface Base {
  readonly definition: ToolSet[string];
  readonly confirmation: Confirmation | null;
  parse(input: unknown): Promise<Parsed>;
}

export type LoopTool = Base &
  (
    | {
        readonly kind: "execute";
        readonly policies: CallPolicies;
        execute(work: ToolWork): Promise<ToolOutput>;
      }
    /** Whoever watches runs it. */
    | { readonly kind: "page" }
    | { readonly kind: "handoff"; readonly target: Executor }
    | { readonly kind: "member"; readonly members: readonly Member[] }
    /** The provider of the model runs it. */
    | { readonly kind: "provider" }
  );

export type LoopTools = ReadonlyMap<string, LoopTool>;

/**
 * @param pageTools Of one run, for whoever watches it. A tool of the agent wins over one with its name.
 * @throws {WorkflowError} `AGENT_FAILED` when a function in `sdkTools` fails; `OPTION_INVALID` for two tools with one
 * name.
 */
export async function toolsOf(settings: ExecutorSettings, pageTools: readonly PageTool[] = []): Promise<LoopTools> {
  const { tools, members, canHandOffTo, toolTimeout } = settings;
  const sdk = await sdkToolsOf(settings);
  return new Map<string, LoopTool>([
    ...pageTools.map((tool) => [tool.name, pageTool(tool)] as const),
    ...Object.entries(sdk).map(([name, tool]) => [name, sdkTool(tool, toolTimeout)] as const),
    ...tools.map((tool) => [tool.name, ownTool(tool, toolTimeout)] as const),
    ...(members.length > 0 ? [[memberToolName, memberTool(members)] as const] : []),
    ...canHandOffTo.map((target) => [handoffName(target), handoffTool(target)] as const),
  ]);
}

async function sdkToolsOf(settings: ExecutorSettings): Promise<ToolSet> {
  const sdkTools = await Promise.all(
    settings.sdkTools.map((one) => (typeof one === "function" ? readTools(settings, one) : one)),
  );
  const [problem] = sameNames({ ...settings, sdkTools });
  if (problem === undefined) return Object.fromEntries(sdkTools.flatMap((one) => Object.entries(one)));
  throw invalid(`The tools of "${settings.name}" are wrong: ${problem}.`, "Rename one of them.");
}

async function readTools(settings: ExecutorSettings, read: () => Promise<ToolSet>): Promise<ToolSet> {
  try {
    return await read();
  } catch (error) {
    throw noTools(error, settings);
  }
}

/** The tools as the model gets them. */
export function modelTools(tools: LoopTools): ToolSet {
  return Object.fromEntries([...tools].map(([name, { definition }]) => [name, definition]));
}

/** The tools, for the record of a call. */
export function describeTools(tools: LoopTools): Promise<AskedOfModel["tools"] & {}> {
  const all = [...tools].map(async ([name, { definition }]) => {
    const { description, inputSchema } = definition;
    const schema = inputSchema === undefined ? null : await asSchema(inputSchema).jsonSchema;
    return { name, description: typeof description === "string" ? description : "", schema };
  });
  return Promise.all(all);
}

function ownTool(tool: AgentTool, timeout: CallPolicies["timeout"]): LoopTool {
  const base: Base = {
    definition: definitionOf(tool.description, tool.parameters),
    confirmation: confirmationOf(tool),
    parse: (input) => parseWith(tool.parameters, input),
  };
  const { execute } = tool;
  if (execute === undefined) return { ...base, kind: "page" };
  return {
    ...base,
    kind: "execute",
    policies: { ...tool, timeout: tool.timeout ?? timeout },
    execute: async ({ value, context }) => ({ output: plainResult(await execute(value, context)) }),
  };
}

function definitionOf(description: string, parameters: z.ZodType): ToolSet[string] {
  return sdkToolOf({ description, inputSchema: jsonSchema(() => asSchema(parameters).jsonSchema) }) as ToolSet[string];
}

function pageTool({ description, parameters }: PageTool): LoopTool {
  const inputSchema = jsonSchema(parameters ?? { type: "object", properties: {} });
  const definition = sdkToolOf({ description, inputSchema }) as ToolSet[string];
  return { kind: "page", definition, confirmation: null, parse: async (value) => ({ value }) };
}

function handoffTool(target: Executor): LoopTool {
  const about = target.role ?? target.description;
  const parameters = z.object({});
  return {
    kind: "handoff",
    target,
    definition: definitionOf(`Hands the conversation over to ${target.name}${about ? `: ${about}` : "."}`, parameters),
    confirmation: null,
    parse: async () => ({ value: {} }),
  };
}

function memberTool(members: readonly Member[]): LoopTool {
  const parameters = z.object({
    member: z.enum(members.map(({ id }) => id)).describe("The member."),
    task: z.string().describe("The task, with all that the member has to know."),
  });
  return {
    kind: "member",
    members,
    definition: definitionOf("Delegates a task to a member of the team. Returns the member's answer.", parameters),
    confirmation: null,
    parse: (input) => parseWith(parameters, input),
  };
}

function sdkTool(tool: ToolSet[string], timeout: CallPolicies["timeout"]): LoopTool {
  const { execute, needsApproval = false, toModelOutput, ...rest } = tool;
  const confirmation: Confirmation | null = needsApproval === false ? null : { when: ruleOf(needsApproval) };
  if (tool.type === "provider" && tool.isProviderExecuted === true)
    return { kind: "provider", definition: tool, confirmation, parse: async (value) => ({ value }) };
  const schema = asSchema(tool.inputSchema);
  const base: Base = {
    definition: (tool.type === "provider"
      ? rest
      : { ...rest, inputSchema: jsonSchema(() => schema.jsonSchema) }) as ToolSet[string],
    confirmation,
    parse: async (input) => {
      const read = await schema.validate?.(input);
      return read === undefined || read.success
        ? { value: read === undefined ? input : read.value }
        : { problem: read.error.message };
    },
  };
  if (execute === undefined) return { ...base, kind: "page" };
  const policies = policiesOf(tool);
  return {
    ...base,
    kind: "execute",
    policies: { ...policies, timeout: policies.timeout ?? timeout },
    execute: async ({ value, context }) => {
      const { toolCallId, signal } = context;
      const given = execute(value, { toolCallId, messages: [], abortSignal: signal, context: undefined });
      const output = plainResult(isStream(given) ? await lastOf(given, (value) => context.show(value)) : await given);
      if (toModelOutput === undefined) return { output };
      const converted = await toModelOutput({ toolCallId, input: value as never, output: output as never });
      return { output, forModel: valuesAlone(converted, output) ?? converted };
    },
  };
}

/** A server of MCP may answer with values and no content. Its client in the AI SDK shows the model the content alone. */
function valuesAlone(converted: ModelOutput, output: unknown): ModelOutput | null {
  const { structuredContent, isError } = Object(output) as { structuredContent?: JSONValue; isError?: boolean };
  const isEmpty = converted.type === "content" && converted.value.length === 0;
  if (!isEmpty || structuredContent === undefined) return null;
  return { type: isError === true ? "error-json" : "json", value: structuredContent };
}

type NeedsApproval = Exclude<ToolSet[string]["needsApproval"], undefined>;

function ruleOf(rule: NeedsApproval): Confirmation["when"] & {} {
  if (typeof rule === "boolean") return rule;
  return async (args, { toolCallId }) => rule(args, { toolCallId, messages: [], context: undefined });
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as { [Symbol.asyncIterator]?: unknown } | null)?.[Symbol.asyncIterator] === "function";
}

/** The last value counts. */
export async function lastOf(values: AsyncIterable<unknown>, show = (_value: unknown): void => {}): Promise<unknown> {
  let last: unknown;
  for await (const value of values) show((last = value));
  return last;
}

/** Makes the plain data that the model, the events and the session all get. */
export function plainResult(result: unknown): unknown {
  if (typeof result === "string") return result;
  const json = JSON.stringify(result);
  return json === undefined ? null : JSON.parse(json);
}

/** An output, for the model. */
export function modelOutputOf({ output, forModel }: ToolOutput): ModelOutput {
  if (forModel !== undefined) return forModel;
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output as never };
}
