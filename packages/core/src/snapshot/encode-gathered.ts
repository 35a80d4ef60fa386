/**
 * Encodes what only a program with `many()`, `collect()` or `join()` has in a run: fan-outs, batches and sets. These three register
 * it, so that other programs do not bundle it.
 *
 * @module
 */

import type { GatheredInput } from "../engine/optional-modules.js";
import type { Arrival, FanOutState, JoinBuffer } from "../engine/state.js";
import type {
  EncodedArrival,
  EncodedInput,
  EncodedJoin,
  EncodedScope,
  PartEncoder,
  SnapshotFeature,
} from "./format.js";
import { each, list } from "./lists.js";

export const encodingGathered: SnapshotFeature = { input, scope, joins };

function input(given: GatheredInput, step: string, encoder: PartEncoder): EncodedInput {
  switch (given.kind) {
    case "batch":
      return { kind: "batch", members: encoder.events(given.members, step) };
    case "settled": {
      const members = given.members.map((member) => {
        if (member.status === "ok") return { ...member, event: encoder.event(member.event, step) };
        return member.status === "failed" ? { ...member, failure: encoder.failure(member.failure) } : member;
      });
      return { kind: "settled", members };
    }
    case "set":
      return {
        kind: "set",
        slots: Object.entries(given.slots).map(([slot, event]) => [slot, encoder.event(event, step)] as const),
      };
  }
}

function scope(given: FanOutState, encoder: PartEncoder): EncodedScope {
  const { id, opener, parent, parentIndex, collects, size, pending } = given;
  return {
    id,
    opener,
    parent: parent?.id ?? null,
    parentIndex,
    collects,
    size,
    counted: pending !== null,
    ...(encoder.isStored && { paused: given.paused }),
    ...each("gathered", given.gathered, ([step, { fired, arrivals }]) => ({
      step,
      fired,
      arrivals: fired ? [] : arrivals.map((one) => arrival(one, step, encoder)),
    })),
    ...each("failures", given.failures, ([index, failure]) => [index, encoder.failure(failure)] as const),
    ...list("joins", given.joins === null ? [] : joins(given.joins, encoder)),
  };
}

function arrival({ index, path, event, recoveries }: Arrival, step: string, encoder: PartEncoder): EncodedArrival {
  return { index, ...(path !== null && { path }), event: encoder.event(event, step), recoveries };
}

function joins(given: ReadonlyMap<string, JoinBuffer>, encoder: PartEncoder): EncodedJoin[] {
  return Array.from(given, ([key, { step, arrivals }]) => ({
    key,
    step,
    arrivals: [...arrivals.values()].flat().map((pendingEvent) => encoder.pendingEvent(pendingEvent)),
  }));
}
