import { CountingState, mergeValues } from "@millrace/pipeline/executor";
import type { StepRequest } from "../settings/executor.types.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import { createRunContext, fillMissing } from "../state/live-state.js";
import type { SessionAccess } from "./loop-run.types.js";

interface Facts extends Pick<RunContext, "runId" | "sessionId" | "userId" | "dependencies" | "metadata"> {
  /** Values for keys that the state lacks. */
  readonly template: SessionState;
}

/**
 * The session state of the caller, which everything in its run shares. What a call changes is stored with its result, so each call sets
 * the defaults of the agent, too.
 */
export function callerSession(request: StepRequest, { template, ...facts }: Facts): SessionAccess {
  return {
    use({ signal }, work) {
      const own = request.callContext?.({ signal });
      const holder = own ?? request;
      if (Object.keys(template).length > 0) fillMissing(holder.sessionState, template);
      const lazily = {
        get state() {
          return holder.sessionState;
        },
        get edits() {
          return new CountingState(holder.sessionState, holder.sessionState);
        },
      };
      const all = Object.defineProperties({ ...facts, signal }, Object.getOwnPropertyDescriptors(lazily));
      return work(
        createRunContext(all as typeof facts & typeof lazily & { signal: AbortSignal }, own ?? request.runContext),
      );
    },
    as: (settings) => {
      const given = Object.keys(facts.dependencies).length > 0;
      return callerSession(request, {
        ...facts,
        dependencies: given ? facts.dependencies : settings.dependencies,
        metadata: mergeValues(facts.metadata, settings.metadata),
        template: { ...settings.sessionState, ...template },
      });
    },
  };
}
