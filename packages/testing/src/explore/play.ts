/**
 * Plays one order of a run: at each decision it releases what is chosen, and waits until nothing moves.
 *
 * @module
 */
import {
  type ResourceOverride,
  type ValueType,
  WorkDiscardedEvent,
  type Workflow,
  type WorkflowEvent,
  type WorkflowHandler,
} from "millrace";
import { beginTurn, type CompiledWorkflow, compileWorkflow, type Tick } from "millrace/engine";
import { installHarness } from "../harness/harness.js";
import { onDrained, onTurn } from "../harness/host-turn.js";
import { Recording } from "../harness/recording.js";
import type { Answers, OutsideOptions } from "../harness/responder.js";
import { RUN_ID } from "../harness/run-segment.js";
import { type VirtualClock, virtualClock } from "../harness/virtual-clock.js";
import { describeEnding, type Ending } from "../proof/ending.js";
import { both, noAccess } from "./access.js";
import type { Choose, Happened, Played, Possible, Untaken } from "./play.types.js";
import { Stage } from "./stage.js";

export interface PlaySetup extends OutsideOptions {
  readonly workflow: Workflow;
  readonly input: unknown;
  readonly observe: (() => unknown) | undefined;
  readonly resources: readonly ResourceOverride[] | undefined;
  readonly timeoutTurns: number;
  /** Called with each tick before it counts as stored. @default the run has no journal */
  readonly onTick?: (runId: string, tick: Tick) => void;
}

const silent = { info() {}, error() {} };

/** Parts of one order, after which a run counts as endless. */
const MAX_PARTS = 10_000;

interface Prompt {
  readonly promptId: string;
  readonly event: WorkflowEvent;
}

interface FromOutside extends Omit<Possible, "actor" | "since"> {
  readonly act: () => void;
}

const nothing: readonly never[] = [];
const beforeAll: ReadonlyMap<string, readonly number[]> = new Map();

export async function play(setup: PlaySetup, choose: Choose): Promise<Played> {
  const playing = new Play(setup);
  const possible = await playing.toEnd(choose);
  return possible === null ? playing.played() : playing.givenUp(possible);
}

class Play {
  readonly #setup: PlaySetup;
  readonly #clock: VirtualClock = virtualClock();
  readonly #stage: Stage;
  readonly #handler: WorkflowHandler;
  readonly #types: readonly ValueType[];
  readonly #happened: Happened[] = [];
  /** Of what may come from outside now, the part that has made it possible. */
  #since: ReadonlyMap<string, readonly number[]> = beforeAll;
  readonly #prompts: Prompt[] = [];
  readonly #untaken: Untaken[] = [];
  /** All that comes between two parts are callbacks of promises. */
  readonly #isPlain: boolean;
  /** The part that is played now ends with the callbacks of its promises, as far as is known. */
  #isShort = false;
  #outside: readonly FromOutside[] = nothing;
  #sent = 0;
  #isOver = false;
  #watching: Promise<void> | null = null;

  constructor(setup: PlaySetup) {
    this.#setup = setup;
    const { workflow, input, resources, onTick } = setup;
    const compiled = compileWorkflow(workflow);
    this.#types = compiled.types;
    this.#stage = new Stage(compiled, () => this.#clock.now());
    const journal = onTick && new Recording({ onStored: ({ runId, tick }) => onTick(runId, tick) });
    const ports = { clock: this.#clock, ids: { runId: () => RUN_ID }, log: silent, ...(journal && { journal }) };
    installHarness(workflow, { ports, middleware: this.#stage.middleware });
    this.#isPlain = isPlain(compiled);
    const run = workflow.run as unknown as (input: unknown, options: object) => WorkflowHandler;
    this.#handler = run.call(workflow, input, resources === undefined ? {} : { resources });
    const over = (): void => void (this.#isOver = true);
    this.#handler.then(over, over);
    if (setup.answers !== undefined || setup.events !== undefined) this.#watching = this.#watch();
  }

  /** @returns What was possible when the order was given up; `null` when nothing more can happen. */
  toEnd(choose: Choose): Promise<readonly Possible[] | null> {
    return new Promise((resolve, reject) => {
      const { timeoutTurns } = this.#setup;
      let turn = 0;
      const next = (): void => {
        try {
          const ended = this.#next(choose);
          if (ended !== undefined) return resolve(ended);
        } catch (error) {
          return reject(error);
        }
        turn = 0;
        if (this.#isShort) onDrained(drained);
        else onTurn(0, waited);
      };
      const drained = (): void => (this.#isOver || this.#isHeld ? next() : onTurn(0, waited));
      const waited = (): void => {
        if (this.#isQuiet(turn) || ++turn >= timeoutTurns) next();
        else onTurn(turn, waited);
      };
      onTurn(0, waited);
    });
  }

  /** Everything that is under way is held: nobody waits for time, or for anything else of the host. */
  get #isHeld(): boolean {
    const { isAtWork, isHolding, isWaiting } = this.#stage;
    return isHolding && !isAtWork && !isWaiting;
  }

  #isQuiet(turn: number): boolean {
    const { isAtWork, isHolding, isWaiting } = this.#stage;
    return this.#isOver || (!isAtWork && (isHolding || isWaiting || turn > 3));
  }

  /** Plays the next part. Returns as `toEnd` if there is none. */
  #next(choose: Choose): readonly Possible[] | null | undefined {
    this.#noteTouched();
    if (this.#isOver) return null;
    const possible = this.#possible();
    if (possible.length === 0) return null;
    const depth = this.#happened.length;
    const index = depth < MAX_PARTS ? choose(possible, depth, this.#happened[depth - 1] ?? null) : null;
    if (index === null) return possible;
    this.#do(possible, index);
    return undefined;
  }

  #do(possible: readonly Possible[], index: number): void {
    const { who, actor, since, label, access } = possible[index] as Possible;
    this.#stage.begin(this.#happened.length);
    this.#happened.push({ who, actor, since, label, access, possible, index });
    beginTurn(this.#clock.now()); // the engine need not wait for the host
    const isHeld = this.#stage.release(possible[index] as Possible);
    this.#isShort = isHeld && this.#isPlain;
    if (!isHeld) this.#outside.find((one) => one.who === who)?.act();
  }

  /** What the part before has touched is known once nothing moves. */
  #noteTouched(): void {
    if (this.#stage.touched === noAccess) return;
    const last = this.#happened.at(-1);
    if (last === undefined) return;
    this.#happened[this.#happened.length - 1] = { ...last, access: both(last.access, this.#stage.touched) };
    this.#stage.touched = noAccess;
  }

  /** The attempt that has acted last comes first, so that the order of all zeros is that of the fewest switches. */
  #possible(): Possible[] {
    const all = this.#stage.possible(this.#happened.at(-1)?.actor);
    this.#outside = this.#fromOutside();
    if (this.#outside.length > 0) all.push(...this.#timed(this.#outside));
    return all;
  }

  #timed(outside: readonly FromOutside[]): Possible[] {
    const made = this.#stage.since;
    const since = new Map(outside.map(({ who }) => [who, this.#since.get(who) ?? made]));
    this.#since = since;
    return outside.map(({ who, label, access }) => ({
      ...{ who, actor: who, label, access },
      since: since.get(who) ?? made,
    }));
  }

  #fromOutside(): readonly FromOutside[] {
    const { answers, events } = this.#setup;
    const isAlone = answers === undefined && events === undefined;
    if (isAlone && this.#clock.nextAtMs === null) return nothing;
    return [...this.#answers(), ...this.#arrivals(), ...this.#time()];
  }

  #answers(): FromOutside[] {
    return this.#prompts.flatMap((prompt): FromOutside[] => {
      const fields = answerTo(this.#setup.answers, prompt.event);
      if (fields === null) return [];
      const access = { reads: [], writes: [`prompt:${prompt.promptId}`, "time"] };
      const act = (): void => void this.#answer(prompt, fields);
      return [{ who: `answer ${prompt.promptId}`, label: `answer to ${prompt.event.type}`, access, act }];
    });
  }

  #arrivals(): FromOutside[] {
    const next = this.#setup.events?.[this.#sent];
    if (next === undefined) return [];
    const act = (): void => void this.#send(next);
    return [{ who: "outside", label: `${next.type} arrives`, access: this.#stage.arrival(next.type), act }];
  }

  /** Time passes when everybody waits, or before a report of others, as far as a sleep ends then. */
  #time(): FromOutside[] {
    const { nextAtMs } = this.#clock;
    if (nextAtMs === null) return [];
    const isSleep = this.#stage.wakes.length > 0 && nextAtMs >= Math.min(...this.#stage.wakes);
    if (this.#stage.isHolding && !isSleep) return [];
    const access = { reads: [], writes: ["time"] };
    return [{ who: `time ${nextAtMs}`, label: "time passes", access, act: () => void this.#clock.jumpToNext() }];
  }

  /** Prompts to answer, and events from outside that were accepted for a wait which has never come. */
  async #watch(): Promise<void> {
    for await (const { event, promptId } of this.#handler.streamEvents()) {
      if (promptId !== null) this.#prompts.push({ promptId, event });
      if (!WorkDiscardedEvent.is(event)) continue;
      for (const { type, status } of event.events)
        if (status === "kept") this.#untaken.push({ event: type, code: "NOT_TAKEN" });
    }
  }

  async #answer(prompt: Prompt, fields: Readonly<Record<string, unknown>>): Promise<void> {
    this.#prompts.splice(this.#prompts.indexOf(prompt), 1);
    await this.#handler.answer(prompt.promptId, fields).catch(() => {}); // a prompt that has closed meanwhile
  }

  async #send(event: WorkflowEvent): Promise<void> {
    this.#sent++;
    const receipt = await this.#handler.sendEvent(event as never);
    if (receipt.status === "refused") this.#untaken.push({ event: event.type, code: receipt.code });
  }

  givenUp(possible: readonly Possible[]): Played {
    void this.#handler.cancel().catch(() => {});
    const text = this.#happened.length === MAX_PARTS ? "The run does not end." : "";
    return { ...this.#facts(possible), ending: null, text };
  }

  async played(): Promise<Played> {
    const left = this.#stage.possible(undefined);
    if (!this.#isOver) {
      // Nobody can do anything: the run waits for what never comes.
      void this.#handler.cancel().catch(() => {});
      return {
        ...this.#facts(left),
        ending: null,
        text: "The run waits for ever. Pass `answers` and `events` if somebody outside is to act.",
      };
    }
    const outcome = (await this.#handler.idle()) as Ending["outcome"];
    await this.#watching;
    const ending: Ending = {
      outcome,
      result: outcome.status === "completed" ? outcome.result : undefined,
      state: await this.#handler.context.store.getState(),
      effects: this.#stage.effects,
      observed: this.#setup.observe?.(),
    };
    return { ...this.#facts(left), ending, text: describeEnding(ending, this.#types) };
  }

  #facts(left: readonly Possible[]): Pick<Played, "happened" | "left" | "untaken"> {
    return { happened: this.#happened, left, untaken: this.#untaken };
  }
}

/** No middleware of others, no limit and no resource may keep a step from beginning. */
function isPlain({ middleware, steps }: CompiledWorkflow): boolean {
  if (middleware.length > 1) return false;
  for (const { limit, resources } of steps.values()) if (limit !== null || resources !== null) return false;
  return true;
}

function answerTo(answers: Answers | undefined, prompt: WorkflowEvent): Readonly<Record<string, unknown>> | null {
  const found = typeof answers === "function" ? answers : answers?.[prompt.type];
  return (typeof found === "function" ? found(prompt) : found) ?? null;
}
