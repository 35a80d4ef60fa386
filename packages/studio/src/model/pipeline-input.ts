/**
 * What a step of a pipeline was given, from the state at the tick that started it: the event of the step only names its place.
 *
 * @module
 */
import type { Json } from "../api/json.types.js";
import { jsonOf } from "../api/plain-json.js";

/** Where a step is in a run: a group that is open, and the step's position in it. */
export interface PipelinePlace {
  readonly runId: string;
  readonly frame: string;
  readonly at: number;
}

export interface PipelineInput {
  /** Input of the run. */
  readonly input: Json;
  /** Content of the step before; `undefined` for the first step. */
  readonly previous: Json | undefined;
  /** What people have answered before the step; `null` for nothing. */
  readonly people: Json;
}

/** `null` where the state is not that of a pipeline at this place. */
export function pipelineInputOf(state: unknown, place: PipelinePlace): PipelineInput | null {
  const own = ownState(state, place.runId);
  if (own?.request === undefined || own.frames?.[place.frame] === undefined) return null;
  const last = lastOutput(own, place.frame);
  const { userInput = null, feedback = null } = own.reviews?.[`${place.frame}:${place.at}`] ?? {};
  return {
    input: jsonOf(own.query ?? own.request.input),
    previous: last === null ? undefined : jsonOf(contentOf(last)),
    people: jsonOf(userInput ?? feedback),
  };
}

/** Nested pipelines keep their states in that of the outermost. */
function ownState(state: unknown, runId: string): OwnState | undefined {
  const family = state as (OwnState & { readonly nested?: Readonly<Record<string, OwnState>> }) | null | undefined;
  return family?.nested?.[runId] ?? family ?? undefined;
}

function lastOutput(state: OwnState, key: string): Output | null {
  const frame = state.frames?.[key];
  if (frame === undefined) return null;
  const outputs = (frame.outputs ?? []).flat();
  // Branches of a Parallel do not see each other: those that are at work have no output yet.
  const isParallel = outputs.includes(null);
  const start = frame.forwards === true ? 0 : ((frame.starts ?? []).flat().at(-1) ?? 0);
  const seen = isParallel ? [] : outputs.slice(start);
  const last = seen.findLast((output) => output !== null && hasRun(output)) ?? null;
  return last ?? (frame.parent == null ? null : lastOutput(state, frame.parent));
}

const groups: ReadonlySet<string> = new Set(["Steps", "Loop", "Parallel", "Condition", "Router"]);

function hasRun({ skipped, stepType = "Step", steps = [] }: Output): boolean {
  return skipped !== true && (!groups.has(stepType) || steps.some(hasRun));
}

/** Of a group, the content of its last step that has run; of a Parallel, that of each branch by its name. */
function contentOf({ stepType = "Step", steps = [], content }: Output): unknown {
  if (content !== undefined && !isPassedOn(stepType)) return content;
  if (stepType === "Parallel")
    return Object.fromEntries(steps.filter(hasRun).map((one) => [nameOf(one), contentOf(one)]));
  const last = steps.findLast(hasRun);
  return last === undefined ? content : contentOf(last);
}

/** The content of such a group is a sentence about it. */
function isPassedOn(stepType: string): boolean {
  return groups.has(stepType) && stepType !== "Parallel";
}

function nameOf({ stepName, function: name }: Output): string {
  return stepName ?? name ?? "";
}

/** Name and content of the output of a step; `null` for that of a group, of a skipped step, and for anything else. */
export function contentOfStep(output: Output): { readonly name: string; readonly content: unknown } | null {
  const { stepType = "Step", skipped, content } = output;
  if (nameOf(output) === "" || skipped === true || groups.has(stepType) || content === undefined) return null;
  return { name: nameOf(output), content };
}

/** As pipelines keep them. */
interface Output {
  readonly stepName?: string;
  readonly function?: string;
  readonly stepType?: string;
  readonly content?: unknown;
  readonly skipped?: boolean;
  readonly steps?: readonly Output[];
}

interface OwnState {
  readonly request?: { readonly input?: unknown };
  readonly query?: unknown;
  readonly frames?: Readonly<Record<string, Frame>>;
  readonly reviews?: Readonly<Record<string, { readonly userInput?: unknown; readonly feedback?: unknown }>>;
}

interface Frame {
  readonly parent?: string | null;
  readonly outputs?: readonly (readonly (Output | null)[])[];
  readonly starts?: readonly (readonly number[])[];
  readonly forwards?: boolean;
}

/**
 * The state of a pipeline as its author knows it: the session, and the output of each step that has one. The rest is how the pipeline
 * keeps its place. `null` for any other state.
 */
export function pipelineStateOf(state: unknown): PipelineView | null {
  const { session, ...internals } = (state ?? {}) as OwnState & { readonly session?: unknown };
  if (internals.request === undefined || internals.frames === undefined || session === undefined) return null;
  const outputs = new Map<string, Json>();
  const add = (output: Output | null): void => {
    if (output === null || output.skipped === true) return;
    const step = contentOfStep(output);
    if (step !== null) outputs.set(step.name, jsonOf(step.content));
    for (const inner of output.steps ?? []) add(inner);
  };
  for (const frame of Object.values(internals.frames)) for (const output of (frame.outputs ?? []).flat()) add(output);
  return { session, outputs: Object.fromEntries(outputs), internals };
}

export interface PipelineView {
  readonly session: unknown;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Everything else, under the names of the state. */
  readonly internals: object;
}
