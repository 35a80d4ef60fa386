/** A run as a task. */
import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { resultEnvelope, toPrompt, type WorkflowCatalog } from "@millrace/server/door";
import { type PendingPrompt, QuestionEvent, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import type { QuestionData } from "../message/question.types.js";
import { isoTime } from "../system.js";
import { dataPart, isFields, textPart } from "../wire/parts.js";
import { Artifacts, type MapEvent, resultArtifact } from "./artifacts.js";
import type { EndedOutcome, Standing } from "./task-state.js";

export interface ShowOptions {
  readonly catalog: WorkflowCatalog;
  readonly map: MapEvent | undefined;
  /** Text of the error of a failed run. */
  readonly errorText: (error: unknown) => string;
}

/** Name of the label with the context of a task, which only runs of this door have. */
export const contextLabel = "a2a.context";

/** Lists find tasks by it: lists of runs cannot ask whether a label is there. */
export const taskLabel: { readonly name: string; readonly value: string } = { name: "a2a", value: "task" };

export function taskOf(standing: Standing, artifacts: Artifact[], options: ShowOptions): Task {
  const { runId, labels } = standing.summary;
  const contextId = labels[contextLabel] ?? runId;
  return { id: runId, contextId, status: statusOf(standing, options), artifacts, history: [], metadata: undefined };
}

export function statusOf(standing: Standing, options: ShowOptions): TaskStatus {
  const { state, summary } = standing;
  const parts = statusParts(standing, options);
  const { runId: taskId, labels } = summary;
  const ids = { messageId: `${taskId}.${messageKey(standing)}`, taskId, contextId: labels[contextLabel] ?? taskId };
  const message: Message = {
    ...ids,
    role: Role.ROLE_AGENT,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { state, timestamp: isoTime(sinceMs(standing)), message: parts.length === 0 ? undefined : message };
}

/** Since when it stands so: a run that is only loaded again has not changed. */
function sinceMs({ summary, prompts }: Standing): number {
  const asked = prompts.map(({ askedAtMs }) => askedAtMs);
  return asked.length > 0 ? Math.max(...asked) : (summary.endedAtMs ?? summary.updatedAtMs);
}

/** Equal for equal states, so that a task that is read twice has the same message. */
function messageKey({ prompts, outcome }: Standing): string {
  return outcome === null ? prompts.map(({ promptId }) => promptId).join(".") : outcome.status;
}

function statusParts({ summary, prompts, outcome }: Standing, options: ShowOptions): Part[] {
  if (outcome === null) return prompts.flatMap((prompt) => questionParts(prompt, summary.workflow, options));
  if (outcome.status === "completed") return [];
  if (outcome.status === "cancelled") {
    const reason = typeof outcome.reason === "string" ? outcome.reason : "";
    return reason === "" ? [] : [textPart(reason)];
  }
  const error = outcome.status === "failed" ? outcome.error : null;
  const code = error === null ? "RUN_TIMED_OUT" : WorkflowError.is(error) ? error.code : "STEP_FAILED";
  return [textPart(error === null ? code : options.errorText(error)), dataPart({ code })];
}

function questionParts(prompt: PendingPrompt, workflow: string, options: ShowOptions): Part[] {
  const data = questionOf(prompt, workflow, options);
  return [textPart(data.title), { ...dataPart(data), metadata: { promptId: prompt.promptId } }];
}

export function questionOf(prompt: PendingPrompt, workflow: string, { catalog }: ShowOptions): QuestionData {
  const { event, answer } = toPrompt(prompt, catalog.find(workflow));
  const { promptId, dueAtMs } = prompt;
  const asked = QuestionEvent.is(prompt.event)
    ? { title: prompt.event.title, details: prompt.event.details ?? null }
    : { title: prompt.event.type, details: event.value };
  const schema = (answer?.schema ?? null) as QuestionData["schema"];
  return { promptId, ...asked, schema, expiresAt: dueAtMs === null ? null : isoTime(dueAtMs) };
}

/** The parts of the result; none without a result. */
export function resultParts(result: unknown, workflow: string, { catalog }: ShowOptions): Part[] {
  const { type, value } = resultEnvelope(result, catalog.find(workflow)?.types ?? []);
  const said = type === "StopEvent" && isFields(value) ? value["result"] : value;
  if (said === null || said === undefined) return [];
  if (typeof said === "string") return [textPart(said)];
  const content = isFields(said) ? said["content"] : undefined;
  // The outcome of an agent: its answer, without what it has cost.
  if (isFields(said) && "finishReason" in said && "agent" in said && content !== undefined)
    return [typeof content === "string" ? textPart(content) : dataPart(content)];
  return [dataPart(said)];
}

/** The artifacts of a run as they are now. A result is read without the stream, unless events are shown besides. */
export async function artifactsOf(handle: RunHandle, standing: Standing, options: ShowOptions): Promise<Artifact[]> {
  const { summary, outcome } = standing;
  const result = outcomeParts(outcome, summary.workflow, options);
  if (result.length > 0 && options.map === undefined) return [resultArtifact(result)];
  const artifacts = new Artifacts(options.map);
  if (summary.lastEvent >= 0)
    for await (const streamed of handle.streamEvents()) {
      artifacts.take(streamed);
      if (streamed.sequence >= summary.lastEvent) break;
    }
  artifacts.finish(result);
  return artifacts.list();
}

export function outcomeParts(outcome: EndedOutcome | null, workflow: string, options: ShowOptions): Part[] {
  return outcome?.status === "completed" ? resultParts(outcome.result, workflow, options) : [];
}

export const isOver = ({ outcome }: Standing): boolean => outcome !== null;

export const needsInput = ({ state }: Standing): boolean => state === TaskState.TASK_STATE_INPUT_REQUIRED;
