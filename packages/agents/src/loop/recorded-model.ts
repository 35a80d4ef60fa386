import { type LanguageModel, type ModelMessage, wrapLanguageModel } from "ai";
import { type Context, type EffectCall, type EffectOptions, WorkflowError } from "millrace";
import { callOptions, unless } from "../run/call-options.js";
import { brokenStream, modelTimedOut, toFailure } from "../run/failure.js";
import { mergedSettings, overriddenModel, type RequestOverride, readOverride } from "../run/overridden.js";
import { requestToRecord } from "../run/recorded-request.js";
import type { CallPolicies } from "../settings/call-policies.types.js";
import type { AskedOfLoop, ModelPrices, RecordOptions } from "../settings/record.types.js";
import { replacedModel } from "../settings/replaced.js";
import { LiveParts } from "./live-parts.js";
import { paid, type Used } from "./paid-call.js";
import { changedFields } from "./turn.js";
import { type Model, type StreamPart, UniqueIds } from "./unique-ids.js";

type Generated = Awaited<ReturnType<Model["doGenerate"]>>;
type Params = Parameters<Model["doGenerate"]>[0];

type ModelPolicies = CallPolicies & RecordOptions<AskedOfLoop> & { readonly prices: ModelPrices | undefined };

interface AskedModel {
  readonly model: Model;
  readonly params: Params;
}

/** A model whose calls are recorded, by their number. */
export class RecordedModel {
  readonly wrapped: Model;
  readonly #scope: Context;
  readonly #label: string;
  readonly #who: { readonly kind: "agent"; readonly name: string };
  readonly #policies: ModelPolicies;
  readonly #asked = new AskedBefore();
  /** What a fork has put in the place of parts of the requests. */
  #override: RequestOverride = {};
  #count = 0;

  constructor(scope: Context, model: Exclude<LanguageModel, string>, policies: ModelPolicies) {
    this.#scope = scope;
    this.#label = `${model.provider}/${model.modelId}`;
    this.#who = { kind: "agent", name: model.modelId };
    this.#policies = policies;
    this.wrapped = wrapLanguageModel({
      model: replacedModel(model) as Model,
      middleware: {
        specificationVersion: "v4",
        wrapGenerate: ({ model: inner, params }) => this.#generate(inner, params),
        wrapStream: async ({ model: inner, params }) => ({ stream: this.#stream(inner, params) }),
      },
    });
  }

  async #generate(model: Model, params: Params): Promise<Generated> {
    const key = `m${this.#count++}`;
    const { made } = await this.#run(
      key,
      { model, params, options: callOptions(this.#policies, this.#label) },
      async (call, request, used) => {
        const given = await request.model.doGenerate(within(request.params, call));
        const { request: _request, response, ...answer } = given;
        used(tokensIn(answer.usage));
        return { made: { ...answer, content: idsFor(params, key).inAnswer(answer.content), ...identity(response) } };
      },
    );
    return made as Generated;
  }

  #stream(model: Model, params: Params): ReadableStream<StreamPart> {
    const key = `m${this.#count++}`;
    const answer = async (target: ReadableStreamDefaultController<StreamPart>): Promise<void> => {
      const live = new LiveParts(target, idsFor(params, key));
      const { retry } = this.#policies;
      const policies = { ...this.#policies, retry: retry && unless(() => live.isRead, retry) };
      const options = callOptions(policies, this.#label);
      const { parts } = await this.#run(key, { model, params, options }, async (call, request, used) => {
        const { stream } = await request.model.doStream(within(request.params, call));
        const parts = await live.take(stream, call);
        const end = parts.findLast((part) => part.type === "finish");
        if (end !== undefined) used(tokensIn(end.usage));
        if (!hasEnd(parts)) throw brokenStream(this.#who);
        return { parts, ...live.firstOutput() };
      });
      live.finish(parts as readonly StreamPart[]);
    };
    return new ReadableStream({
      start: (target) => {
        answer(target).catch((error: unknown) => target.error(error));
      },
    });
  }

  /** Once for its key, with what was asked. */
  async #run<Answer extends object>(
    key: string,
    { options, ...request }: AskedModel & { readonly options: EffectOptions },
    ask: (call: EffectCall, request: AskedModel, used: (tokens: Used) => void) => Promise<Answer>,
  ): Promise<Answer> {
    const record = await this.#scope
      .run(
        key,
        async (call) => {
          try {
            const override = readOverride(call.override);
            const made = overridden(request, { ...this.#override, ...override });
            const before = override === null ? this.#asked : new AskedBefore();
            const asked = requestToRecord(this.#policies, before.changed(made.params));
            const answer = await this.#paid(made, call, (used) => ask(call, made, used));
            return { asked, ...(override !== null && { override }), ...answer };
          } catch (error) {
            throw call.signal.aborted ? error : toFailure(error, this.#who, call.attempt);
          }
        },
        options,
      )
      .catch((error: unknown) => {
        throw WorkflowError.is(error, "CALL_TIMEOUT") ? modelTimedOut(error, this.#who) : error;
      });
    const { override } = record as { readonly override?: RequestOverride };
    this.#asked.note(overridden(request, { ...this.#override, ...override }).params);
    const { messages: _once, ...rest } = override ?? {}; // the SDK has the conversation
    this.#override = { ...this.#override, ...rest };
    return record;
  }

  #paid<Answer>(
    { model, params: { prompt, tools, maxOutputTokens } }: AskedModel,
    call: EffectCall,
    ask: (used: (tokens: Used) => void) => Promise<Answer>,
  ): Promise<Answer> {
    const request = { reads: [prompt, tools], maxOutputTokens };
    return paid({ ctx: this.#scope, call, model, prices: this.#policies.prices, request, ask });
  }
}

/** A connection that closes early looks like an end without a reason. */
function hasEnd(parts: readonly StreamPart[]): boolean {
  const end = parts.findLast((part) => part.type === "finish");
  if (end === undefined || end.finishReason.unified === "error") return false;
  return end.finishReason.unified !== "other" || end.finishReason.raw !== undefined;
}

function overridden(request: AskedModel, override: RequestOverride): AskedModel {
  const { instructions, messages, settings } = override;
  const { prompt } = request.params;
  const system = instructions === null ? [] : [{ role: "system" as const, content: instructions ?? "" }];
  const params = {
    ...mergedSettings(request.params, settings),
    prompt: [
      ...(instructions === undefined ? prompt.filter(({ role }) => role === "system") : system),
      ...(messages?.map(asPrompt) ?? prompt.filter(({ role }) => role !== "system")),
    ],
  };
  return { model: overriddenModel(request.model, override), params };
}

/** A model of a provider takes texts as parts only. */
function asPrompt({ role, content }: ModelMessage): Params["prompt"][number] {
  return { role, content: typeof content === "string" ? [{ type: "text", text: content }] : content } as never;
}

/** The request, which ends with the call. */
function within(params: Params, { signal }: EffectCall): Params {
  const { abortSignal } = params;
  return { ...params, abortSignal: abortSignal === undefined ? signal : AbortSignal.any([signal, abortSignal]) };
}

function tokensIn({ inputTokens, outputTokens }: Generated["usage"]): Used {
  return { input: inputTokens.total ?? 0, cached: inputTokens.cacheRead, output: outputTokens.total ?? 0 };
}

function identity(response: Generated["response"]): Pick<Generated, "response"> {
  const { id, modelId } = response ?? {};
  return { response: { ...(id !== undefined && { id }), ...(modelId !== undefined && { modelId }) } };
}

function idsFor({ prompt }: Params, place: string): UniqueIds {
  return new UniqueIds(prompt as readonly ModelMessage[], place);
}

/** What was asked, without what is in the records before. */
class AskedBefore {
  #fields: Record<string, unknown> = {};

  changed({
    prompt,
    abortSignal: _signal,
    headers: _headers,
    includeRawChunks: _raw,
    ...settings
  }: Params): AskedOfLoop {
    const before = (this.#fields["prompt"] ?? []) as readonly unknown[];
    const continues = before.length > 0 && JSON.stringify(prompt.slice(0, before.length)) === JSON.stringify(before);
    return { ...changedFields(this.#fields, settings as object), ...(!continues && { prompt }) };
  }

  note({ abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...fields }: Params): void {
    this.#fields = fields as Record<string, unknown>;
  }
}
