/** The outcome of a run after a step has failed all its retries: by the policy of the step, or of the groups around it. */
import { type ErrorRecord, type StepFailedEvent, WorkflowError } from "millrace";
import { plainOf, recordError } from "millrace/engine";
import { executionsOf } from "../data/metrics.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import { fromStored } from "../data/stored-output.js";
import { abandon, ask, completeNode, finish, isAbandoned } from "../interpreter/advance.js";
import type { PipelineNode } from "../nodes/node.types.js";
import { identityOf } from "../nodes/node-facts.js";
import { openGroup } from "../output/step-results.js";
import { type PlaceEvent, wayOfType } from "../plan/pipeline-events.js";
import { listOutput } from "../state/group-output.js";
import type { Frame, OwnState, PipelineRunError, Place, Step } from "../state/pipeline-state.types.js";
import { countPause, placeKey } from "../state/review.js";
import type { PipelineCourse } from "./move.js";
import type { CompiledPlan } from "./plan.types.js";

export interface Caught {
  readonly ev: StepFailedEvent;
  /** The node whose core step has failed; null: it was none. */
  readonly failed: PipelineNode | null;
  readonly place: Place;
}

/** Whatever becomes of the run, the failed step is listed where it is. */
export function failedMoves(course: PipelineCourse, plan: CompiledPlan, { ev, failed, place: at }: Caught): Step[] {
  const { state } = course;
  if (failed === null) return fail(course, { ev, failed, place: at });
  if (isAbandoned(state, at)) return [];
  const from = failedPlace(plan, state, { node: failed, place: at });
  const taken = takenBy(plan, state, from);
  const lost = { ...from, ev, attempt: lastAttempt(course, failed, ev) };
  if (taken?.place !== from.place) list(state, lost);
  if (taken === null) return fail(course, { ev, failed, place: at });
  const { node, place } = taken;
  const steps = insideOf(plan, state, place);
  const gone = abandon(course, place, "kept");
  const isSkipped = node.onError === "skip";
  const attempt = taken.place === from.place ? lost.attempt : {};
  const said = isSkipped ? {} : { content: messageOf(ev), skipped: false };
  const output = createOutput({ ...failedOutput(node, ev), ...said, ...attempt, ...steps });
  if (isSkipped) return [...completeNode(course, { place, output }), ...gone];
  countPause(state, placeKey(place));
  const message = `Step '${node.name}' failed: ${messageOf(ev)}`;
  const question = {
    kind: "error",
    message,
    details: { error: messageOf(ev), output },
  } as const;
  return [...ask(course, { node, place, question }), ...gone];
}

interface Lost extends Taken {
  readonly ev: StepFailedEvent;
  readonly attempt: Partial<StepOutput>;
}

/** Lists the output of a failed step at its place. */
function list(state: OwnState, { node, place, ev, attempt }: Lost): void {
  if (Object.values(state.frames).some(({ parent, at }) => parent === place.frame && at === place.at)) return; // it is a group that has outputs
  const output = createOutput({ ...failedOutput(node, ev), content: messageOf(ev), skipped: false, ...attempt });
  listOutput(state.frames[place.frame] as Frame, place.at, output);
}

/** Fields of the output of a failed step: its last attempt moves there from the executions without an output. */
function lastAttempt(
  { state, nowMs }: PipelineCourse,
  { kind }: PipelineNode,
  ev: StepFailedEvent,
): Partial<StepOutput> {
  if (kind !== "step") return {};
  const { visit } = ev.input as PlaceEvent;
  const spent = plainOf(state.discarded);
  const last = spent.findLast((one) => one.visit === visit);
  if (last === undefined) return { endedAtMs: nowMs };
  state.discarded = spent.filter((one) => one !== last);
  const { metrics, endedAtMs = nowMs, steps: executions } = last;
  const steps = (last.outputs ?? []).map(fromStored);
  return { metrics, endedAtMs, steps, ...(executions.length > executionsOf(steps).length && { executions }) };
}

/** What was done in the group at this place. */
function insideOf({ tree }: CompiledPlan, state: OwnState, place: Place) {
  const open = openGroup(plainOf(state.frames), tree, place);
  return open === null ? {} : { steps: open.steps, iterations: open.iterations };
}

/** Between its iterations and after its branches, a group fails as a whole: at the place where it is in the group around it. */
function failedPlace(plan: CompiledPlan, state: OwnState, at: Taken): Taken {
  const frame = state.frames[at.place.frame];
  if (frame?.node !== at.node.id) return at;
  return around(plan, state, at) ?? at;
}

interface Taken {
  readonly node: PipelineNode;
  readonly place: Place;
}

/** The innermost policy that lets the run continue. */
function takenBy(plan: CompiledPlan, state: OwnState, from: Taken): Taken | null {
  for (let here: Taken | null = from; here !== null; here = around(plan, state, here)) {
    if (here.node.onError !== "fail") return here;
  }
  return null;
}

function around({ tree }: CompiledPlan, state: OwnState, { place }: Taken): Taken | null {
  const { node, parent, at } = state.frames[place.frame] as Frame;
  return node === null || parent === null ? null : { node: tree.node(node), place: { frame: parent, at } };
}

function fail({ state, continuations }: PipelineCourse, { ev, failed, place }: Caught): Step[] {
  const { name, code, retryable } = Object(ev.error) as Partial<Record<"name" | "code" | "retryable", unknown>>;
  state.failure = {
    stepName: failed?.name ?? ev.stepName, // as the user calls it: a group is more than one core step
    message: messageOf(ev),
    name: typeof name === "string" ? name : "Error",
    code: typeof code === "string" ? code : null,
    retryable: typeof retryable === "boolean" ? retryable : null,
    isCancelled: false,
    ...carriedBy(ev.error),
  };
  return failed === null ? [finish] : [runsAgainAt({ ev, failed, place }, { state, continuations })];
}

/** What is stored of an error besides, equal in every process: a native one of another process arrives as `STEP_FAILED`. */
function carriedBy(error: unknown): Partial<PipelineRunError> {
  const { hint, details = {}, cause, errors } = withoutStacks(recordError(error));
  const inside = { ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) };
  if (hint === undefined) return inside;
  if (!WorkflowError.is(error, "STEP_FAILED") || error.name === WorkflowError.name) return { ...inside, hint, details };
  return { ...inside, code: typeof details["code"] === "string" ? details["code"] : null };
}

function withoutStacks({ stack: _, cause, errors, ...error }: ErrorRecord): ErrorRecord {
  return {
    ...error,
    ...(cause !== undefined && { cause: withoutStacks(cause) }),
    ...(errors !== undefined && { errors: errors.map(withoutStacks) }),
  };
}

/** The end of the run at this place, from which a retry goes to the failed step. */
export function runsAgainAt(
  { ev, failed, place }: Caught & { readonly failed: PipelineNode },
  { state, continuations }: Pick<PipelineCourse, "state" | "continuations">,
): Step {
  state.reopens ??= {};
  state.reopens[placeKey(place)] = { step: { to: wayTo(ev), node: failed.id }, continuations };
  return { ...finish, ...place };
}

/** By which event the failed core step was entered. */
function wayTo({ input }: StepFailedEvent): Step["to"] {
  const { type } = (Array.isArray(input) ? input[0] : input) as PlaceEvent;
  return wayOfType(type);
}

function failedOutput(node: PipelineNode, ev: StepFailedEvent): StepOutput {
  return createOutput({
    ...identityOf(node),
    content: `Step ${node.name} failed but skipped`,
    success: false,
    error: messageOf(ev),
    skipped: true,
  });
}

export function messageOf({ error }: StepFailedEvent): string {
  if (error instanceof Error) return error.message;
  const { message } = Object(error) as { readonly message?: unknown };
  if (typeof message === "string") return message;
  // Anything may be thrown, also what has no text.
  return typeof error === "object" && error !== null ? "an object that is not an error was thrown" : String(error);
}
