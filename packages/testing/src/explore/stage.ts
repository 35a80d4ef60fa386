/**
 * Holds every attempt before each of its calls that others may notice, and before its report. What is held is released one by one, so
 * an order of these parts is an order of the run.
 *
 * @module
 */
import type { Context, Duration, Middleware } from "millrace";
import { type CompiledWorkflow, compileChild, isEvent, roleOf, toMs } from "millrace/engine";
import { throughGenerator } from "../harness/attempts.js";
import { RUN_ID } from "../harness/run-segment.js";
import { type Access, both, noAccess, placeOf } from "./access.js";
import type { Possible } from "./play.types.js";

/** One attempt of a step. */
interface Actor {
  readonly name: string;
  readonly step: string;
  /** Whose state it edits, as in {@link placeOf}. */
  readonly state: string;
  /** Calls that are held. */
  held: number;
  /** Waits, sleeps and children that it awaits. */
  waits: number;
  /** Parts without which it would not have begun, until its first call is held. */
  gathered: readonly number[] | null;
  /** Types of the events that it has sent, which leave with its report. */
  readonly sent: string[];
}

/** What may happen next, and does when `act` is called. */
export interface Act extends Possible {
  readonly act: () => void;
}

/** What a call does, and what it touches. */
type Noticed = readonly [what: string, access: Access];

type Effect = (call: unknown) => unknown;
type AnyCall = (...args: unknown[]) => Promise<unknown>;

export class Stage {
  /** By who holds it, in the order in which it was held. */
  readonly held: Map<string, Act> = new Map();
  /** Number of the part that is played; none before the first. */
  part: number | null = null;
  /** What the current part has touched beyond what was known. */
  touched: Access = noAccess;
  /** When sleeping attempts wake up. */
  readonly wakes: number[] = [];
  /** Parts in which events have arrived at each step that gathers. */
  readonly #arrived: Map<string, number[]> = new Map();
  /** How often each call of `ctx.run` was made, by its key. */
  readonly effects: Record<string, number> = {};
  readonly #actors: Set<Actor> = new Set();
  /** How many attempts of each step have begun. */
  readonly #begun: Map<string, number> = new Map();
  /** Names of children that share the state of the run that calls them. */
  readonly #sharing: Set<string> = new Set();
  readonly #compiled: CompiledWorkflow;
  readonly #now: () => number;

  constructor(compiled: CompiledWorkflow, now: () => number) {
    this.#compiled = compiled;
    this.#now = now;
  }

  /** An attempt runs code of its own. */
  get isAtWork(): boolean {
    for (const { held, waits } of this.#actors) if (held === 0 && waits === 0) return true;
    return false;
  }

  /** An attempt waits for something from outside of its own code. */
  get isWaiting(): boolean {
    for (const { waits } of this.#actors) if (waits > 0) return true;
    return false;
  }

  readonly middleware: Middleware = async (call, next) => {
    const { step, item, attempt, runId, workflow } = call;
    const child = runId.slice(RUN_ID.length);
    const name = `${child === "" ? "" : `${child.slice(1)}/`}${step} ${item}.${attempt}`;
    const state = this.#sharing.has(workflow) ? "" : child;
    const gathered = runId === RUN_ID ? this.#gathered(step) : null;
    const actor: Actor = { name, step, state, held: 0, waits: 0, gathered, sent: [] };
    this.#actors.add(actor);
    this.#begun.set(step, (this.#begun.get(step) ?? 0) + 1);
    this.#watch(call.ctx, actor);
    const over = (): void => void this.#actors.delete(actor);
    try {
      const output = await next();
      return await throughGenerator(output, {
        seen: { open: 0 },
        element: (element) => this.#hold(actor, "yields", this.#arrivals(typesIn(element))),
        end: async () => {
          await this.#hold(actor, "ends", this.#report(actor, output));
          if (runId === RUN_ID) this.#noteArrivals([...typesIn(output), ...actor.sent]);
          over();
        },
      });
    } catch (error) {
      await this.#hold(actor, "fails", { ...noAccess, isEnd: true });
      over();
      throw error;
    }
  };

  /** The part that is played now, as what it makes possible names it. */
  get since(): readonly number[] {
    return this.part === null ? [] : [this.part];
  }

  #sinceOf(actor: Actor): readonly number[] {
    const { gathered } = actor;
    actor.gathered = null;
    return gathered === null ? this.since : [...this.since, ...gathered];
  }

  /** A step that gathers a whole fan-out begins after each of its elements, if there is one fan-out of each kind only. */
  #gathered(step: string): readonly number[] | null {
    const { steps } = this.#compiled.definition;
    const { trigger } = steps.find(({ name }) => name === step) ?? {};
    if (trigger?.kind !== "collect" || trigger.take !== null) return null;
    const isOne = steps.every(({ name, fanOut }) => fanOut === null || (this.#begun.get(name) ?? 0) <= 1);
    return isOne ? [...(this.#arrived.get(step) ?? [])] : null;
  }

  /** The report of these events is played. */
  #noteArrivals(types: readonly string[]): void {
    if (types.length === 0 || this.part === null) return;
    for (const { name, trigger } of this.#compiled.definition.steps) {
      if (trigger.kind !== "collect" || !types.some((type) => trigger.accepts.includes(type))) continue;
      const parts = this.#arrived.get(name) ?? [];
      parts.push(this.part);
      this.#arrived.set(name, parts);
    }
  }

  /** What an event of these types changes that arrives now. */
  #arrivals(types: readonly string[]): Access {
    if (types.length === 0) return noAccess;
    const writes = this.#compiled.definition.steps.flatMap(({ name, trigger, workers }) => {
      if (trigger.kind === "failure") return [];
      const accepts = trigger.kind === "join" ? trigger.slots.flatMap((slot) => slot.accepts) : trigger.accepts;
      if (!types.some((type) => accepts.includes(type))) return [];
      const isOrdered =
        trigger.kind === "join" ||
        (trigger.kind === "collect" && (trigger.order === "arrived" || trigger.take !== null)) ||
        (this.#begun.get(name) ?? 0) >= workers - 1;
      return isOrdered ? [`order:${name}`] : [];
    });
    return { reads: [], writes };
  }

  /** Of an event from outside. */
  arrival(type: string): Access {
    return both(this.#arrivals([type]), { reads: [], writes: [`event:${type}`, "time"] });
  }

  #report({ sent, state }: Actor, output: unknown): Access {
    const types = typesIn(output);
    const isEnd = eventsIn(output).some((event) => roleOf(event as never) === "stop");
    const isEdit = types.length === 0 && isFinish(output);
    const access = both(
      this.#arrivals([...types, ...sent]),
      isEdit ? { reads: [], writes: [placeOf(state, undefined)] } : noAccess,
    );
    return { ...access, isEnd: isEnd || isEdit };
  }

  #hold(actor: Actor, what: string, access: Access): Promise<void> {
    const { name } = actor;
    let who = name;
    for (let other = 2; this.held.has(who); other++) who = `${name}|${other}`;
    actor.held++;
    return new Promise((resolve) => {
      const act = (): void => {
        this.held.delete(who);
        actor.held--;
        resolve();
      };
      this.held.set(who, { who, actor: name, since: this.#sinceOf(actor), label: `${who}: ${what}`, access, act });
    });
  }

  #watch(ctx: Context, actor: Actor): void {
    const store = ctx.store as unknown as Record<string, AnyCall>;
    const call = ctx as unknown as Record<string, AnyCall>;
    const at = (name: string, of: (path: unknown) => Access): void =>
      this.#holdBefore(store, name, { actor, about: (path) => [`${name} ${textOf(path)}`.trim(), of(path)] });
    const place = (path?: unknown): readonly string[] => [placeOf(actor.state, path)];
    at("get", (path) => ({ reads: place(path), writes: [] }));
    at("getState", () => ({ reads: place(), writes: [] }));
    at("set", (path) => ({ reads: [], writes: place(path) }));
    at("setState", () => ({ reads: [], writes: place() }));
    at("clear", () => ({ reads: [], writes: place() }));
    at("editState", () => ({ reads: place(), writes: place() }));
    const run = (key: unknown): Noticed => {
      this.effects[String(key)] = (this.effects[String(key)] ?? 0) + 1;
      return [`run ${String(key)}`, { reads: [], writes: [`call:${String(key)}`] }];
    };
    this.#restingBetween(call, actor);
    this.#holdBefore(call, "run", { actor, about: run });
    const collected: Noticed = ["collectEvents", { reads: [], writes: [`order:${actor.step}.collectEvents`] }];
    this.#holdBefore(call, "collectEvents", { actor, about: () => collected });
    for (const name of ["waitForEvent", "ask", "sleep", "runChild"]) this.#awaiting(call, name, actor);
    const { sendEvent, scope } = call as unknown as {
      sendEvent: (...args: unknown[]) => void;
      scope: (name: string) => Context;
    };
    Object.assign(call, {
      sendEvent: (event: unknown, ...more: unknown[]) => {
        sendEvent.call(ctx, event, ...more);
        actor.sent.push(...typesIn(event));
      },
      scope: (name: string) => {
        const inner = scope.call(ctx, name);
        this.#watch(inner, actor);
        return inner;
      },
    });
  }

  #holdBefore(
    holder: Record<string, AnyCall>,
    name: string,
    { actor, about }: { readonly actor: Actor; readonly about: (argument: unknown) => Noticed },
  ): void {
    const original = holder[name] as AnyCall;
    holder[name] = async (...args) => {
      const [what, access] = about(args[0]);
      await this.#hold(actor, what, access);
      return original.apply(holder, args);
    };
  }

  /** A call of `ctx.run` that has failed may wait for its next attempt. */
  #restingBetween(holder: Record<string, AnyCall>, actor: Actor): void {
    const original = holder["run"] as AnyCall;
    holder["run"] = (key, effect, ...options) => {
      let restingSince: number | null = null;
      const work = (): void => {
        if (restingSince === null) return;
        actor.waits--;
        this.wakes.splice(this.wakes.indexOf(restingSince), 1);
        restingSince = null;
      };
      const rest = (error: unknown): never => {
        restingSince = this.#now();
        actor.waits++;
        this.wakes.push(restingSince);
        throw error;
      };
      const counted = async (call: unknown): Promise<unknown> => {
        work();
        try {
          return await (effect as Effect)(call);
        } catch (error) {
          return rest(error);
        }
      };
      const answer = original.call(holder, key, typeof effect === "function" ? counted : effect, ...options);
      answer.then(work, work);
      return answer;
    };
  }

  /** Begun at once: what comes from outside meanwhile is a part of its own. */
  #awaiting(holder: Record<string, AnyCall>, name: string, actor: Actor): void {
    const original = holder[name] as AnyCall;
    holder[name] = (...args) => {
      if (name === "runChild") this.#noteChild(args);
      const wakes = this.#noteWait(name, args[0]);
      actor.waits++;
      const answer = original.apply(holder, args);
      const over = (): void => {
        actor.waits--;
        if (wakes !== null) this.wakes.splice(this.wakes.indexOf(wakes), 1);
      };
      answer.then(over, over);
      return answer;
    };
  }

  #noteChild([child, , options]: readonly unknown[]): void {
    if ((options as { readonly store?: unknown } | undefined)?.store !== "shared") return;
    const made = typeof child === "string" ? compileChild(this.#compiled, child) : null;
    this.#sharing.add(made?.name ?? (child as { readonly name: string }).name);
  }

  #noteWait(name: string, about: unknown): number | null {
    if (name === "waitForEvent") {
      const type = String((about as { readonly type?: string } | undefined)?.type);
      this.touched = both(this.touched, { reads: [], writes: [`event:${type}`] });
    }
    if (name !== "sleep") return null;
    const wakes = about instanceof Date ? about.getTime() : this.#now() + toMs(about as Duration, "sleep");
    this.wakes.push(wakes);
    return wakes;
  }
}

/** The result of `ctx.finish`. */
function isFinish(output: unknown): boolean {
  return typeof output === "object" && output !== null && !Array.isArray(output) && !(Symbol.asyncIterator in output);
}

function textOf(path: unknown): string {
  return Array.isArray(path) ? path.join(".") : typeof path === "string" ? path : "";
}

function eventsIn(output: unknown): readonly { readonly type: string }[] {
  return [output].flat().filter((one): one is { type: string } => isEvent(one));
}

function typesIn(output: unknown): readonly string[] {
  return eventsIn(output).map(({ type }) => type);
}
