import { CountingState } from "@millrace/executor";
import type { StepRequest } from "../settings/executor.types.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import { createRunContext, fillMissing, plainState, type RunFacts, valuesFor } from "../state/live-state.js";
import type { SessionAccess } from "./loop-run.types.js";

interface Facts extends RunFacts {
  /** Values for keys that the state lacks. */
  readonly defaults: SessionState;
}

/**
 * The session state of the caller, which everything in its run shares. The caller ends a call with what the call has changed, so each
 * call sets the defaults of the agent, too.
 */
export function callerSession(request: StepRequest, { defaults, ...facts }: Facts): SessionAccess {
  const contextOf = (own: RunContext | undefined, signal: AbortSignal): RunContext => {
    const holder = own ?? request;
    if (Object.keys(defaults).length > 0) fillMissing(holder.sessionState, defaults);
    const lazily = {
      ...facts,
      signal,
      get state() {
        return holder.sessionState;
      },
      get edits() {
        return new CountingState(holder.sessionState, holder.sessionState);
      },
    };
    return createRunContext(lazily, own ?? request.runContext);
  };
  return {
    use: async ({ call }, work) => work(contextOf(request.callContext?.(call), call.signal)),
    between: async ({ signal }) => ({ context: contextOf(undefined, signal), keep: (_call, result) => result }),
    read: async () => plainState(request.sessionState),
    as: (settings) =>
      callerSession(request, {
        ...facts,
        ...valuesFor(settings, facts),
        defaults: { ...settings.sessionState, ...defaults },
      }),
  };
}
