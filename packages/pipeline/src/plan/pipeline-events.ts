/**
 * The core events of pipelines: one class per place of a run, events for readers, questions to people
 * with their answers, and the wish to stop a run.
 *
 * @module
 */
import {
  type EventClass,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  type StandardSchema,
  type WorkflowEvent,
} from "millrace";
import type { RunListing } from "millrace/runtime";
import type { StoredEvent } from "../data/stored-event.js";
import type { RequirementData } from "../human/requirement.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { Move, Step } from "../state/pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";
import { madeHere } from "./trusted-request.js";

/** A schema for plain data that is made here, or checked elsewhere. */
const anything: StandardSchema = {
  "~standard": { version: 1 as const, vendor: "millrace", validate: (value: unknown) => ({ value }) },
};

/** A class of events that are made with these of their fields. */
type ClassOf<Event extends WorkflowEvent, Fields extends keyof Event> = EventClass<Event> &
  (new (
    fields: Pick<Event, Fields>,
  ) => Event);

/** Shown to readers of the stream: an event of the pipeline's own catalogue. */
interface ShownEvent extends WorkflowEvent, StoredEvent {}

export const PipelineStreamEvent: ClassOf<ShownEvent, keyof StoredEvent> = event("pipeline.shown", {
  name: anything,
  output: anything,
  afterMs: anything,
  data: anything,
}) as never;

type Target = Pick<Step, "to" | "node">;

export interface PlaceEvent extends WorkflowEvent {
  readonly frame: string;
  readonly at: number;
  readonly visit: number;
}

export class PipelineEvents {
  /** By where it leads, and the id of the node. */
  readonly #classes: Map<Step["to"], Map<string, EventClass>> = new Map();
  readonly #tree: PipelineTree;

  constructor(tree: PipelineTree) {
    this.#tree = tree;
  }

  typeOf({ to, node }: Target): string {
    return placeType(to, node === "" ? null : this.#tree.node(node));
  }

  of(target: Target): EventClass {
    const { to, node } = target;
    const known = this.#classes.get(to)?.get(node);
    if (known !== undefined) return known;
    const made = event(this.typeOf(target), {
      frame: anything,
      at: anything,
      visit: anything,
    }) as unknown as EventClass;
    this.#classes.set(to, (this.#classes.get(to) ?? new Map()).set(node, made));
    return made;
  }

  make(move: Move): WorkflowEvent {
    const { frame, at, visit } = move;
    return new (this.of(move) as new (fields: object) => WorkflowEvent)({ frame, at, visit });
  }
}

/** Contains the name, for the error about a step that is missing. */
function placeType(to: Step["to"], node: PipelineNode | null): string {
  return node === null ? `pipeline.${to}` : `pipeline.${to} ${node.id} ${node.name}`;
}

/** Step of this event type; `null` if it belongs to no step. */
export function stepOfType(type: string): string | null {
  return /^pipeline\.\w+ [\d.]+ (.*)$/s.exec(type)?.[1] ?? null;
}

/** How an event of this type leads to its step. */
export function wayOfType(type: string): Step["to"] {
  return (/^pipeline\.(\w+)/.exec(type)?.[1] ?? "enter") as Step["to"];
}

export interface HumanPromptEvent extends WorkflowEvent {
  readonly requirement: RequirementData;
  /** What was wrong with the answer before; empty the first time. */
  readonly problems: readonly string[];
}

/** A question of a pipeline. Answer its prompt with `{ decision }`. */
export const HumanPrompt: ClassOf<HumanPromptEvent, "requirement" | "problems"> = InputRequiredEvent.define(
  "pipeline.question",
  { requirement: anything, problems: anything },
) as never;

export interface HumanAnswerEvent extends WorkflowEvent {
  readonly decision: unknown;
}

/** The answer; the step that asks checks it. */
export const HumanAnswer: ClassOf<HumanAnswerEvent, "decision"> = HumanResponseEvent.define("pipeline.answer", {
  decision: anything,
}) as never;

interface CancelFields {
  /** A text. */
  readonly reason?: string | null;
  /** Facts about the run, for the output of a run that has not begun. Only `cancel` of a run sets it. @internal */
  readonly run?: Pick<RunListing, "labels" | "createdAtMs">;
}

export interface PipelineCancelEvent extends WorkflowEvent, CancelFields {}

/** It may come from outside. */
const cancelFields: StandardSchema = {
  "~standard": {
    version: 1 as const,
    vendor: "millrace",
    validate(given: unknown) {
      const { reason = null, run } = given as { readonly reason?: unknown; readonly run?: unknown };
      const known = madeHere(run);
      const issues = [
        ...(reason === null || typeof reason === "string" ? [] : [{ message: "it is not a string", path: ["reason"] }]),
        ...(run === undefined || known !== null ? [] : [{ message: "unknown field", path: ["run"] }]),
      ];
      return issues.length > 0 ? { issues } : { value: { reason, ...(known !== null && { run: known }) } };
    },
    jsonSchema: { input: () => ({ type: "object", properties: { reason: { type: ["string", "null"] } } }) },
  } as StandardSchema["~standard"],
};

/** Stops the run that it is sent to. What was done stays, in its output and in its session, in one commit. */
export const PipelineCancel: ClassOf<PipelineCancelEvent, keyof CancelFields> = ExternalEvent.define(
  "pipeline.cancel",
  cancelFields as never,
) as never;
