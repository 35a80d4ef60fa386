/**
 * One call of a tool: checked, allowed, made once, and told to the model. What a tool throws is told, too.
 *
 * @module
 */
import type { Media } from "@millrace/pipeline/executor";
import type { ToolResultPart } from "ai";
import type { Context } from "millrace";
import { observedTool } from "../run/observed.js";
import { messageOf } from "../run/run-events.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { ToolContext } from "../settings/tool.types.js";
import { inTime } from "./deadline.js";
import { type Guarded, guarded } from "./guards.js";
import type { Limit } from "./limit.js";
import type { LoopRun } from "./loop-run.types.js";
import { callMember } from "./members.js";
import type { PartSink } from "./part-sink.js";
import { assertGoesOn, permissionFor } from "./permission.js";
import { ask } from "./questions.js";
import { executionOf, type ToolRecord, toldRecord } from "./tool-record.js";
import type { LoopTool, LoopTools } from "./tools.js";

export interface CallToAnswer {
  readonly call: ModelToolCall;
  /** What is wrong with its arguments; `null`: nothing. */
  readonly problem: string | null;
  readonly ctx: Context;
  /** Path of `ctx`, for ids. */
  readonly place: string;
  readonly tools: LoopTools;
  readonly limit: Limit;
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
  const told = toldRecord(record);
  run.ledger.tools.push(executionOf({ ...answering.call, input: made }, record));
  if ("output" in record) run.ledger.media.push(...(record.media ?? []));
  const part = { type: "tool-result" as const, toolCallId, toolName, output: told };
  return made === input ? { part } : { part, input: made };
}

interface Settled {
  readonly record: ToolRecord;
  readonly made?: unknown;
}

async function recordFor(run: LoopRun, answering: CallToAnswer): Promise<Settled> {
  const { call, problem, tools } = answering;
  const tool = tools.get(call.toolName);
  if (problem !== null) return refused(run, answering, problem);
  if (tool === undefined) return refused(run, answering, `There is no tool "${call.toolName}".`);
  const checked = await guarded(run, {
    ...answering,
    name: "input-guard",
    value: call.input,
    guard: run.settings.guards.toolInput && ((context) => run.settings.guards.toolInput?.(call, context)),
  });
  if ("refuse" in checked) return refused(run, answering, checked.refuse);
  const given = "value" in checked ? checked.value : call.input;
  const parsed = await tool.parse(given);
  if ("problem" in parsed) return refused(run, answering, `The arguments do not fit: ${parsed.problem}`);
  const wanted = "ask" in checked ? checked.ask : null;
  const allowed = await permissionFor(run, { ...answering, tool, value: parsed.value, wanted });
  if (!allowed.allowed) return denied(run, answering, allowed.note);
  const made = allowed.input ?? given;
  const record = await perform(run, { ...answering, call: { ...call, input: made } }, { tool, value: allowed.value });
  return { record: await afterwards(run, answering, record), made };
}

interface Allowed {
  readonly tool: LoopTool;
  readonly value: unknown;
}

function perform(run: LoopRun, answering: CallToAnswer, { tool, value }: Allowed): Promise<ToolRecord> {
  switch (tool.kind) {
    case "execute":
      return answering.limit.run(() => execute(run, answering, { tool, value }));
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

/** The first agent that the model names takes over. */
function handOff({ call, handsTo }: CallToAnswer): ToolRecord {
  return handsTo === call.toolCallId
    ? { output: "Handed over." }
    : { error: "Not handed over: another agent takes over." };
}

async function resultOfPage(run: LoopRun, { call, ctx }: CallToAnswer): Promise<ToolRecord> {
  assertGoesOn(run);
  const reply = await ask({ ctx, key: "page" }, run, { kind: "result", title: `Result of ${call.toolName}`, call });
  return reply.approved ? { output: reply.output ?? null } : { denied: reply.note };
}

function execute(
  run: LoopRun,
  { call: made, ctx }: CallToAnswer,
  { tool, value }: { readonly tool: LoopTool & { readonly kind: "execute" }; readonly value: unknown },
): Promise<ToolRecord> {
  return ctx.run("call", async (call) => {
    const sink = run.sinkOf(run, call);
    const media: Media[] = [];
    run.events.begin(false);
    run.events.toolStarted(made);
    const { signal } = call;
    const key = run.keyOf(run, call, made);
    const work = async (runContext: RunContext): Promise<ToolRecord> => {
      try {
        const facts = { made, key, runContext, sink, media };
        const given = await observedTool(made, () =>
          inTime({ limitMs: run.settings.toolTimeoutMs, signal }, (signal) =>
            tool.execute({ value, context: toolContext({ ...facts, signal }) }),
          ),
        );
        return { ...given, ...(media.length > 0 && { media }) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { error: messageOf(error) };
      }
    };
    return show(run, { made, sink, record: await run.session.use({ ctx, signal, key }, work) });
  });
}

interface Showing {
  readonly made: ModelToolCall;
  readonly sink: PartSink;
  readonly record: ToolRecord;
}

function show(run: LoopRun, { made, sink, record }: Showing): ToolRecord {
  const { toolCallId } = made;
  if ("output" in record) sink.show({ type: "tool-result", toolCallId, output: record.output });
  else if ("error" in record) sink.show({ type: "tool-error", toolCallId, error: record.error });
  else sink.show({ type: "tool-denied", toolCallId, note: record.denied });
  run.events.toolEnded(executionOf(made, record));
  return record;
}

interface ToolFacts {
  readonly made: ModelToolCall;
  readonly signal: AbortSignal;
  readonly key: string;
  readonly runContext: RunContext;
  readonly sink: PartSink;
  readonly media: Media[];
}

function toolContext({ made, signal, key, runContext, sink, media }: ToolFacts): ToolContext {
  const { toolCallId } = made;
  return {
    runContext,
    get sessionState() {
      return runContext.sessionState;
    },
    set sessionState(next) {
      runContext.sessionState = next;
    },
    signal,
    toolCallId,
    idempotencyKey: key,
    addMedia: (item) => void media.push(item),
    show: (data) => sink.show({ type: "tool-data", toolCallId, data }),
  };
}

/** What the guard of outputs makes of a result. */
async function afterwards(run: LoopRun, answering: CallToAnswer, record: ToolRecord): Promise<ToolRecord> {
  const { toolOutput } = run.settings.guards;
  if (toolOutput === undefined || !("output" in record)) return record;
  const { call, ctx } = answering;
  const { output } = record;
  const checked = await guarded(run, {
    ctx,
    name: "output-guard",
    value: output,
    guard: (context) => toolOutput({ ...call, output }, context),
  });
  if ("value" in checked) return checked.value === output ? record : { output: checked.value };
  if ("refuse" in checked) return { error: checked.refuse };
  const approved = await mayPass(run, answering, { output, checked });
  return approved === null ? record : { error: approved };
}

async function mayPass(
  run: LoopRun,
  { call, ctx }: CallToAnswer,
  { output, checked }: { readonly output: unknown; readonly checked: Guarded & { readonly ask: string } },
): Promise<string | null> {
  const about = { kind: "guard" as const, title: checked.ask, call, value: output };
  const reply = await ask({ ctx, key: "output-question" }, run, about);
  return reply.approved ? null : (reply.note ?? checked.ask);
}

/** Recorded, so that the model is told the same when the run is resumed with other code. */
async function refused(run: LoopRun, answering: CallToAnswer, error: string): Promise<Settled> {
  return { record: await noted(run, answering, { error }) };
}

async function denied(run: LoopRun, answering: CallToAnswer, note: string | null): Promise<Settled> {
  return { record: await noted(run, answering, { denied: note }) };
}

function noted(run: LoopRun, { call: made, ctx }: CallToAnswer, record: ToolRecord): Promise<ToolRecord> {
  return ctx.run("call", (call) => {
    const sink = run.sinkOf(run, call);
    run.events.begin(false);
    if ("error" in record) run.events.toolStarted(made);
    return show(run, { made, sink, record });
  });
}
