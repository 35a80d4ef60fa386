/**
 * Holds every attempt before each of its calls that others may notice, and before its report. What is held is released one by one, so
 * an order of these parts is an order of the run.
 *
 * @module
 */
import type { Middleware, StepOutput } from "millrace";
import { type CompiledWorkflow, compileChild, roleOf } from "millrace/engine";
import { isGenerator, throughGenerator } from "../harness/attempts.js";
import { RUN_ID } from "../harness/run-segment.js";
import { type Access, both, noAccess, placeOf } from "./access.js";
import { type Arrivals, arrivalsOf, eventsIn, typesIn } from "./arrivals.js";
import type { Possible } from "./play.types.js";
import type { Actor, Holding, Noticed } from "./stage.types.js";
import { watchCalls } from "./watched-calls.js";

/** What is held. The part is kept by the search, and so refers to nothing of its run. */
interface Held {
  readonly part: Possible;
  readonly actor: Actor;
  readonly goOn: () => void;
}

interface Ended {
  readonly output: unknown;
  readonly runId: string;
}

/** By the number of the part: the same in all orders. */
const sinceOf: (readonly number[])[] = [];
const failure: Noticed = { what: "fails", access: { ...noAccess, isEnd: true } };
const fromBeginning: readonly number[] = [];

export class Stage implements Holding {
  /** In the order in which it was held. */
  readonly #held: Held[] = [];
  /** Number of the part that is played; none before the first. */
  #part: number | null = null;
  /** The part that is played now, as what it makes possible names it. */
  since: readonly number[] = fromBeginning;
  /** What the current part has touched beyond what was known. */
  touched: Access = noAccess;
  /** When sleeping attempts wake up. */
  readonly wakes: number[] = [];
  readonly effects: Record<string, number> = {};
  /** How many attempts of each step have begun. */
  readonly #begun: Map<string, number> = new Map();
  /** Parts in which events have arrived at each step that gathers. */
  readonly #arrived: Map<string, number[]> = new Map();
  /** Names of children that share the state of the run that calls them. */
  #sharing: Set<string> | null = null;
  readonly #compiled: CompiledWorkflow;
  readonly #known: Arrivals;
  readonly now: () => number;
  /** How many attempts run code of their own. */
  #atWork = 0;
  /** How many attempts wait for something from outside of their own code. */
  #waiting = 0;

  constructor(compiled: CompiledWorkflow, now: () => number) {
    this.#compiled = compiled;
    this.#known = arrivalsOf(compiled.definition);
    this.now = now;
  }

  get isAtWork(): boolean {
    return this.#atWork > 0;
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  readonly middleware: Middleware = (call, next) => {
    const { step, item, attempt, runId, workflow } = call;
    const child = runId.slice(RUN_ID.length);
    const actor: Actor = {
      name: `${child === "" ? "" : `${child.slice(1)}/`}${step} ${item}.${attempt}`,
      step,
      state: this.#sharing?.has(workflow) ? "" : child,
      stage: this,
      held: 0,
      waits: 0,
      isOver: false,
      gathered: runId === RUN_ID ? this.#gathered(step) : null,
      sent: [],
    };
    this.#atWork++;
    this.#begun.set(step, this.#begunOf(step) + 1);
    watchCalls(call.ctx, actor);
    return new Promise((resolve, reject) => {
      next().then(
        (output) => {
          if (isGenerator(output)) resolve(this.#generated(actor, output, runId));
          else this.#atEnd(actor, { output, runId }, () => resolve(output));
        },
        (error: unknown) =>
          this.#holdReport(actor, failure, () => {
            this.#over(actor);
            reject(error);
          }),
      );
    });
  };

  #atEnd(actor: Actor, { output, runId }: Ended, then: () => void): void {
    this.#holdReport(actor, { what: "ends", access: this.#report(actor, output) }, () => {
      if (runId === RUN_ID) {
        this.#noteArrivals(typesIn(output));
        this.#noteArrivals(actor.sent);
      }
      this.#over(actor);
      then();
    });
  }

  #generated(actor: Actor, output: StepOutput, runId: string): Promise<StepOutput> {
    const atElement = (element: unknown): Noticed => ({ what: "yields", access: this.#arrivals(typesIn(element)) });
    return throughGenerator(output, {
      seen: { open: 0 },
      element: (element) => new Promise((resolve) => this.hold(actor, atElement(element), resolve)),
      end: () => new Promise((resolve) => this.#atEnd(actor, { output, runId }, resolve)),
    });
  }

  /** Begins the part of this number. */
  begin(part: number): void {
    this.#part = part;
    this.since = sinceOf[part] ??= [part];
    this.touched = noAccess;
  }

  /** What is held, that of this actor first. */
  possible(first: string | undefined): Possible[] {
    const all: Possible[] = [];
    let place = 0;
    for (const { part } of this.#held)
      if (part.actor === first) all.splice(place++, 0, part);
      else all.push(part);
    return all;
  }

  /** Returns `false` if this is not held. */
  release(part: Possible): boolean {
    const index = this.#held.findIndex((one) => one.part === part);
    const [held] = index < 0 ? [] : this.#held.splice(index, 1);
    if (held === undefined) return false;
    this.#count(held.actor, -1, 0);
    held.goOn();
    return true;
  }

  hold(actor: Actor, { what, access }: Noticed, goOn: () => void): void {
    const { name } = actor;
    let who = name;
    if (actor.held > 0) for (let other = 2; this.#isTaken(who); other++) who = `${name}|${other}`;
    this.#count(actor, 1, 0);
    const part: Possible = { who, actor: name, since: this.#sinceOf(actor), label: `${who}: ${what}`, access };
    this.#held.push({ part, actor, goOn });
  }

  /** Calls that the step has not awaited are made with its report: the engine waits for them. */
  #holdReport(actor: Actor, { what, access }: Noticed, goOn: () => void): void {
    if (actor.held === 0) return this.hold(actor, { what, access }, goOn);
    const calls = this.#held.filter((one) => one.actor === actor).map(({ part }) => part);
    const all = calls.reduce((sum, part) => both(sum, part.access), access);
    this.hold(actor, { what, access: all }, () => {
      for (const part of calls) this.release(part);
      goOn();
    });
  }

  #isTaken(who: string): boolean {
    return this.#held.some(({ part }) => part.who === who);
  }

  wait(actor: Actor, by: 1 | -1): void {
    this.#count(actor, 0, by);
  }

  #count(actor: Actor, held: number, waits: number): void {
    if (!actor.isOver) this.#countIn(actor, -1);
    actor.held += held;
    actor.waits += waits;
    if (!actor.isOver) this.#countIn(actor, 1);
  }

  #countIn({ held, waits }: Actor, by: 1 | -1): void {
    if (waits > 0) this.#waiting += by;
    else if (held === 0) this.#atWork += by;
  }

  #over(actor: Actor): void {
    this.#countIn(actor, -1);
    actor.isOver = true;
  }

  #begunOf(step: string): number {
    return this.#begun.get(step) ?? 0;
  }

  #sinceOf(actor: Actor): readonly number[] {
    const { gathered } = actor;
    actor.gathered = null;
    return gathered === null ? this.since : [...this.since, ...gathered];
  }

  /** A step that gathers a whole fan-out begins after each of its elements, if there is one fan-out of each kind only. */
  #gathered(step: string): readonly number[] | null {
    const { gathering, fanningOut } = this.#known;
    if (!gathering.has(step) || fanningOut.some((name) => this.#begunOf(name) > 1)) return null;
    return [...(this.#arrived.get(step) ?? [])];
  }

  /** The report of these events is played. */
  #noteArrivals(types: readonly string[]): void {
    if (types.length === 0 || this.#part === null) return;
    for (const type of types)
      for (const step of this.#known.collectedBy(type)) {
        const parts = this.#arrived.get(step);
        if (parts === undefined) this.#arrived.set(step, [this.#part]);
        else if (parts.at(-1) !== this.#part) parts.push(this.#part);
      }
  }

  /** What an event of these types changes that arrives now. */
  #arrivals(types: readonly string[]): Access {
    let writes: string[] | null = null;
    for (const type of types)
      for (const { step, place, workers, isOrdered } of this.#known.takenBy(type)) {
        if (!isOrdered && this.#begunOf(step) < workers - 1) continue;
        writes ??= [];
        if (!writes.includes(place)) writes.push(place);
      }
    return writes === null ? noAccess : { reads: [], writes };
  }

  /** Of an event from outside. */
  arrival(type: string): Access {
    return both(this.#arrivals([type]), { reads: [], writes: [`event:${type}`, "time"] });
  }

  #report({ sent, state }: Actor, output: unknown): Access {
    const types = typesIn(output);
    const isEdit = types.length === 0 && isFinish(output);
    const arrivals = this.#arrivals(sent.length === 0 ? types : [...types, ...sent]);
    if (isEdit) return { ...both(arrivals, { reads: [], writes: [placeOf(state, undefined)] }), isEnd: true };
    const isEnd = eventsIn(output).some((event) => roleOf(event as never) === "stop");
    return isEnd ? { ...arrivals, isEnd } : arrivals;
  }

  noteChild([child, , options]: readonly unknown[]): void {
    if ((options as { readonly store?: unknown } | undefined)?.store !== "shared") return;
    const made = typeof child === "string" ? compileChild(this.#compiled, child) : null;
    this.#sharing ??= new Set();
    this.#sharing.add(made?.name ?? (child as { readonly name: string }).name);
  }

  noteWait(type: string): void {
    this.touched = both(this.touched, { reads: [], writes: [`event:${type}`] });
  }

  noteSleep(wakesAtMs: number): void {
    this.wakes.push(wakesAtMs);
  }

  noteWoken(wakesAtMs: number): void {
    this.wakes.splice(this.wakes.indexOf(wakesAtMs), 1);
  }
}

/** The result of `ctx.finish`. */
function isFinish(output: unknown): boolean {
  return typeof output === "object" && output !== null && !Array.isArray(output) && !(Symbol.asyncIterator in output);
}
