/** Ticks, attempts and moments of a run, in the form that travels over HTTP. */

import { encodeTick, encodeValue } from "millrace/engine";
import type { ChangedValue, ChildRun, DetailedEntry, RunAttempt, RunMoment } from "millrace/runtime";
import {
  type AttemptRecord,
  type ChangeRecord,
  type HandlerRecord,
  type HistoryRecord,
  type MomentRecord,
  toWire,
} from "millrace/wire";
import { isoTime } from "../system.js";
import { toEnvelope } from "./envelope.js";
import { closedFields, eventProblem } from "./fork-rules.js";
import { shownStatus, toPrompt } from "./handler-record.js";
import type { WorkflowFacts } from "./workflow-facts.js";

/** The changes of a tick, if they are requested. */
export function toEntry(entry: DetailedEntry, facts: WorkflowFacts, withChanges: boolean): HistoryRecord {
  const { number, atMs, runId, step, item, attempt, changes } = entry;
  return {
    ...toWire({ number, atMs, runId, step, item, attempt }),
    ...(withChanges && { changes: changes.map((change) => toChange(change, facts)) }),
    tick: toTick(entry, facts),
  };
}

function toTick({ tick }: DetailedEntry, facts: WorkflowFacts): HistoryRecord["tick"] {
  if (tick.type === "run.forked") {
    const { type, from, state, by } = tick;
    const origin = { run_id: from.runId, tick: from.tick };
    return { type, from: origin, state: jsonOf(state, facts), ...(by !== undefined && { by }) };
  }
  const { atMs: _, ...encoded } = encodeTick(tick, facts.compiled, facts.types);
  return encoded;
}

function toChange({ path, ...values }: ChangedValue, facts: WorkflowFacts): ChangeRecord {
  return {
    path,
    ...("old" in values && { old: jsonOf(values.old, facts) }),
    ...("new" in values && { new: jsonOf(values.new, facts) }),
  };
}

/** As the state is shown: what JSON does not have is written as superjson does, without saying so. */
function jsonOf(value: unknown, { types }: WorkflowFacts): unknown {
  return encodeValue(value, "The state", types).json;
}

export function toAttempt({ waits, calls, ...attempt }: RunAttempt): AttemptRecord {
  return {
    ...toWire(attempt),
    waits: waits.map(toWire),
    calls: calls.map(toWire),
  };
}

/** @param isForkable `false` of a child: only whole runs are forked. */
export function toMoment(moment: RunMoment, facts: WorkflowFacts, isForkable: boolean): MomentRecord {
  const { number, atMs, status, isWaiting, state, steps, prompts, next, input } = moment;
  return {
    number,
    at: isoTime(atMs),
    status: shownStatus(status),
    waiting: isWaiting,
    state: jsonOf(state, facts),
    steps: steps.map(toWire),
    prompts: prompts.map((prompt) => toPrompt(prompt, facts)),
    next: next.map(({ item, step, event }) => {
      const reason = eventProblem(facts, event);
      return { item, step, event: toEnvelope(event, facts), editable: reason === null, reason };
    }),
    closed: isForkable ? closedFields(facts, state) : [],
    input: input && { ...input, events: input.events.map((event) => toEnvelope(event, facts)) },
  };
}

export function toChild({ status, ...child }: ChildRun): ChildRecord {
  return { ...toWire(child), status: shownStatus(status) };
}

type ChildRecord = NonNullable<HandlerRecord["children"]>[number];
