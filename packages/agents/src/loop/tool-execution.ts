/**
 * The durable call of a tool, and what readers see of it.
 *
 * @module
 */
import { type Media, messageOf } from "@millrace/executor";
import { type Context, type EffectCall, type Finished, WorkflowError } from "millrace";
import { callOptions } from "../run/call-options.js";
import { observedTool } from "../run/observed.js";
import type { CallPolicies } from "../settings/call-policies.types.js";
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
export function execute(run: LoopRun, answering: MadeCall, { tool, value }: Executing): Promise<ToolRecord> {
  const { call: made, ctx } = answering;
  const attempt: Attempt = (call, recordOf) => {
    const sink = run.sinkOf(run, call, made);
    const media: Media[] = [];
    sink.begin();
    const key = run.keyOf(run, call, made);
    return run.session.use({ ctx, call }, async (runContext) => {
      const context = toolContext({ made, call, key, runContext, sink, media });
      const work = async (): Promise<ToolRecord> => {
        const given = await observedTool(made, () => tool.execute({ value, context }));
        return { ...given, ...(media.length > 0 && { media }) };
      };
      const record = await work().catch(recordOf);
      sink.end(made.toolCallId, record);
      return record;
    });
  };
  const trying = { ctx, key: "call", label: made.toolName, policies: tool.policies };
  return untilRecorded(trying, attempt, (record) => noted(run, answering, { key: "failed", record }));
}

/** Makes the call once. `recordOf` turns a failure into a record for the model, or throws it for the next attempt. */
type Attempt = (
  call: EffectCall,
  recordOf: (error: unknown) => ToolRecord,
) => Promise<ToolRecord | Finished<ToolRecord>>;

interface Trying {
  readonly ctx: Context;
  readonly key: string;
  readonly label: string;
  readonly policies: CallPolicies;
}

/**
 * Makes a durable call of a tool as often as its policies allow.
 *
 * @param note Records the failure of the last attempt, so that the model gets the same when the step runs again.
 */
export async function untilRecorded(
  { ctx, key, label, policies }: Trying,
  attempt: Attempt,
  note: (failure: ToolRecord) => Promise<ToolRecord>,
): Promise<ToolRecord> {
  let thrown: unknown;
  let isRecalled = true;
  const counted = (call: EffectCall) => {
    isRecalled = false;
    return attempt(call, (error) => {
      if (call.signal.aborted || policies.retry !== undefined) throw (thrown = error);
      return { error: messageOf(error) };
    });
  };
  try {
    return await ctx.run(key, counted, callOptions(policies, label));
  } catch (error) {
    const isOfPolicy = WorkflowError.is(error, "OPTION_INVALID");
    const isTold = error === thrown || WorkflowError.is(error, "CALL_TIMEOUT") || (isRecalled && !isOfPolicy);
    if (ctx.signal.aborted || !isTold) throw error;
    return note({ error: recordOfFailure(error) });
  }
}

function recordOfFailure(error: unknown): string {
  return WorkflowError.is(error, "CALL_TIMEOUT")
    ? `The tool did not answer within ${String(error.details["limitMs"])} ms.`
    : messageOf(error);
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
      sink.end(made.toolCallId, record);
      return record;
    },
    { label: made.toolName },
  );
}
