/**
 * One model call, made once: what was asked and what was answered is the record of a durable call.
 *
 * @module
 */
import { isStepCount, type ModelMessage, Output, type OutputInterface } from "ai";
import { type EffectCall, WorkflowError } from "millrace";
import { refuseLongWaits, toFailure } from "../run/failure.js";
import { systemText } from "../run/system-text.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel, PreparedStep } from "../settings/loop-options.types.js";
import { plainMessages } from "../settings/media-part.js";
import { changedFields } from "./asked.js";
import type { LoopRun } from "./loop-run.types.js";
import { generate, type Request, stream } from "./model-answer.js";
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
  run.report();
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
  { call, tools, place }: Asking,
): Promise<{ readonly request: Request; readonly asked: AskedOfModel }> {
  const { settings, history, said, turns } = run;
  const all = [...history, ...said];
  const step = await prepared(run, call, all);
  const { instructions } = step;
  const { model = settings.model, toolChoice, modelSettings = settings.modelSettings } = step;
  const offered = step.activeTools === undefined ? tools : only(tools, step.activeTools);
  const messages = [...(step.messages ?? all)];
  const unstored = step.messages ?? (turns.length === 0 ? run.unstored : []);
  const asked: AskedOfModel = {
    model: nameOf(model),
    instructions: instructions ?? null,
    settings: modelSettings,
    tools: await describeTools(offered),
    toolChoice: toolChoice ?? null,
    ...(unstored.length > 0 && { messages: plainMessages(unstored) }),
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
