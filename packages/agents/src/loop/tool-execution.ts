/**
 * The durable call of a tool, and what readers see of it.
 *
 * @module
 */
import type { Media } from "@millrace/executor";
import { type Context, type EffectCall, WorkflowError } from "millrace";
import { callOptions } from "../run/call-options.js";
import { observedTool } from "../run/observed.js";
import { messageOf } from "../run/run-events.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { ToolContext } from "../settings/tool.types.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-sink.js";
import type { ToolRecord } from "./tool-record.js";
import type { LoopTool } from "./tools.js";

/** A call that may be made. */
export interface MadeCall {
  readonly call: ModelToolCall;
  readonly ctx: Context;
}

interface Executing {
  readonly tool: LoopTool & { readonly kind: "execute" };
  readonly value: unknown;
}

/** The model gets the error of the tool; with a policy, after its last attempt. */
export async function execute(run: LoopRun, answering: MadeCall, { tool, value }: Executing): Promise<ToolRecord> {
  const { call: made, ctx } = answering;
  let thrown: unknown;
  let isRecalled = true;
  const attempt = (call: EffectCall) => {
    isRecalled = false;
    const sink = run.sinkOf(run, call, made);
    const media: Media[] = [];
    sink.begin();
    const key = run.keyOf(run, call, made);
    const work = async (runContext: RunContext): Promise<ToolRecord> => {
      try {
        const context = toolContext({ made, call, key, runContext, sink, media });
        const given = await observedTool(made, () => tool.execute({ value, context }));
        return { ...given, ...(media.length > 0 && { media }) };
      } catch (error) {
        if (call.signal.aborted || tool.policies.retry !== undefined) throw (thrown = error);
        return { error: messageOf(error) };
      }
    };
    return run.session.use({ ctx, call, key }, async (runContext) =>
      show({ made, sink, record: await work(runContext) }),
    );
  };
  try {
    return await ctx.run("call", attempt, callOptions(tool.policies, made.toolName));
  } catch (error) {
    const isOfPolicy = WorkflowError.is(error, "OPTION_INVALID");
    const isTold = error === thrown || WorkflowError.is(error, "CALL_TIMEOUT") || (isRecalled && !isOfPolicy);
    if (ctx.signal.aborted || !isTold) throw error;
    return noted(run, answering, { key: "failed", record: { error: toldOfFailure(error) } });
  }
}

function toldOfFailure(error: unknown): string {
  return WorkflowError.is(error, "CALL_TIMEOUT")
    ? `The tool did not answer within ${String(error.details["limitMs"])} ms.`
    : messageOf(error);
}

interface Showing {
  readonly made: ModelToolCall;
  readonly sink: PartSink;
  readonly record: ToolRecord;
}

function show({ made, sink, record }: Showing): ToolRecord {
  const { toolCallId } = made;
  if ("output" in record) sink.show({ type: "tool-result", toolCallId, output: record.output });
  else if ("error" in record) sink.show({ type: "tool-error", toolCallId, error: record.error });
  else sink.show({ type: "tool-denied", toolCallId, note: record.denied });
  return record;
}

interface ToolFacts {
  readonly made: ModelToolCall;
  readonly call: EffectCall;
  readonly key: string;
  readonly runContext: RunContext;
  readonly sink: PartSink;
  readonly media: Media[];
}

function toolContext({ made, call, key, runContext, sink, media }: ToolFacts): ToolContext {
  const { toolCallId } = made;
  const { signal, attempt } = call;
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
    attempt,
    idempotencyKey: key,
    addMedia: (item) => void media.push(item),
    show: (data) => sink.show({ type: "tool-data", toolCallId, data }),
  };
}

interface Noting {
  readonly key?: string;
  readonly record: ToolRecord;
}

/** Recorded, so that the model gets the same if the run is resumed with other code. */
export function noted(
  run: LoopRun,
  { call: made, ctx }: MadeCall,
  { key = "call", record }: Noting,
): Promise<ToolRecord> {
  return ctx.run(
    key,
    (call) => {
      const sink = run.sinkOf(run, call, made);
      if ("error" in record && key === "call") sink.begin();
      return show({ made, sink, record });
    },
    { label: made.toolName },
  );
}
