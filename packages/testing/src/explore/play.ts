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
import { compileWorkflow, type Tick } from "millrace/engine";
import { installHarness } from "../harness/harness.js";
import { nextTurn, waitTurn } from "../harness/host-turn.js";
import { Recording } from "../harness/recording.js";
import type { Answers, OutsideOptions } from "../harness/responder.js";
import { RUN_ID } from "../harness/run-segment.js";
import { type VirtualClock, virtualClock } from "../harness/virtual-clock.js";
import { describeEnding, type Ending } from "../proof/ending.js";
import { both, noAccess } from "./access.js";
import type { Choose, Happened, Played, Possible, Untaken } from "./play.types.js";
import { type Act, Stage } from "./stage.js";

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

type FromOutside = Omit<Act, "actor" | "since">;

export async function play(setup: PlaySetup, choose: Choose): Promise<Played> {
  return new Play(setup).toEnd(choose);
}

class Play {
  readonly #setup: PlaySetup;
  readonly #clock: VirtualClock = virtualClock();
  readonly #stage: Stage;
  readonly #handler: WorkflowHandler;
  readonly #types: readonly ValueType[];
  readonly #happened: Happened[] = [];
  /** Of what may come from outside now, the part that has made it possible. */
  #since: ReadonlyMap<string, readonly number[]> = new Map();
  readonly #prompts: Prompt[] = [];
  readonly #untaken: Untaken[] = [];
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
    const run = workflow.run as unknown as (input: unknown, options: object) => WorkflowHandler;
    this.#handler = run.call(workflow, input, resources === undefined ? {} : { resources });
    const over = (): void => void (this.#isOver = true);
    this.#handler.then(over, over);
    if (setup.answers !== undefined || setup.events !== undefined) this.#watching = this.#watch();
  }

  async toEnd(choose: Choose): Promise<Played> {
    for (;;) {
      await this.#quiet();
      if (this.#isOver) break;
      const possible = this.#possible();
      if (possible.length === 0) break;
      const last = this.#happened.at(-1) ?? null;
      if (this.#happened.length === MAX_PARTS) return this.#givenUp(possible, "The run does not end.");
      const index = choose(possible, this.#happened.length, last);
      if (index === null) return this.#givenUp(possible, "");
      this.#do(possible, index);
    }
    return this.#played();
  }

  #do(possible: readonly Act[], index: number): void {
    const { who, actor, since, label, access, act } = possible[index] as Act;
    this.#stage.touched = noAccess;
    this.#stage.part = this.#happened.length;
    this.#happened.push({ who, actor, since, label, access, possible, index });
    act();
  }

  /** What the part before has touched is known once nothing moves. */
  #noteTouched(): void {
    const last = this.#happened.at(-1);
    if (last === undefined || this.#stage.touched === noAccess) return;
    this.#happened[this.#happened.length - 1] = { ...last, access: both(last.access, this.#stage.touched) };
    this.#stage.touched = noAccess;
  }

  async #quiet(): Promise<void> {
    const { timeoutTurns } = this.#setup;
    for (let turn = 0; turn < timeoutTurns; turn++) {
      await (turn === 0 ? nextTurn() : waitTurn(turn));
      if (this.#isOver) break;
      if (!this.#stage.isAtWork && (this.#stage.held.size > 0 || this.#stage.isWaiting || turn > 3)) break;
    }
    this.#noteTouched();
  }

  /** The attempt that has acted last comes first, so that the order of all zeros is that of the fewest switches. */
  #possible(): Act[] {
    const last = this.#happened.at(-1)?.actor;
    const all: Act[] = [];
    for (const part of this.#stage.held.values()) if (part.actor === last) all.push(part);
    for (const part of this.#stage.held.values()) if (part.actor !== last) all.push(part);
    const outside = [...this.#outside(), ...this.#time()];
    if (outside.length > 0) all.push(...this.#timed(outside));
    return all;
  }

  #timed(outside: readonly FromOutside[]): Act[] {
    const made = this.#stage.since;
    const since = new Map(outside.map(({ who }) => [who, this.#since.get(who) ?? made]));
    this.#since = since;
    return outside.map((one) => ({ ...one, actor: one.who, since: since.get(one.who) ?? made }));
  }

  #outside(): FromOutside[] {
    const answers = this.#prompts.flatMap((prompt): FromOutside[] => {
      const fields = answerTo(this.#setup.answers, prompt.event);
      if (fields === null) return [];
      const access = { reads: [], writes: [`prompt:${prompt.promptId}`, "time"] };
      const act = (): void => void this.#answer(prompt, fields);
      return [{ who: `answer ${prompt.promptId}`, label: `answer to ${prompt.event.type}`, access, act }];
    });
    const next = this.#setup.events?.[this.#sent];
    if (next === undefined) return answers;
    const act = (): void => void this.#send(next);
    return [...answers, { who: "outside", label: `${next.type} arrives`, access: this.#stage.arrival(next.type), act }];
  }

  /** Time passes when everybody waits, or before a report of others, as far as a sleep ends then. */
  #time(): FromOutside[] {
    const { nextAtMs } = this.#clock;
    if (nextAtMs === null) return [];
    const isSleep = this.#stage.wakes.length > 0 && nextAtMs >= Math.min(...this.#stage.wakes);
    if (this.#stage.held.size > 0 && !isSleep) return [];
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

  async #givenUp(possible: readonly Possible[], text: string): Promise<Played> {
    void this.#handler.cancel().catch(() => {});
    return { ...this.#facts(possible), ending: null, text };
  }

  async #played(): Promise<Played> {
    const left = [...this.#stage.held.values()];
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

function answerTo(answers: Answers | undefined, prompt: WorkflowEvent): Readonly<Record<string, unknown>> | null {
  const found = typeof answers === "function" ? answers : answers?.[prompt.type];
  return (typeof found === "function" ? found(prompt) : found) ?? null;
}
