import { APICallError, type LanguageModel, wrapLanguageModel } from "ai";
import type { ExecutorSettings } from "../executor-settings.types.js";
import { retryAfterMs, toFailure } from "./failure.js";

/** The SDK ignores retry delays of a minute or longer: it would call again after seconds and be refused again. */
const longMs = 60_000;

/**
 * Wraps the model so that a retry delay of a minute or longer ends the run at once. The error carries the delay for a
 * retry policy, which waits without holding a connection or a process.
 */
export function refuseLongWaits(settings: Pick<ExecutorSettings, "kind" | "name" | "model">): LanguageModel {
  const { model } = settings;
  if (typeof model === "string") return model; // the SDK resolves names of models itself
  const guard = async <Result>(call: () => PromiseLike<Result>): Promise<Result> => {
    try {
      return await call();
    } catch (error) {
      const isLong = APICallError.isInstance(error) && (retryAfterMs(error.responseHeaders) ?? 0) >= longMs;
      throw isLong ? toFailure(error, settings) : error;
    }
  };
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: ({ doGenerate }) => guard(doGenerate),
      wrapStream: ({ doStream }) => guard(doStream),
    },
  });
}
