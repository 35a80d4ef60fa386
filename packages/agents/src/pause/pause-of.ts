/**
 * Builds the pause of a run: the questions for a person, and the progress that is needed to continue, as plain data.
 *
 * @module
 */
import type { ExecutorPause, StepMetricsData, ToolAnswer, ToolRequirement } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ActiveRun } from "../run/active-run.types.js";
import { totalMetrics } from "../run/metrics.js";
import type { PausedCall, PausedMember, PausedState } from "../settings/paused-state.types.js";

export interface PausedPart {
  /** Messages after the input. */
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly PausedCall[];
  /** Answers to some of `calls`, kept until no member waits. */
  readonly answers: readonly ToolAnswer[];
  readonly metrics: { readonly own: StepMetricsData; readonly total: StepMetricsData };
}

export function pauseOf(run: ActiveRun, { messages, calls, answers, metrics }: PausedPart): ExecutorPause {
  const { settings, job } = run;
  const state: PausedState = {
    version: 1,
    executorId: settings.id,
    runId: job.runId,
    createdAtMs: job.createdAtMs,
    idempotencyKey: job.idempotencyKey,
    input: job.input ?? null,
    media: job.media,
    history: job.history,
    messages: withoutWaiting(messages, run.waiting),
    modelCalls: run.before.modelCalls + run.calls.length,
    metrics: metrics.own,
    totalMetrics: metrics.total,
    madeMedia: run.media,
    tools: run.tools,
    memberRuns: run.members,
    keyCounts: run.keys.counts,
    calls,
    members: run.waiting,
    answers,
  };
  const plain = JSON.parse(JSON.stringify(state)) as PausedState; // errors of members become plain, too: they have a `toJSON`
  return { requirements: requirementsOf(plain), state: plain };
}

/** Metrics of the run's own model calls, before and after a pause. */
export function ownMetrics(run: ActiveRun, durationSeconds: number): StepMetricsData {
  return { ...totalMetrics([run.before.metrics, ...run.calls]), duration: durationSeconds };
}

/**
 * Lists the questions for a person. The id of a member's question starts with the id of the leader's call, because ids
 * of different members may be equal.
 */
export function requirementsOf({ calls, answers, members }: PausedState): ToolRequirement[] {
  const isOpen = ({ toolCallId }: PausedCall) => answers.every((answer) => answer.toolCallId !== toolCallId);
  const own = calls.filter(isOpen).map(({ toolCallId, toolName, toolArgs }) => ({ toolCallId, toolName, toolArgs }));
  return [...own, ...members.flatMap(memberRequirements)];
}

function memberRequirements(member: PausedMember): ToolRequirement[] {
  return member.pause.requirements.map((requirement) => ({
    ...requirement,
    toolCallId: memberCallId(member, requirement.toolCallId),
  }));
}

export function memberCallId({ toolCallId }: PausedMember, inner: string): string {
  return `${toolCallId}/${inner}`;
}

/** Removes the placeholder answers that the SDK wrote into the last message for members that still wait. */
function withoutWaiting(messages: readonly ModelMessage[], waiting: readonly PausedMember[]): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "tool") return messages;
  const isWaiting = (id: string) => waiting.some(({ toolCallId }) => toolCallId === id);
  const content = last.content.filter((part) => part.type !== "tool-result" || !isWaiting(part.toolCallId));
  return [...messages.slice(0, -1), ...(content.length === 0 ? [] : [{ ...last, content }])];
}
