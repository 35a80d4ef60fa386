/**
 * How much of the request of a model call its record keeps. `"full"`: all of it. `"redacted"`: what `redact` returns; without
 * `redact`, everything but the instructions and the messages. `"off"`: nothing. The answer of the model is always recorded, because a
 * run that resumes continues from it, and so are the results of tools.
 */
export type RecordMode = "full" | "redacted" | "off";

export interface RecordOptions<Asked> {
  /** How much of a request is recorded. The model gets all of it. @default "full", or "redacted" if there is a `redact` */
  readonly record?: RecordMode;
  /** Returns what is recorded of a request. Only with `record: "redacted"`. @default all but instructions and messages */
  readonly redact?: (asked: Asked) => Asked;
}

/** Price of a model, for a million tokens each. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input tokens that the provider has cached. @default that of `input` */
  readonly cacheRead?: number;
}

/** By the id of the model, `"gpt-5-mini"`, or with its provider, `"openai.responses/gpt-5-mini"`. */
export type ModelPrices = { readonly [model: string]: ModelPrice };

/** The request of one call as a model of the AI SDK gets it: `prompt`, `tools`, `temperature` and the like. */
export type AskedOfLoop = { readonly [name: string]: unknown };
