/**
 * Durable calls for the user's own loop: a language model and tools of the AI SDK whose calls are recorded, so that `generateText`,
 * `streamText` or a `ToolLoopAgent` continues where it was when its step runs again.
 *
 * @module
 */

import type { LanguageModel, ToolSet } from "ai";
import type { Context, Duration, RetryPolicy } from "millrace";
import { modelRetry } from "../run/call-options.js";
import type { CallPolicies } from "../settings/call-policies.types.js";
import { check, invalid, recordRules, redactorProblems } from "../settings/check-options.js";
import type { AskedOfLoop, ModelPrices, RecordOptions } from "../settings/record.types.js";
import { policiesOf } from "../settings/with-policies.js";
import { PieceSink } from "./part-sink.js";
import { RecordedModel } from "./recorded-model.js";
import { untilRecorded } from "./tool-execution.js";
import type { ToolRecord } from "./tool-record.js";
import { isStream, lastOf, plainResult } from "./tools.js";

export interface RecordedOptions<Tools extends ToolSet> extends CallPolicies, RecordOptions<AskedOfLoop> {
  /** A model of a provider. The name of a model is not enough, because its calls could not be seen. */
  readonly model: Exclude<LanguageModel, string>;
  readonly tools?: Tools;
  /** Distinguishes this loop from others in the step. @default "loop" */
  readonly key?: string;
  /**
   * Whether and when a model call is made again that has failed. A call whose words the loop has begun to read fails at
   * once.
   *
   * @default two more attempts where the model is busy, down or out of reach, after the delay that the provider asks
   * for
   */
  readonly retry?: RetryPolicy;
  /** Limit of each attempt of a model call. @default none */
  readonly timeout?: Duration;
  /** Name of one of the `limits` of the workflow. Each attempt of a model call takes a place. @default none */
  readonly limit?: string;
  /** Prices of models, for budgets in dollars. @default none */
  readonly prices?: ModelPrices;
}

/** To be spread into the options of the loop. */
export interface Recorded<Tools extends ToolSet> {
  readonly model: Exclude<LanguageModel, string>;
  readonly tools: Tools;
  /** 0: the recorded call is made again by `retry`, which counts over restarts. */
  readonly maxRetries: 0;
}

/**
 * Records the calls of a loop of the AI SDK. A model call is found again by its number, a tool call by its id: so the loop makes its
 * model calls one after the other, and the same ones when it runs again.
 *
 * @example
 * const { text } = await generateText({ ...recorded(ctx, { model, tools }), prompt, stopWhen: isStepCount(10) });
 * @throws {WorkflowError} `OPTION_INVALID` for the name of a model, and for options that are wrong.
 */
export function recorded<Tools extends ToolSet = {}>(
  ctx: Context,
  { model, tools, key = "loop", retry = modelRetry(2), timeout, limit, prices, ...recording }: RecordedOptions<Tools>,
): Recorded<Tools> {
  check("recorded", recording, { rules: recordRules as never, besides: redactorProblems(recording as never) });
  if (typeof model === "string")
    throw invalid(`\`model\` is the name ${JSON.stringify(model)}.`, "Pass the model of a provider: `openai(name)`.");
  const scope = ctx.scope(key);
  const own = Object.entries((tools ?? {}) as ToolSet).map(([name, tool]) => [name, recordedTool(scope, name, tool)]);
  const { wrapped } = new RecordedModel(scope, model, { retry, timeout, limit, prices, ...recording });
  return { model: wrapped, tools: Object.fromEntries(own) as Tools, maxRetries: 0 };
}

function recordedTool(scope: Context, name: string, tool: ToolSet[string]): ToolSet[string] {
  const { execute } = tool;
  if (execute === undefined) return tool;
  type Options = Parameters<typeof execute>[1];
  const call = async (input: never, options: Options): Promise<ToolRecord> => {
    const given = execute(input, options);
    return { output: plainResult(isStream(given) ? await lastOf(given) : await given) };
  };
  const record = async (input: never, options: Options): Promise<unknown> => {
    const { toolCallId } = options;
    const key = `call/${toolCallId}`;
    const made = await untilRecorded(
      { ctx: scope, key, label: name, policies: policiesOf(tool) },
      async (effect, recordOf) => {
        const { signal } = effect;
        const abortSignal = options.abortSignal === undefined ? signal : AbortSignal.any([signal, options.abortSignal]);
        const done = await call(input, { ...options, abortSignal }).catch(recordOf);
        new PieceSink(effect).end(toolCallId, done);
        return done;
      },
      (failure) =>
        scope.run(`${key}/failed`, (effect) => {
          new PieceSink(effect).end(toolCallId, failure);
          return failure;
        }),
    );
    if ("output" in made) return made.output;
    throw new Error("error" in made ? made.error : undefined); // the model gets it, also when the step runs again
  };
  return { ...tool, execute: record as typeof execute };
}
