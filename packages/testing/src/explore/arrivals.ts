/**
 * Where events arrive in a workflow, as far as their order counts. It is the same in all orders.
 *
 * @module
 */
import { type CompiledWorkflow, isEvent } from "millrace/engine";

type Definition = CompiledWorkflow["definition"];

/** A step that takes an event. */
interface Taker {
  readonly step: string;
  /** Of the order in which events arrive at it. */
  readonly place: string;
  readonly workers: number;
  /** The order counts, also while a worker is free. */
  readonly isOrdered: boolean;
}

export class Arrivals {
  /** Names of steps that gather a whole fan-out. */
  readonly gathering: ReadonlySet<string>;
  /** Names of steps that begin a fan-out. */
  readonly fanningOut: readonly string[];
  readonly #steps: Definition["steps"];
  readonly #takenBy: Map<string, readonly Taker[]> = new Map();
  readonly #collectedBy: Map<string, readonly string[]> = new Map();

  constructor({ steps }: Definition) {
    const isWhole = ({ trigger }: Definition["steps"][number]): boolean =>
      trigger.kind === "collect" && trigger.take === null;
    this.#steps = steps;
    this.gathering = new Set(steps.filter(isWhole).map(({ name }) => name));
    this.fanningOut = steps.filter(({ fanOut }) => fanOut !== null).map(({ name }) => name);
  }

  takenBy(type: string): readonly Taker[] {
    let takers = this.#takenBy.get(type);
    if (takers === undefined) this.#takenBy.set(type, (takers = this.#findTakers(type)));
    return takers;
  }

  /** Names of steps. */
  collectedBy(type: string): readonly string[] {
    let names = this.#collectedBy.get(type);
    if (names === undefined) this.#collectedBy.set(type, (names = this.#findCollecting(type)));
    return names;
  }

  #findTakers(type: string): Taker[] {
    return this.#steps.flatMap(({ name, trigger, workers }) => {
      if (trigger.kind === "failure") return [];
      const accepts = trigger.kind === "join" ? trigger.slots.flatMap((slot) => slot.accepts) : trigger.accepts;
      if (!accepts.includes(type)) return [];
      const isOrdered =
        trigger.kind === "join" ||
        (trigger.kind === "collect" && (trigger.order === "arrived" || trigger.take !== null));
      return [{ step: name, place: `order:${name}`, workers, isOrdered }];
    });
  }

  #findCollecting(type: string): string[] {
    return this.#steps.flatMap(({ name, trigger }) =>
      trigger.kind === "collect" && trigger.accepts.includes(type) ? [name] : [],
    );
  }
}

const known = new WeakMap<Definition, Arrivals>();

export function arrivalsOf(definition: Definition): Arrivals {
  let arrivals = known.get(definition);
  if (arrivals === undefined) known.set(definition, (arrivals = new Arrivals(definition)));
  return arrivals;
}

export function eventsIn(output: unknown): readonly { readonly type: string }[] {
  if (Array.isArray(output)) return output.filter(isEvent);
  return isEvent(output) ? [output] : [];
}

export function typesIn(output: unknown): readonly string[] {
  return eventsIn(output).map(({ type }) => type);
}
