/**
 * Code that only some workflows need. What they are written with puts it here: a program that calls `collect()` nowhere does
 * not bundle the code of collect steps.
 *
 * @module
 */
import type { Finding } from "../graph/finding.js";
import type { ResourceMap, ResourceScope } from "../resource/resource.types.js";
import type { ContainerOptions, ResourceContainer } from "../resource/resource-container.js";
import type { CollectTrigger, Definition, JoinTrigger, StepDefinition } from "./definition.js";
import type { Work } from "./reduce/work.js";
import type { Failure, JoinBuffer, Parcel, Scope, WorkItem } from "./state.js";

/** Null: nothing in this program has asked for it yet. */
export const features: {
  /** From `collect()`. */
  collect: CollectFeature | null;
  /** From `join()`. */
  join: JoinFeature | null;
  /** From both: which fan-outs they gather or pair in. */
  fanOuts: FanOutFeature | null;
  /** From `catchError()`. */
  handlers: HandlerFeature | null;
  /** From `many()`. */
  generators: GeneratorFeature | null;
  /** From `resource()`. */
  resources: ResourceFeature | null;
} = { collect: null, join: null, fanOuts: null, handlers: null, generators: null, resources: null };

export type CollectStep = StepDefinition & { readonly trigger: CollectTrigger };
export type JoinStep = StepDefinition & { readonly trigger: JoinTrigger };

export interface CollectFeature {
  /** Puts an event into the batch of its fan-out. False: it is in none that the step gathers. */
  gather(work: Work, step: CollectStep, parcel: Parcel): boolean;
  /** Calls a collect step with what has arrived in a fan-out. */
  fireBatch(work: Work, scope: Scope, name: string): void;
  /** The failure is a member of a batch. False: there is no batch with failures around. */
  settle(work: Work, item: WorkItem, failure: Failure): boolean;
}

export interface JoinFeature {
  arrive(work: Work, step: JoinStep, parcel: Parcel): void;
  /** Says what was left over where nothing can complete it any more. */
  reportLeftovers(work: Work, buffers: Map<string, JoinBuffer>): void;
}

export interface FanOutFeature {
  /** The definition with the collects and joins that belong to each fan-out. */
  complete(definition: Definition): Definition;
  /** @param isChecked Whether a check that can be skipped is not skipped by this step. */
  check(definition: Definition, isChecked: (check: "uncollected", name: string) => boolean): Finding[];
}

export interface HandlerFeature {
  /** Whom error handlers cover. */
  check(steps: readonly StepDefinition[]): Finding[];
}

export interface GeneratorFeature {
  /** Drives the generator that an attempt has returned. */
  run(attempt: object, generator: AsyncGenerator<unknown, unknown>): void;
}

/** A generator under way. */
export interface GeneratorDrive {
  /** Fewer of its elements are unfinished than the buffer holds. */
  pull(): void;
  stop(): void;
}

export interface ResourceFeature {
  open(scope: ResourceScope, parent: ResourceContainer | null, options?: ContainerOptions): ResourceContainer;
  check(resources: ResourceMap): void;
}
