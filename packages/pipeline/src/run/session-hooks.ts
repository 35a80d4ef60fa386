/** What a run reads from its session at the start, and saves in it at the end. */

import {
  addMetrics,
  emptyMetrics,
  metricsSince,
  recordAtStart,
  type SessionReducers,
  type StepMetricsData,
  startState,
} from "@millrace/executor";
import { type StandardSchema, WorkflowError } from "millrace";
import { recordsOf, type StepRecords } from "millrace/runtime";
import { defined } from "../data/defined.js";
import { type HistoryRun, historyWindow } from "../data/history-text.js";
import { usageOfRun } from "../data/metrics.js";
import type { SessionMetricsData } from "../data/metrics.types.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import { contentOf, type RunFacts, runOutput } from "../output/run-output.js";
import type { PipelineRunOutput, PipelineStatus } from "../output/run-output.types.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import { enterSession, type RunSessionEnd, readSession, saveSession } from "../session/run-session.js";
import { newSessionOf, type SessionRecord, withRun } from "../session/session-record.js";
import type { PipelineState, PreparedInside, RunRequest } from "../state/pipeline-state.types.js";
import type { GivenRequest, PipelineHooks, StepCtx } from "../steps/plan.types.js";
import { validateInput, validateOutput } from "./schemas.js";

export interface SessionSetup {
  readonly pipeline: PipelineIdentity;
  readonly tree: PipelineTree;
  /** Initial state of a new session. */
  readonly template: Readonly<Record<string, unknown>>;
  readonly overwrite: boolean;
  readonly reducers: SessionReducers;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How to read earlier runs, and how many: `null` for all. */
  readonly history: { readonly count: number | null; readonly read: ReadRun };
  readonly inputSchema: StandardSchema | null;
  readonly outputSchema: StandardSchema | null;
}

/** Reads a run of one tenant, because other tenants may have a run with this id. */
type ReadRun = (runId: string, tenant: string) => Promise<PipelineRunOutput>;

export function sessionHooks(setup: SessionSetup): PipelineHooks {
  const { pipeline, tree, template, overwrite } = setup;
  return {
    async prepare(ctx, asked) {
      const { given, ...request } = asked as GivenRequest;
      if (request.nesting !== null) return beginInside(setup, request);
      const records = recordsIn(ctx);
      const stored = records && (await readSession(records, request));
      const startedAtMs = Date.now();
      const session = startState({ template, given, overwrite, stored: stored?.state ?? null });
      const sessionAtStart = stored?.state ?? template;
      const history = records !== null && stored !== null ? await historyOf(setup, stored, records.tenant) : [];
      if (records !== null) {
        const run = { runId: ctx.runId, pipelineId: pipeline.id, status: "RUNNING", createdAtMs: startedAtMs };
        await enterSession(records, stored, { session: newSessionOf(request, setup), run, nowMs: startedAtMs });
      }
      return {
        request,
        startedAtMs,
        history,
        session,
        sessionAtStart,
        lists: given === null ? {} : recordAtStart(sessionAtStart, session),
      };
    },
    async finish(ctx, state, how) {
      const status = how === "ended" ? endStatus(state) : "CANCELLED";
      const facts = checked(setup, { runId: ctx.runId, pipeline, tree, state, status, nowMs: Date.now() });
      const records = state.request.nesting === null && how !== "unbegun" ? recordsIn(ctx) : null;
      const output = runOutput({ ...facts, sessionState: state.session });
      if (records === null) return { output, saved: null };
      try {
        const tallied = usageOfRun(output.metrics);
        const saved = await saveSession(records, leaving(setup, facts, tallied));
        return { output: { ...output, sessionState: saved.state }, saved: { session: { ...saved.state }, tallied } };
      } catch (error) {
        if (!isForGood(error)) throw error;
        return { output: runOutput({ ...failed(facts, error), sessionState: state.session }), saved: null };
      }
    },
  };
}

type EndFacts = Omit<RunFacts, "sessionState">;

/** Replaces the content by what the output schema returns. */
function checked({ pipeline, outputSchema }: SessionSetup, facts: EndFacts): EndFacts {
  if (outputSchema === null || facts.status !== "COMPLETED") return facts;
  try {
    return { ...facts, content: validateOutput(pipeline.name, outputSchema, contentOf(facts)) };
  } catch (error) {
    if (!WorkflowError.is(error, "OUTPUT_INVALID")) throw error;
    return failed(facts, error);
  }
}

const isForGood = (error: unknown): error is WorkflowError =>
  WorkflowError.is(error, "SESSION_FOREIGN") || WorkflowError.is(error, "STEP_RESULT_INVALID");

/**
 * Makes the run fail when its session meanwhile belongs to another user, when a reducer fails, or when the content is
 * invalid: running again would not help.
 */
function failed(facts: EndFacts, { name, code, message }: WorkflowError): EndFacts {
  const failure = { stepName: null, name, code, message, retryable: false, isCancelled: false };
  return { ...facts, state: { ...facts.state, failure }, status: "ERROR" };
}

/** Inside of another pipeline, uses that pipeline's session state and adds the keys of the template that it lacks. */
function beginInside({ template, pipeline, inputSchema }: SessionSetup, request: RunRequest): PreparedInside {
  const input = validateInput(pipeline.name, inputSchema, request.input);
  return { request: { ...request, input }, startedAtMs: Date.now(), template };
}

function endStatus({ failure }: PipelineState): PipelineStatus {
  if (failure === null) return "COMPLETED";
  return failure.isCancelled ? "CANCELLED" : "ERROR";
}

/** Completed runs of this pipeline, oldest first. Deleted runs are left out. */
async function historyOf(
  { history, pipeline }: SessionSetup,
  { runs }: SessionRecord,
  tenant: string,
): Promise<HistoryRun[]> {
  const { count, read } = history;
  const completed = runs.filter(({ status, pipelineId }) => status === "COMPLETED" && pipelineId === pipeline.id);
  const found = await Promise.all(
    historyWindow(completed, count).map(({ runId }) =>
      read(runId, tenant).then(
        ({ input, content }): HistoryRun => ({ ...defined("input", input), ...defined("content", content) }),
        (error: unknown) => {
          if (WorkflowError.is(error, "RUN_UNKNOWN")) return null;
          throw error;
        },
      ),
    ),
  );
  return found.filter((run) => run !== null);
}

/** `null` when the workflow runs without a runtime, as in a test: then there are no sessions. */
function recordsIn(ctx: StepCtx): StepRecords | null {
  try {
    return recordsOf(ctx as never);
  } catch (error) {
    if (WorkflowError.is(error, "RUNTIME_REQUIRED")) return null;
    throw error;
  }
}

/** @param tallied What the session has of the run already, from an end before it was continued. */
function sumWith(
  session: SessionMetricsData | null,
  usage: SessionMetricsData,
  tallied: StepMetricsData | undefined,
): SessionMetricsData {
  const sum = addMetrics(session ?? emptyMetrics, usage);
  return tallied === undefined ? sum : metricsSince(tallied, sum);
}

/** What the run saves in its session. */
function leaving(setup: SessionSetup, facts: EndFacts, usage: SessionMetricsData): RunSessionEnd {
  const { runId, state, status, nowMs } = facts;
  const run = { runId, pipelineId: setup.pipeline.id, status, createdAtMs: state.startedAtMs };
  return {
    session: newSessionOf(state.request, setup),
    base: state.sessionAtStart,
    state: state.session,
    counted: state.counted,
    lists: state.lists,
    reducers: setup.reducers,
    change: (stored) => ({ ...withRun(stored, run), metrics: sumWith(stored.metrics, usage, state.tallied) }),
    nowMs,
  };
}
