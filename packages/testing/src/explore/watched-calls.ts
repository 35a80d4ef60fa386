/**
 * The calls of a context that others may notice. Most are held before they are made.
 *
 * The functions are the same for all contexts: an order makes a context for each of its attempts.
 *
 * @module
 */
import type { Context, Duration } from "millrace";
import { toMs } from "millrace/engine";
import { type Access, placeOf } from "./access.js";
import { typesIn } from "./arrivals.js";
import type { Actor, Noticed } from "./stage.types.js";

type AnyCall = (this: Watched, ...args: unknown[]) => unknown;
type Answer = Promise<unknown>;

/** The calls as they were before. */
type Calls = Readonly<Record<string, AnyCall>>;
type Effect = (call: unknown) => unknown;

const actorOf = Symbol("actor");
const callsOf = Symbol("calls");

/** A context, or its store. */
interface Watched {
  [actorOf]: Actor;
  [callsOf]: Calls;
  [name: string]: AnyCall;
}

export function watchCalls(ctx: Context, actor: Actor): void {
  const context = watch(ctx, actor);
  context["run"] = holdRun;
  context["collectEvents"] = holdCollect;
  context["waitForEvent"] = awaitEvent;
  context["ask"] = awaitAnswer;
  context["sleep"] = awaitSleep;
  context["runChild"] = awaitChild;
  context["sendEvent"] = noteSent;
  context["scope"] = watchScope;
  const store = watch(ctx.store, actor);
  store["get"] = holdGet;
  store["getState"] = holdGetState;
  store["set"] = holdSet;
  store["setState"] = holdSetState;
  store["clear"] = holdClear;
  store["editState"] = holdEditState;
}

function watch(holder: object, actor: Actor): Watched {
  const watched = holder as Watched;
  const calls = Object.getPrototypeOf(holder) as Calls;
  // A middleware may have put calls of its own into this one.
  watched[callsOf] = Object.keys(holder).length === 0 ? calls : Object.assign(Object.create(calls), holder);
  watched[actorOf] = actor;
  return watched;
}

/** What a call does, by its first argument. */
type About = (actor: Actor, argument: unknown) => Noticed;

function heldBefore(name: string, about: About, make?: AnyCall): AnyCall {
  return function (...args) {
    const actor = this[actorOf];
    const made = make ?? (this[callsOf][name] as AnyCall);
    return new Promise((resolve, reject) =>
      actor.stage.hold(actor, about(actor, args[0]), () => {
        try {
          resolve(made.apply(this, args));
        } catch (error) {
          reject(error);
        }
      }),
    );
  };
}

/** More places than a workflow names in its code; those that it makes up need not be kept. */
const MAX_PLACES = 1_000;

/** A call for one place of the state, of which each order makes the same. */
function atPlace(name: string, touching: (places: readonly string[]) => Access): About {
  const known = new Map<string, Noticed>();
  const noticed = (state: string, path: unknown): Noticed => ({
    what: `${name} ${Array.isArray(path) ? path.join(".") : (path ?? "")}`.trimEnd(),
    access: touching([placeOf(state, path)]),
  });
  return ({ state }, path) => {
    if (state !== "" || typeof path !== "string") return noticed(state, path);
    let one = known.get(path);
    if (one === undefined) {
      if (known.size >= MAX_PLACES) known.clear();
      known.set(path, (one = noticed(state, path)));
    }
    return one;
  };
}

/** A call for all of the state. */
function everywhere(name: string, touching: (places: readonly string[]) => Access): About {
  const about = atPlace(name, touching);
  return (actor) => about(actor, actor.state === "" ? "" : undefined);
}

const reading = (reads: readonly string[]): Access => ({ reads, writes: [] });
const writing = (writes: readonly string[]): Access => ({ reads: [], writes });

const holdGet = heldBefore("get", atPlace("get", reading));
const holdGetState = heldBefore("getState", everywhere("getState", reading));
const holdSet = heldBefore("set", atPlace("set", writing));
const holdSetState = heldBefore("setState", everywhere("setState", writing));
const holdClear = heldBefore("clear", everywhere("clear", writing));
const holdEditState = heldBefore(
  "editState",
  everywhere("editState", (places) => ({ reads: places, writes: places })),
);
const holdCollect = heldBefore("collectEvents", ({ step }) => ({
  what: "collectEvents",
  access: writing([`order:${step}.collectEvents`]),
}));
const holdRun = heldBefore(
  "run",
  ({ stage: { effects } }, given) => {
    const key = String(given);
    effects[key] = (effects[key] ?? 0) + 1;
    return { what: `run ${key}`, access: writing([`call:${key}`]) };
  },
  runResting,
);

/** A call of `ctx.run` that has failed may wait for its next attempt. */
function runResting(this: Watched, ...[key, effect, ...options]: unknown[]): Answer {
  const actor = this[actorOf];
  const { stage } = actor;
  let restingSince: number | null = null;
  const work = (): void => {
    if (restingSince === null) return;
    stage.wait(actor, -1);
    stage.noteWoken(restingSince);
    restingSince = null;
  };
  const rest = (error: unknown): never => {
    restingSince = stage.now();
    stage.wait(actor, 1);
    stage.noteSleep(restingSince);
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
  const given = typeof effect === "function" ? counted : effect;
  const answer = (this[callsOf]["run"] as AnyCall).call(this, key, given, ...options) as Answer;
  answer.then(work, work);
  return answer;
}

/** Begun at once: what comes from outside meanwhile is a part of its own. */
function awaiting(name: string, note: (actor: Actor, args: readonly unknown[]) => number | null): AnyCall {
  return function (...args) {
    const actor = this[actorOf];
    const { stage } = actor;
    const wakesAtMs = note(actor, args);
    stage.wait(actor, 1);
    const answer = (this[callsOf][name] as AnyCall).apply(this, args) as Answer;
    const over = (): void => {
      stage.wait(actor, -1);
      if (wakesAtMs !== null) stage.noteWoken(wakesAtMs);
    };
    answer.then(over, over);
    return answer;
  };
}

const awaitAnswer = awaiting("ask", () => null);
const awaitEvent = awaiting("waitForEvent", ({ stage }, [event]) => {
  stage.noteWait(String((event as { readonly type?: string } | undefined)?.type));
  return null;
});
const awaitSleep = awaiting("sleep", ({ stage }, [until]) => {
  const wakesAtMs = until instanceof Date ? until.getTime() : stage.now() + toMs(until as Duration, "sleep");
  stage.noteSleep(wakesAtMs);
  return wakesAtMs;
});
const awaitChild = awaiting("runChild", ({ stage }, args) => {
  stage.noteChild(args);
  return null;
});

function noteSent(this: Watched, event: unknown, ...more: unknown[]): void {
  (this[callsOf]["sendEvent"] as AnyCall).call(this, event, ...more);
  this[actorOf].sent.push(...typesIn(event));
}

function watchScope(this: Watched, name: unknown): unknown {
  const inner = (this[callsOf]["scope"] as AnyCall).call(this, name) as Context;
  watchCalls(inner, this[actorOf]);
  return inner;
}
