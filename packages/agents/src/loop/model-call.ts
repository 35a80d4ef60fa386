/**
 * One model call, made once: what was asked and what was answered is the record of a durable call.
 *
 * @module
 */
import { isStepCount, type ModelMessage, Output, type OutputInterface } from "ai";
import { type Context, type EffectCall, type EffectOptions, WorkflowError } from "millrace";
import { callOptions, unless } from "../run/call-options.js";
import { modelTimedOut, toFailure } from "../run/failure.js";
import {
  conversationOf,
  mergedSettings,
  overriddenModel,
  type RequestOverride,
  readOverride,
} from "../run/overridden.js";
import { recordModeOf, requestToRecord } from "../run/recorded-request.js";
import { systemText } from "../run/system-text.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel, ModelSettings, PreparedStep } from "../settings/loop-options.types.js";
import { plainMessages } from "../settings/media-part.js";
import { asJson } from "../settings/plain.js";
import { replacedModel } from "../settings/replaced.js";
import type { RunContext } from "../settings/run-context.types.js";
import { atBudget } from "./at-budget.js";
import type { LoopRun } from "./loop-run.types.js";
import { generate, type Request, stream } from "./model-answer.js";
import { paid } from "./paid-call.js";
import type { PartSink } from "./part-sink.js";
import { describeTools, type LoopTools, modelTools } from "./tools.js";
import { changedFields, type Turn, type TurnRecord, turnOf } from "./turn.js";
import { modelOf, UniqueIds, withUniqueIds } from "./unique-ids.js";

/** Asks the model, or recalls what it has answered. */
export async function askModel(run: LoopRun, tools: LoopTools, number: number): Promise<Turn> {
  return atBudget(run, `m${number}`, (ctx) => askOnce(run, tools, { ctx, number }));
}

async function askOnce(
  run: LoopRun,
  tools: LoopTools,
  { ctx, number }: { readonly ctx: Context; readonly number: number },
): Promise<Turn> {
  const place = `${run.place}_m${number}`;
  const asking: Asking = { ctx, tools, place, number, isFinal: false };
  const attempt = (call: EffectCall) =>
    run.session.use({ ctx, call }, (context) => answer(run, { call, context }, asking));
  const record = await ctx.run(`m${number}`, attempt, optionsOf(run.settings, asking)).catch((error: unknown) => {
    throw WorkflowError.is(error, "CALL_TIMEOUT") ? modelTimedOut(error, run.settings) : error;
  });
  run.asked = { ...run.asked, ...record.asked };
  if (record.override !== undefined) Object.assign(run, overriding(run, record.override));
  // A continued run repeats the text of its start, if the record has it as it was.
  const isWhole = recordModeOf(run.settings) === "full" && run.settings.prepareStep === undefined;
  if (isWhole && record.asked.instructions !== undefined) run.instructions = record.asked.instructions;
  run.ledger.calls.push(record.metrics);
  run.onUsage?.();
  return turnOf(record, place);
}

interface Asking {
  readonly ctx: Context;
  readonly tools: LoopTools;
  readonly place: string;
  readonly number: number;
  /**
   * `true`: what the last attempt has shown cannot be retracted, or the process does not wait as long as the provider
   * asks.
   */
  isFinal: boolean;
}

function optionsOf({ modelCalls, model }: ExecutorSettings, asking: Asking): EffectOptions {
  const { retry, ...policies } = modelCalls;
  const limited = retry && unless(() => asking.isFinal, retry);
  return callOptions({ ...policies, retry: limited }, nameOf(model));
}

interface Attempt {
  readonly call: EffectCall;
  readonly context: RunContext;
}

async function answer(run: LoopRun, attempt: Attempt, asking: Asking): Promise<TurnRecord> {
  const { settings } = run;
  const { call } = attempt;
  const sink = run.sinkOf(run, call);
  try {
    // First: by the time of the first word, readers have the beginning of the call, and follow it live.
    if (asking.number === 0) sink.show({ type: "agent", name: settings.name });
    const { request, asked } = await requestOf(run, { ...attempt, sink, ...asking });
    const said = await paid({
      ...{ ctx: asking.ctx, call, model: request.model, prices: settings.prices },
      request: { reads: [request.messages, asked.instructions, asked.tools], maxOutputTokens: request.maxOutputTokens },
      ask: (used) => (run.streams ? stream : generate)(run, request, { sink, used }),
    });
    const { inputTokens, outputTokens } = said.metrics;
    sink.show({ type: "end", finishReason: said.finishReason, inputTokens, outputTokens });
    const override = readOverride(call.override);
    const before = override === null ? run.asked : {}; // whoever reads the fork may not have what was asked before
    return {
      asked: changedFields(before, requestToRecord(settings, asked)),
      ...(override !== null && { override }),
      ...asJson(said),
    };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const failure = toFailure(error, settings, call.attempt);
    asking.isFinal = sink.isFinal(failure);
    throw failure;
  } finally {
    sink.close();
  }
}

/** What a loop holds once a call of it was overridden: later calls of it follow from that. */
function overriding(run: LoopRun, given: RequestOverride): Pick<LoopRun, "override" | "conversation"> {
  const { messages, ...rest } = given;
  const override = { ...run.override, ...rest };
  if (messages === undefined) return { override, conversation: run.conversation };
  return {
    override,
    conversation: { messages: conversationOf(messages, messagesOf(run)), before: run.said.length },
  };
}

/** The conversation so far. */
function messagesOf({ history, said, conversation }: LoopRun): readonly ModelMessage[] {
  if (conversation === null) return [...history, ...said];
  return [...conversation.messages, ...said.slice(conversation.before)];
}

/** What `prepareStep` makes of the next call, with the instructions as they are filled in. */
async function prepared(
  run: LoopRun,
  runContext: RunContext,
  messages: readonly ModelMessage[],
): Promise<PreparedStep> {
  const { settings, turns: steps } = run;
  const given = await settings.prepareStep?.({ stepNumber: steps.length, steps, messages, runContext });
  if (run.instructions === undefined) run.instructions = (await systemText(settings, runContext)) ?? null;
  const instructions = given?.instructions ?? run.instructions;
  return { ...given, ...(instructions !== null && { instructions }) };
}

interface Requesting extends Asking, Attempt {
  readonly sink: PartSink;
}

async function requestOf(
  run: LoopRun,
  { call, context, sink, tools, place }: Requesting,
): Promise<{ readonly request: Request; readonly asked: AskedOfModel }> {
  const { settings, turns } = run;
  const given = readOverride(call.override);
  const { override, conversation } = given === null ? run : overriding(run, given);
  const all = messagesOf({ ...run, conversation });
  const step = { ...(await prepared(run, context, all)), ...(given?.messages !== undefined && { messages: all }) };
  const instructions = override?.instructions === undefined ? step.instructions : (override.instructions ?? undefined);
  const model = overriddenModel(replacedModel(step.model ?? run.cheaperModel ?? settings.model), override);
  const { toolChoice } = step;
  const modelSettings = mergedSettings(step.modelSettings ?? settings.modelSettings, override?.settings);
  const offered = step.activeTools === undefined ? tools : only(tools, step.activeTools);
  const messages = [...(step.messages ?? all)];
  const unstored = given === null ? (step.messages ?? (turns.length === 0 ? run.unstored : [])) : messages;
  const asked: AskedOfModel = {
    model: nameOf(model),
    instructions: instructions ?? null,
    settings: withoutHeaders(modelSettings),
    tools: await describeTools(offered),
    toolChoice: toolChoice ?? null,
    ...(unstored.length > 0 && { messages: plainMessages(unstored) }),
  };
  const request: Request = {
    ...modelSettings,
    model: offered.size === 0 ? modelOf(model) : withUniqueIds(modelOf(model), new UniqueIds(messages, place)),
    ...(instructions !== undefined && { instructions }),
    messages,
    tools: modelTools(offered),
    ...(toolChoice !== undefined && { toolChoice }),
    stopWhen: isStepCount(1),
    maxRetries: 0, // the call is made again, and counted, by its policy
    abortSignal: call.signal,
    telemetry: { functionId: settings.name },
    ...outputOption(settings, sink),
  };
  return { request, asked };
}

/** Headers may hold credentials. */
function withoutHeaders({ headers: _headers, ...settings }: ModelSettings): ModelSettings {
  return settings;
}

function only(tools: LoopTools, names: readonly string[]): LoopTools {
  return new Map([...tools].filter(([name]) => names.includes(name)));
}

function nameOf(model: ExecutorSettings["model"]): string {
  return typeof model === "string" ? model : `${model.provider}/${model.modelId}`;
}

/**
 * The loop reads the answer, and reports to the model what is wrong with it. The SDK parses what there is so far only where
 * it is shown.
 */
function outputOption({ outputSchema }: ExecutorSettings, sink: PartSink): { output?: OutputInterface } {
  if (outputSchema === undefined) return {};
  const output = Output.object({ schema: outputSchema });
  const parsePartialOutput = async ({ text }: { readonly text: string }): Promise<{ partial: never }> => {
    if (sink.takePartial !== undefined) sink.takePartial((await output.parsePartialOutput({ text }))?.partial);
    return { partial: text as never }; // each text is news
  };
  return { output: { ...output, parsePartialOutput, parseCompleteOutput: async ({ text }) => text } };
}
