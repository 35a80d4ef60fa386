/**
 * The durable calls of a loop that somebody else has written: a language model and tools of the AI SDK whose calls are recorded, so that
 * `generateText`, `streamText` or a `ToolLoopAgent` goes on where it stood when its step runs again.
 *
 * @module
 */
import { type LanguageModel, type ModelMessage, type ToolSet, wrapLanguageModel } from "ai";
import type { Context } from "millrace";
import { toFailure } from "../run/failure.js";
import { messageOf } from "../run/run-events.js";
import { invalid } from "../settings/check-options.js";
import { changedFields } from "./asked.js";
import { LiveParts } from "./live-parts.js";
import { PieceSink } from "./part-sink.js";
import { isStream, plainResult } from "./tools.js";
import { type Model, type StreamPart, UniqueIds } from "./unique-ids.js";

export interface RecordedOptions<Tools extends ToolSet> {
  /** A model of a provider. The name of a model is not enough, because its calls could not be seen. */
  readonly model: Exclude<LanguageModel, string>;
  readonly tools?: Tools;
  /** Tells this loop from others in the step. @default "loop" */
  readonly key?: string;
}

/** To be spread into the options of the loop. */
export interface Recorded<Tools extends ToolSet> {
  readonly model: Exclude<LanguageModel, string>;
  readonly tools: Tools;
  /** 0: a failed call is the failure of the step, whose retries count over restarts. */
  readonly maxRetries: 0;
}

type Generated = Awaited<ReturnType<Model["doGenerate"]>>;

/**
 * Records the calls of a loop of the AI SDK. A model call is found again by its number, a tool call by its id: so the loop makes its
 * model calls one after the other, and the same ones when it runs again.
 *
 * @example
 * const { text } = await generateText({ ...recorded(ctx, { model, tools }), prompt, stopWhen: isStepCount(10) });
 * @throws {WorkflowError} `OPTION_INVALID` for the name of a model.
 */
export function recorded<Tools extends ToolSet = {}>(
  ctx: Context,
  { model, tools, key = "loop" }: RecordedOptions<Tools>,
): Recorded<Tools> {
  if (typeof model === "string")
    throw invalid(`\`model\` is the name ${JSON.stringify(model)}.`, "Give the model of a provider: `openai(name)`.");
  const scope = ctx.scope(key);
  const own = Object.entries((tools ?? {}) as ToolSet).map(([name, tool]) => [name, recordedTool(scope, tool)]);
  return { model: recordedModel(scope, model), tools: Object.fromEntries(own) as Tools, maxRetries: 0 };
}

function recordedModel(scope: Context, model: Exclude<LanguageModel, string>): Model {
  let count = 0;
  const asked = new AskedBefore();
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: async ({ doGenerate, params }) => {
        const name = `m${count++}`;
        const record = scope.run(name, async () => {
          const { request: _request, response, ...made } = await doGenerate();
          const content = idsFor(params, name).inAnswer(made.content);
          return { asked: asked.changed(params), made: { ...made, content, ...identity(response) } };
        });
        const { made } = await record.catch(rethrowFor(model));
        asked.note(params);
        return made as Generated;
      },
      wrapStream: async ({ doStream, params }) => {
        const name = `m${count++}`;
        const stream = new ReadableStream<StreamPart>({
          start: async (target) => {
            const live = new LiveParts(target, idsFor(params, name));
            const record = scope.run(name, async (call) => {
              const parts = await live.take((await doStream()).stream, call);
              return { asked: asked.changed(params), parts };
            });
            try {
              const { parts } = await record.catch(rethrowFor(model));
              asked.note(params);
              live.finish(parts as readonly StreamPart[]);
            } catch (error) {
              target.error(error);
            }
          },
        });
        return { stream };
      },
    },
  });
}

/** The loop of the SDK must not try again: its next call would be another one. */
function rethrowFor({ modelId: name }: Exclude<LanguageModel, string>): (error: unknown) => never {
  return (error) => {
    throw toFailure(error, { kind: "agent", name });
  };
}

function identity(response: Generated["response"]): Pick<Generated, "response"> {
  const { id, modelId } = response ?? {};
  return { response: { ...(id !== undefined && { id }), ...(modelId !== undefined && { modelId }) } };
}

type Params = Parameters<Model["doGenerate"]>[0];

function idsFor({ prompt }: Params, place: string): UniqueIds {
  return new UniqueIds(prompt as readonly ModelMessage[], place);
}

/** What was asked, without what is in the records before. */
class AskedBefore {
  #fields: Record<string, unknown> = {};

  changed({ prompt, abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...settings }: Params): object {
    const before = (this.#fields["prompt"] ?? []) as readonly unknown[];
    const goesOn = before.length > 0 && JSON.stringify(prompt.slice(0, before.length)) === JSON.stringify(before);
    return { ...changedFields(this.#fields, settings as object), ...(!goesOn && { prompt }) };
  }

  note({ abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...fields }: Params): void {
    this.#fields = fields as Record<string, unknown>;
  }
}

function recordedTool(scope: Context, tool: ToolSet[string]): ToolSet[string] {
  const { execute } = tool;
  if (execute === undefined) return tool;
  type Options = Parameters<typeof execute>[1];
  const call = async (input: never, options: Options): Promise<unknown> => {
    const given = execute(input, options);
    return plainResult(isStream(given) ? await lastOf(given) : await given);
  };
  const record = async (input: never, options: Options): Promise<unknown> => {
    const { toolCallId } = options;
    const made = await scope.run(`call/${toolCallId}`, async (effect): Promise<ToolRecord> => {
      const { signal } = effect;
      const abortSignal = options.abortSignal === undefined ? signal : AbortSignal.any([signal, options.abortSignal]);
      const done: ToolRecord = await call(input, { ...options, abortSignal }).then(
        (output) => ({ output }),
        (error: unknown) => {
          if (signal.aborted) throw error;
          return { error: messageOf(error) };
        },
      );
      const sink = new PieceSink(effect);
      if ("error" in done) sink.show({ type: "tool-error", toolCallId, error: done.error });
      else sink.show({ type: "tool-result", toolCallId, output: done.output });
      return done;
    });
    if ("error" in made) throw new Error(made.error); // the model is told, and told the same again
    return made.output;
  };
  return { ...tool, execute: record as typeof execute };
}

type ToolRecord = { readonly output: unknown } | { readonly error: string };

async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of values) last = value;
  return last;
}
