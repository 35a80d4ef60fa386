/**
 * Finds which fan-outs a step runs in, and which fan-out a collect belongs to, from the declarations alone.
 *
 * A place is the run, or the inside of one fan-out, which has the name of the step that opens it. What happens inside a fan-out
 * does not depend on where it was opened, so there are as many places as fan-outs, and one more: loops and recursion need no
 * bound. All that is known only grows, so the order of the work does not matter, and each fact is looked at once.
 *
 * @module
 */
import type { CollectTrigger, Definition, StepDefinition } from "../engine/definition.js";
import { acceptedTypes, handlersOf, isExternal } from "../engine/routing.js";

/** The place outside of every fan-out. */
export const RUN = "";

export interface Flow {
  readonly steps: readonly StepDefinition[];
  readonly byName: ReadonlyMap<string, StepDefinition>;
  /** Steps that open a fan-out. */
  readonly openers: readonly string[];
  /** Event types that arise in each place, each with what first brought it there. */
  readonly arising: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Steps that run in each place. */
  readonly running: ReadonlyMap<string, ReadonlySet<string>>;
  /** Collect steps that gather the fan-out, by opener. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  /** Joins by a field that pair over the fan-out, by opener. */
  readonly pairing: ReadonlyMap<string, ReadonlySet<string>>;
}

const flows = new WeakMap<Definition, Flow>();

/** Cached, because it is needed several times while a workflow is compiled. */
export function flowOf(definition: Definition): Flow {
  let flow = flows.get(definition);
  if (!flow) flows.set(definition, (flow = follow(definition, new Set())));
  return flow;
}

/** Adds to the definition which collects and joins belong to each fan-out. */
export function addFanOuts(definition: Definition): Definition {
  if (definition.steps.every(({ fanOut }) => fanOut === null)) return definition;
  const flow = follow(definition, new Set());
  const names = (found: ReadonlySet<string> | undefined): string[] =>
    definition.steps.map(({ name }) => name).filter((name) => found?.has(name));
  const complete = {
    ...definition,
    steps: definition.steps.map((step) => {
      const { name, fanOut } = step;
      if (fanOut === null) return step;
      return {
        ...step,
        fanOut: { ...fanOut, collects: names(flow.owned.get(name)), joins: names(flow.pairing.get(name)) },
      };
    }),
  };
  flows.set(complete, flow);
  return complete;
}

/** @param muted Steps that are ignored, so that problems which follow from their faults are not reported. */
export function follow(definition: Definition, muted: ReadonlySet<string>): Flow {
  const pairs = definition.steps.filter(({ trigger }) => trigger.kind === "join" && trigger.by !== null);
  let found = new Walk(definition, muted, new Map()).flow;
  // The fan-outs over which a join pairs follow from where its events arise, and its own events then arise there.
  for (let round = 0; round < pairs.length + 2 && pairs.length > 0; round++) {
    const places = new Map(pairs.map((step) => [step.name, pairingPlaces(found, step)]));
    const next = new Walk(definition, muted, new Map([...places].map(([name, { runs }]) => [name, runs]))).flow;
    for (const [name, { holds }] of places)
      for (const opener of holds) (next.pairing.get(opener) as Set<string>).add(name);
    if (sizeOf(next) === sizeOf(found) && round > 0) return next;
    found = next;
  }
  return found;
}

function sizeOf({ arising, pairing }: Flow): number {
  return [...arising.values(), ...pairing.values()].reduce((sum, { size }) => sum + size, 0);
}

interface GrowingFlow extends Flow {
  readonly arising: ReadonlyMap<string, Map<string, string>>;
  readonly running: ReadonlyMap<string, Set<string>>;
  readonly owned: ReadonlyMap<string, Set<string>>;
}

/** Computes what arises and runs where, from the declarations. */
class Walk {
  readonly flow: GrowingFlow;
  readonly #muted: ReadonlySet<string>;
  readonly #takers: Map<string, StepDefinition[]> = new Map();
  readonly #handlers: ReadonlyMap<string, { readonly name: string }>;
  /** Places in which the opener of a fan-out runs. */
  readonly #around: Map<string, string[]> = new Map();
  /** Collects `of` another fan-out whose events arise in the place or deeper, by place. */
  readonly #below: Map<string, Set<StepDefinition>> = new Map();
  readonly #queue: (readonly [place: string, type: string])[] = [];

  constructor(definition: Definition, muted: ReadonlySet<string>, pairs: ReadonlyMap<string, Iterable<string>>) {
    const { steps, roles } = definition;
    this.#muted = muted;
    const openers = steps.filter(({ fanOut }) => fanOut !== null).map(({ name }) => name);
    const places = [RUN, ...openers];
    const sets = (): Map<string, Set<string>> => new Map(places.map((place) => [place, new Set<string>()]));
    this.flow = {
      steps,
      byName: new Map(steps.map((step) => [step.name, step])),
      openers,
      arising: new Map(places.map((place) => [place, new Map()])),
      running: sets(),
      owned: sets(),
      pairing: sets(),
    };
    this.#handlers = handlersOf(steps);
    for (const place of places) {
      this.#around.set(place, []);
      this.#below.set(place, new Set());
    }
    this.#begin(steps, roles);
    for (const [name, where] of pairs)
      for (const place of where) this.#run(this.flow.byName.get(name) as StepDefinition, place);
    for (let next = this.#queue.pop(); next; next = this.#queue.pop()) this.#take(...next);
  }

  /** Starts and answers come from outside, and so belong to the run. */
  #begin(steps: readonly StepDefinition[], roles: Definition["roles"]): void {
    for (const step of steps) {
      for (const type of acceptedTypes(step)) {
        const known = this.#takers.get(type);
        if (known) known.push(step);
        else this.#takers.set(type, [step]);
        if (roles[type] === "start") this.#arise(RUN, type, "the start of the run");
        else if (isExternal(roles[type])) this.#arise(RUN, type, "outside, as an answer or a posted event");
      }
    }
  }

  #arise(place: string, type: string, from: string): void {
    const there = this.flow.arising.get(place);
    if (!there || there.has(type)) return;
    there.set(type, from);
    this.#queue.push([place, type]);
  }

  #take(place: string, type: string): void {
    for (const step of this.#takers.get(type) ?? []) {
      const { trigger } = step;
      if (trigger.kind === "event") this.#run(step, place);
      else if (trigger.kind === "collect") this.#gather(step, trigger, place);
      else if (trigger.kind === "join" && trigger.by === null && fillsIn(this.flow, step, [place]))
        this.#run(step, place);
    }
  }

  #gather(step: StepDefinition, { of }: CollectTrigger, place: string): void {
    if (of !== null) this.#gatherBelow(step, of, place);
    else if (place !== RUN) this.#own(place, step);
  }

  #gatherBelow(step: StepDefinition, of: string, place: string): void {
    const known = this.#below.get(place);
    if (!known || known.has(step)) return;
    known.add(step);
    if (place === of) this.#own(of, step);
    else for (const outer of this.#around.get(place) ?? []) this.#gatherBelow(step, of, outer);
  }

  #own(opener: string, step: StepDefinition): void {
    const owned = this.flow.owned.get(opener);
    if (this.#muted.has(step.name) || !owned || owned.has(step.name)) return;
    owned.add(step.name);
    for (const place of this.#around.get(opener) ?? []) this.#run(step, place);
  }

  #run(step: StepDefinition, place: string): void {
    const there = this.flow.running.get(place);
    const { name, emits, fanOut } = step;
    if (this.#muted.has(name) || !there || there.has(name)) return;
    there.add(name);
    for (const type of fanOut?.alone ?? emits) this.#arise(place, type, name);
    const handler = this.flow.byName.get(this.#handlers.get(name)?.name ?? "");
    if (handler) this.#run(handler, place);
    if (fanOut === null) return;
    this.#around.get(name)?.push(place);
    for (const type of fanOut.elements) this.#arise(name, type, name);
    for (const collect of this.flow.owned.get(name) ?? [])
      this.#run(this.flow.byName.get(collect) as StepDefinition, place);
    for (const collect of this.#below.get(name) ?? []) {
      const { of } = collect.trigger as CollectTrigger;
      if (of !== null && of !== name) this.#gatherBelow(collect, of, place);
    }
  }
}

// ---- what is inside of what

/** Returns whether an event for every slot arises in one of these places. */
function fillsIn(flow: Flow, { trigger }: StepDefinition, places: Iterable<string>): boolean {
  if (trigger.kind !== "join") return false;
  const all = [...places];
  return trigger.slots.every(({ accepts }) => all.some((place) => arisesIn(flow, place, accepts)));
}

export function arisesIn({ arising }: Flow, place: string, types: readonly string[]): boolean {
  return types.some((type) => arising.get(place)?.has(type));
}

/** The place, and the fan-outs that can open inside of it at any depth, without entering those for which `closed` holds. */
export function within({ openers, running }: Flow, place: string, closed: typeof nowhere = nowhere): Set<string> {
  const found = new Set([place]);
  for (const at of found)
    for (const opener of openers) if (running.get(at)?.has(opener) && !closed(opener)) found.add(opener);
  return found;
}

function nowhere(_: string): boolean {
  return false;
}

/** The fan-outs that can open inside of a place at any depth; the place itself only when it reaches itself. */
export function inside(flow: Flow, place: string): Set<string> {
  const found = new Set<string>();
  for (const opener of flow.openers)
    if (flow.running.get(place)?.has(opener))
      for (const inner of within(flow, opener, (at) => found.has(at))) found.add(inner);
  return found;
}

/**
 * Returns where a join by a field pairs (every fan-out that contains all slots), and where it runs (where a set can be
 * completed).
 */
function pairingPlaces(flow: Flow, step: StepDefinition): { readonly holds: Set<string>; readonly runs: string[] } {
  const holds = new Set(flow.openers.filter((opener) => fillsIn(flow, step, within(flow, opener))));
  const isHeld = (place: string): boolean => holds.has(place);
  const runs = [RUN, ...holds].filter((place) => fillsIn(flow, step, within(flow, place, isHeld)));
  return { holds, runs };
}

// ---- for people and drawings

/** A step can be at as many levels as there are sets of fan-outs. */
const MAX_LEVELS = 32;

/**
 * The fan-outs around a step, from the run inwards, for each way to reach it; the first 32. A fan-out that contains
 * itself is listed once.
 */
export function levelsOf(flow: Flow, name: string): readonly (readonly string[])[] {
  const leads = new Set(
    flow.openers.filter((opener) => [...within(flow, opener)].some((at) => flow.running.get(at)?.has(name))),
  );
  const levels: string[][] = [];
  visit(RUN, []);
  return levels;

  function visit(place: string, path: readonly string[]): void {
    if (levels.length === MAX_LEVELS) return;
    if (flow.running.get(place)?.has(name)) levels.push([...path]);
    for (const opener of leads)
      if (flow.running.get(place)?.has(opener) && !path.includes(opener)) visit(opener, [...path, opener]);
  }
}
