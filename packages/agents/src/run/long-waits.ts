import { APICallError, type LanguageModel, wrapLanguageModel } from "ai";
import type { ExecutorSettings } from "../executor-settings.types.js";
import { retryAfterMs, toFailure } from "./failure.js";

/** From here on the SDK does not wait as long as it is told to: it would call again after seconds, and be refused again. */
const longMs = 60_000;

/**
 * The model, except that being told to wait for a minute or longer ends the run at once. The error says how long to wait:
 * that is for a retry policy, which keeps no connection and no process waiting.
 */
export function refuseLongWaits(settings: Pick<ExecutorSettings, "kind" | "name" | "model">): LanguageModel {
  const { model } = settings;
  if (typeof model === "string") return model; // the SDK looks it up by itself
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
