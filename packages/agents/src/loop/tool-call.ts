/**
 * One call of a tool: checked, permitted, made once, and its output or error reported to the model.
 *
 * @module
 */
import type { ToolResultPart } from "ai";
import type { Context } from "millrace";
import type { Limiter } from "millrace/engine";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import { guarded, passing } from "./guards.js";
import type { LoopRun } from "./loop-run.types.js";
import { callMember } from "./members.js";
import { assertGoesOn, permissionFor } from "./permission.js";
import { ask } from "./questions.js";
import { execute, noted } from "./tool-execution.js";
import { executionOf, modelRecord, type Refusal, type ToolRecord } from "./tool-record.js";
import type { LoopTool, LoopTools } from "./tools.js";

export interface CallToAnswer {
  readonly call: ModelToolCall;
  /** What is wrong with its arguments; `null`: nothing. */
  readonly problem: string | null;
  readonly ctx: Context;
  /** Path of `ctx`, for ids. */
  readonly place: string;
  readonly tools: LoopTools;
  /** Of the tools that work at the same time. */
  readonly limiter: Limiter;
  /** Name of the tool whose agent takes over in the same answer. */
  readonly handsTo: string | null;
}

export interface AnsweredCall {
  readonly part: ToolResultPart;
  /** Arguments that a person or a guard has put in the place of the model's. */
  readonly input?: unknown;
}

export async function answerCall(run: LoopRun, answering: CallToAnswer): Promise<AnsweredCall> {
  const { toolCallId, toolName, input } = answering.call;
  const { record, made = input } = await recordFor(run, answering);
  const output = modelRecord(record);
  run.ledger.tools.push(executionOf({ ...answering.call, input: made }, record));
  if ("output" in record) run.ledger.media.push(...(record.media ?? []));
  const part = { type: "tool-result" as const, toolCallId, toolName, output };
  return made === input ? { part } : { part, input: made };
}

interface Settled {
  readonly record: ToolRecord;
  /** The arguments that were used. */
  readonly made?: unknown;
}

async function recordFor(run: LoopRun, answering: CallToAnswer): Promise<Settled> {
  const allowed = await allowedCall(run, answering);
  if (!("tool" in allowed)) return { record: await noted(run, answering, { record: allowed }) };
  const made = allowed.input;
  const record = await perform(run, { ...answering, call: { ...answering.call, input: made } }, allowed);
  return { record: await afterwards(run, answering, record), made };
}

/** A call that may be made. */
interface Allowed {
  readonly tool: LoopTool;
  /** The arguments, as the tool gets them. */
  readonly value: unknown;
  readonly input: unknown;
}

/** Or the text for the model about the check that has refused it. */
async function allowedCall(run: LoopRun, answering: CallToAnswer): Promise<Allowed | Refusal> {
  const { call, problem, tools } = answering;
  const tool = tools.get(call.toolName);
  if (problem !== null) return { error: problem };
  if (tool === undefined) return { error: `There is no tool "${call.toolName}".` };
  const { toolInput } = run.settings.guards;
  const guard = toolInput && ((context: RunContext) => toolInput(call, context));
  const checked = await guarded(run, { ...answering, name: "input-guard", value: call.input, guard });
  if ("refuse" in checked) return { error: checked.refuse };
  const given = "value" in checked ? checked.value : call.input;
  const parsed = await tool.parse(given);
  if ("problem" in parsed) return { error: `The arguments do not fit: ${parsed.problem}` };
  const wanted = "ask" in checked ? checked.ask : null;
  const permission = await permissionFor(run, { ...answering, tool, value: parsed.value, wanted });
  return "denied" in permission ? permission : { input: given, tool, ...permission };
}

function perform(run: LoopRun, answering: CallToAnswer, { tool, value }: Allowed): Promise<ToolRecord> {
  switch (tool.kind) {
    case "execute":
      return inPlace(answering, () => execute(run, answering, { tool, value }));
    case "page":
      return resultOfPage(run, answering);
    case "handoff":
      return Promise.resolve(handOff(answering));
    case "member":
      return callMember(run, { ...answering, members: tool.members, ...(value as { member: string; task: string }) });
    case "provider": // its provider makes such calls
      return Promise.resolve({ error: "The provider of the model runs this tool." });
  }
}

async function inPlace<Result>({ limiter, ctx }: CallToAnswer, work: () => Promise<Result>): Promise<Result> {
  const release = await limiter.acquire(ctx.signal);
  try {
    return await work();
  } finally {
    release();
  }
}

/** The first agent that the model names takes over. */
function handOff({ call, handsTo }: CallToAnswer): ToolRecord {
  return handsTo === call.toolCallId
    ? { output: "Handed over." }
    : { error: "Not handed over: another agent takes over." };
}

/** Recorded, so that every reader sees the result. */
async function resultOfPage(run: LoopRun, { call, ctx }: CallToAnswer): Promise<ToolRecord> {
  assertGoesOn(run);
  const reply = await ask({ ctx, key: "page" }, run, { kind: "result", title: `Result of ${call.toolName}`, call });
  const record: ToolRecord = reply.approved ? { output: reply.output ?? null } : { denied: reply.note };
  return noted(run, { call, ctx }, { record });
}

/** What the guard of outputs makes of a result. */
async function afterwards(run: LoopRun, answering: CallToAnswer, record: ToolRecord): Promise<ToolRecord> {
  const { toolOutput } = run.settings.guards;
  if (toolOutput === undefined || !("output" in record)) return record;
  const { call, ctx } = answering;
  const { output } = record;
  const passed = await passing(
    run,
    { ctx, name: "output-guard", value: output, guard: (context) => toolOutput({ ...call, output }, context) },
    { key: "output-question", call },
  );
  if ("refuse" in passed) return { error: passed.refuse };
  return passed.value === output ? record : { output: passed.value };
}
