/**
 * One model call, made once: what was asked and what was answered is the record of a durable call.
 *
 * @module
 */
import {
  generateText,
  isStepCount,
  type ModelMessage,
  Output,
  type OutputInterface,
  type StepResult,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import { type EffectCall, WorkflowError } from "millrace";
import { brokenStream, refuseLongWaits, toFailure } from "../run/failure.js";
import { callMetrics } from "../run/metrics.js";
import { messageOf } from "../run/run-events.js";
import { systemText } from "../run/system-text.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel, PreparedStep } from "../settings/loop-options.types.js";
import { plainMessages } from "../settings/media-part.js";
import { changedFields } from "./asked.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-writer.js";
import { describeTools, type LoopTools, modelTools } from "./tools.js";
import { type Turn, type TurnRecord, turnOf } from "./turn.js";
import { UniqueIds, withUniqueIds } from "./unique-ids.js";

type Recorded = TurnRecord | { readonly failed: ReturnType<WorkflowError["toJSON"]> };

/** Asks the model, or recalls what it has answered. */
export async function askModel(run: LoopRun, tools: LoopTools, number: number): Promise<Turn> {
  const place = `${run.place}_m${number}`;
  const record = await run.ctx.run(`m${number}`, (call) => answer(run, { call, tools, place, number }));
  if ("failed" in record) throw new WorkflowError(record.failed);
  run.asked = { ...run.asked, ...record.asked };
  // A run that goes on says what it has said at its start.
  if (run.settings.prepareStep === undefined && record.asked.instructions !== undefined)
    run.instructions = record.asked.instructions;
  run.ledger.calls.push(record.metrics);
  return turnOf(record, place);
}

interface Asking {
  readonly call: EffectCall;
  readonly tools: LoopTools;
  readonly place: string;
  readonly number: number;
}

async function answer(run: LoopRun, asking: Asking): Promise<Recorded> {
  run.events.begin(asking.number === 0 && run.turns.length === 0);
  const sink = run.sinkOf(run, asking.call);
  try {
    const { request, asked } = await requestOf(run, asking);
    if (asking.number === 0) sink.show({ type: "agent", name: run.settings.name });
    const said = await (run.streams ? stream(run, request, sink) : generate(run, request));
    const { finishReason, metrics } = said;
    const { inputTokens, outputTokens } = metrics;
    sink.show({ type: "end", finishReason, inputTokens, outputTokens });
    const messages = plain(said.messages);
    const kept = changedFields(run.asked, run.settings.redact?.(asked) ?? asked);
    const record = { asked: kept, messages, finishReason, metrics };
    const problems = problemsOf(said.problems, turnOf(record, "").toolCalls);
    return problems === null ? record : { ...record, problems };
  } catch (error) {
    if (!run.isMember || asking.call.signal.aborted) throw error;
    return { failed: toFailure(error, run.settings).toJSON() }; // its leader is told, and so must be told the same again
  } finally {
    sink.close();
  }
}

/** JSON, as it is stored: the first attempt sees what a later one recalls. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function problemsOf(
  problems: readonly (string | null)[],
  calls: readonly { readonly toolCallId: string }[],
): Record<string, string> | null {
  const found = calls.flatMap(({ toolCallId }, index) =>
    typeof problems[index] === "string" ? [[toolCallId, problems[index]] as const] : [],
  );
  return found.length === 0 ? null : Object.fromEntries(found);
}

type Request = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0] & {
  readonly messages: ModelMessage[];
};

/** What `prepareStep` makes of the next call, with the instructions as they are filled in. */
function prepared(run: LoopRun, { signal }: EffectCall, messages: readonly ModelMessage[]): Promise<PreparedStep> {
  const { settings, turns: steps, ctx } = run;
  return run.session.use({ ctx, signal }, async (runContext) => {
    const given = await settings.prepareStep?.({ stepNumber: steps.length, steps, messages, runContext });
    if (run.instructions === undefined) run.instructions = (await systemText(settings, runContext)) ?? null;
    const instructions = given?.instructions ?? run.instructions;
    return { ...given, ...(instructions !== null && { instructions }) };
  });
}

async function requestOf(
  run: LoopRun,
  { call, tools, place, number }: Asking,
): Promise<{ readonly request: Request; readonly asked: AskedOfModel }> {
  const { settings, history, said } = run;
  const all = [...history, ...said];
  const step = await prepared(run, call, all);
  const { instructions } = step;
  const { model = settings.model, toolChoice, modelSettings = settings.modelSettings } = step;
  const offered = step.activeTools === undefined ? tools : only(tools, step.activeTools);
  const messages = [...(step.messages ?? all)];
  const isNew = number === 0 || step.messages !== undefined;
  const asked: AskedOfModel = {
    model: nameOf(model),
    instructions: instructions ?? null,
    settings: modelSettings,
    tools: await describeTools(offered),
    toolChoice: toolChoice ?? null,
    ...(isNew && { messages: plainMessages(messages) }),
  };
  const request: Request = {
    ...modelSettings,
    model: withUniqueIds(refuseLongWaits({ ...settings, model }), new UniqueIds(messages, place)),
    ...(instructions !== undefined && { instructions }),
    messages,
    tools: modelTools(offered),
    ...(toolChoice !== undefined && { toolChoice }),
    stopWhen: isStepCount(1),
    maxRetries: settings.maxRetries,
    abortSignal: call.signal,
    telemetry: { functionId: settings.name },
    ...outputOption(settings),
  };
  return { request, asked };
}

function only(tools: LoopTools, names: readonly string[]): LoopTools {
  return new Map([...tools].filter(([name]) => names.includes(name)));
}

function nameOf(model: ExecutorSettings["model"]): string {
  return typeof model === "string" ? model : `${model.provider}/${model.modelId}`;
}

function outputOption({ outputSchema }: ExecutorSettings): { output?: OutputInterface } {
  if (outputSchema === undefined) return {};
  // The loop reads the answer, and tells the model what is wrong with it.
  return { output: { ...Output.object({ schema: outputSchema }), parseCompleteOutput: async ({ text }) => text } };
}

type Said = Omit<TurnRecord, "asked" | "problems"> & {
  /** What is wrong with the arguments of each call that is not the provider's; `null`: nothing. */
  readonly problems: readonly (string | null)[];
};

async function generate(run: LoopRun, request: Request): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  const result = await generateText({ ...request, onStepEnd: (step) => void steps.push(took(run, step)) });
  if (result.finishReason === "error") throw brokenStream(run.settings);
  return saidIn(result.responseMessages, steps);
}

async function stream(run: LoopRun, request: Request, sink: PartSink): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  const watcher: { error?: unknown } = {};
  const result = streamText({
    ...request,
    onStepEnd: (step) => void steps.push(took(run, step)),
    onError: ({ error }) => void (watcher.error ??= error), // without this listener the SDK prints the error
  });
  for await (const part of result.stream) showPart(part, sink);
  request.abortSignal?.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;
  const [finishReason, rawFinishReason] = await Promise.all([result.finishReason, result.rawFinishReason]);
  // A connection that closes early looks like an end without a reason.
  const isBroken = finishReason === "error" || (finishReason === "other" && rawFinishReason === undefined);
  if (isBroken) throw brokenStream(run.settings);
  return saidIn(await result.responseMessages, steps);
}

/** Counts a model call when it ends, also when its answer is then refused. */
function took(run: LoopRun, step: StepResult<ToolSet>): StepResult<ToolSet> {
  run.ledger.made.push(callMetrics(step));
  if (!run.streams) run.ledger.heard.push(step.text);
  return step;
}

function saidIn(messages: readonly ModelMessage[], steps: readonly StepResult<ToolSet>[]): Said {
  const step = steps.at(-1) as StepResult<ToolSet>; // a call that has no step has failed
  const own = step.toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
  return {
    messages: messages.filter((message) => message.role === "assistant"),
    problems: own.map((made) => (made.invalid === true && isUnreadable(made.error) ? messageOf(made.error) : null)),
    finishReason: step.finishReason,
    metrics: callMetrics(step),
  };
}

/** A call of a tool that does not exist has arguments that can be read. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof Error && error.name === "AI_NoSuchToolError");
}

function showPart(part: TextStreamPart<ToolSet>, sink: PartSink): void {
  switch (part.type) {
    case "text-delta":
      if (part.text !== "") sink.show({ type: "text", id: part.id, text: part.text });
      break;
    case "reasoning-delta":
      if (part.text !== "") sink.show({ type: "reasoning", id: part.id, text: part.text });
      break;
    case "tool-input-start":
      if (part.providerExecuted === true) break;
      sink.show({ type: "tool-begin", toolCallId: part.id, toolName: part.toolName });
      break;
    case "tool-input-delta":
      if (part.delta !== "") sink.show({ type: "tool-input", toolCallId: part.id, text: part.delta });
      break;
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      sink.show({ type: "tool-call", toolCallId, toolName, input: plain(input ?? null) });
      break;
    }
    case "file":
      sink.show({ type: "file", mediaType: part.file.mediaType, base64: part.file.base64 });
      break;
    case "source":
      if (part.sourceType === "url")
        sink.show({
          type: "source",
          id: part.id,
          url: part.url,
          ...(part.title !== undefined && { title: part.title }),
        });
  }
}
