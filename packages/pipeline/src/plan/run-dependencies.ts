/**
 * What steps, agents and tools get from outside, such as clients of services. The values themselves, in every process those that its
 * own options name: only plain data among what a run was given is stored with it.
 *
 * @module
 */
import { isPlain, mergeValues, plainCopy } from "@millrace/executor";

type Values = Readonly<Record<string, unknown>>;

export class RunDependencies {
  readonly #ofPipeline: Values;
  /** What runs were given in this process, by their id. */
  readonly #given: Map<string, Values> = new Map();
  /** Once for a run: an object stays the same from step to step. */
  readonly #merged: Map<string, Values> = new Map();

  constructor(ofPipeline: Values) {
    this.#ofPipeline = ofPipeline;
  }

  /** Over what the run was given before. @param values `null`, too: options may come from JSON. */
  set(runId: string, values: Values | null | undefined): void {
    if (Object.keys(values ?? {}).length === 0) return;
    this.#given.set(runId, { ...this.#given.get(runId), ...values });
    this.#merged.delete(runId);
  }

  /** @param stored What is stored with the run. */
  of(runId: string, stored: Values = {}): Values {
    const known = this.#merged.get(runId);
    if (known !== undefined) return known;
    const given = this.#given.get(runId);
    if (given === undefined && Object.keys(stored).length === 0) return this.#ofPipeline;
    // What was given in this process is the object itself, not what is stored of it.
    const left = Object.entries(stored).filter(([name]) => given === undefined || !Object.hasOwn(given, name));
    const ofRun = { ...(plainCopy(Object.fromEntries(left)) as Values), ...given };
    const merged = mergeValues(this.#ofPipeline, ofRun);
    this.#merged.set(runId, merged);
    return merged;
  }

  /** The run has ended. */
  forget(runId: string): void {
    this.#given.delete(runId);
    this.#merged.delete(runId);
  }
}

/** Of what a run is given: what can be stored with it. */
export function plainDependencies(values: Values): Record<string, unknown> {
  return plainCopy(Object.fromEntries(Object.entries(values).filter(([, value]) => isPlain(value)))) as never;
}
