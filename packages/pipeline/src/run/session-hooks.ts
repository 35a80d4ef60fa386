/** How a run begins in its session, and what it leaves there. */
import { WorkflowError } from "millrace";
import { recordsOf, type StepRecords } from "millrace/runtime";
import type { PipelineHooks, StepCtx } from "../compile/compile-pipeline.js";
import type { PipelineState, RunRequest } from "../compile/pipeline-state.types.js";
import type { PipelineIdentity } from "../compile/run-context.js";
import type { HistoryRun } from "../data/history-text.js";
import { deepMerge, startState } from "../session/merge-states.js";
import { openSession, saveSession } from "../session/run-session.js";
import { type SessionRecord, withRun } from "../session/session-record.js";
import { runOutput } from "./run-output.js";
import type { PipelineRunOutput } from "./run-output.types.js";

export interface SessionSetup {
  readonly pipeline: PipelineIdentity;
  /** What the state of a new session begins with. */
  readonly template: Readonly<Record<string, unknown>>;
  readonly overwrite: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** An earlier run; null: nobody asks for history. */
  readonly historyOf: (runId: string) => Promise<PipelineRunOutput> | null;
}

type Given = RunRequest & { readonly given: Readonly<Record<string, unknown>> | null };

export function sessionHooks(setup: SessionSetup): PipelineHooks {
  const { pipeline, template, overwrite, metadata } = setup;
  const sessionOf = ({ sessionId, userId }: RunRequest) => ({
    sessionId,
    userId,
    pipelineId: pipeline.id,
    pipelineName: pipeline.name,
    metadata,
  });
  return {
    async prepare(ctx, asked) {
      const { given, ...request } = asked as Given;
      const states = { template, given, overwrite };
      if (request.shared !== null) return beginShared(setup, request, request.shared);
      const records = recordsIn(ctx);
      const opened =
        records && (await openSession(records, { session: sessionOf(request), nowMs: Date.now(), ...states }));
      return {
        request,
        history: opened?.stored ? await historyOf(setup, opened.stored) : [],
        session: opened?.state ?? startState({ ...states, stored: null }),
        sessionAtStart: opened?.stored?.state ?? template,
        failure: null,
      };
    },
    async finish(ctx, state) {
      const status = state.failure === null ? "COMPLETED" : "ERROR";
      const facts = { runId: ctx.runId, pipeline, state, status } as const;
      const records = state.request.shared === null ? recordsIn(ctx) : null;
      const saved = records && (await save(records, { ...facts, session: sessionOf(state.request) }));
      return runOutput({ ...facts, sessionState: saved?.state ?? state.session });
    },
  };
}

/** Inside another pipeline: what it has comes first, the template gives what it lacks. */
function beginShared({ template }: SessionSetup, request: RunRequest, shared: Readonly<Record<string, unknown>>) {
  return {
    request,
    history: [],
    session: deepMerge(template, shared),
    sessionAtStart: shared,
    failure: null,
  };
}

interface Leaving {
  readonly runId: string;
  readonly status: string;
  readonly state: PipelineState;
  readonly session: Parameters<typeof saveSession>[1]["session"];
}

function save(records: StepRecords, { runId, status, state, session }: Leaving): Promise<SessionRecord> {
  const nowMs = Date.now();
  return saveSession(records, {
    session,
    base: state.sessionAtStart,
    state: state.session,
    change: (stored) => withRun(stored, { runId, status, createdAtMs: nowMs }),
    nowMs,
  });
}

/** Runs that ended well, the oldest first. Those that were deleted since are no more. */
async function historyOf(setup: SessionSetup, { runs }: SessionRecord): Promise<HistoryRun[]> {
  const found = await Promise.all(
    runs
      .filter(({ status }) => status === "COMPLETED")
      .map(({ runId }) =>
        setup.historyOf(runId)?.then(
          ({ input, content }): HistoryRun => ({ input, content }),
          (error: unknown) => {
            if (WorkflowError.is(error, "RUN_UNKNOWN")) return null;
            throw error;
          },
        ),
      ),
  );
  return found.filter((run) => run !== null && run !== undefined);
}

/** Null: the workflow runs without a runtime, as in a test, and there are no sessions. */
function recordsIn(ctx: StepCtx): StepRecords | null {
  try {
    return recordsOf(ctx as never);
  } catch (error) {
    if (WorkflowError.is(error, "RUNTIME_REQUIRED")) return null;
    throw error;
  }
}
