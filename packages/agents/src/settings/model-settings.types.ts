import type { LanguageModelCallOptions, ModelMessage } from "ai";

/** Temperature, token limits and the like, as the AI SDK takes them. */
export type ModelSettings = LanguageModelCallOptions & {
  readonly headers?: Record<string, string>;
  readonly providerOptions?: NonNullable<ModelMessage["providerOptions"]>;
};
