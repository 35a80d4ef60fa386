/**
 * One function per command.
 *
 * @module
 */
import type { Command } from "../engine/command.js";
import type { ChildRecord } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import { roleOf } from "../event/facts.js";
import { Attempt } from "./attempt.js";
import { cancelChild, startChild } from "./children.js";
import { inspectNote, inspectOutcome, inspectStreamed } from "./inspect-run.js";
import { openStream } from "./run-stream.js";
import type { Runner } from "./runner.js";

/** Adding a command without a performer does not compile. */
type Performers = {
  readonly [Type in Command["type"]]: (runner: Runner, command: Extract<Command, { readonly type: Type }>) => void;
};

const performers: Performers = {
  "attempt.start": (runner, { item: id }) => {
    const item = runner.state.items.get(id);
    if (item?.status !== "running") return;
    const attempt = new Attempt(runner, item);
    runner.attempts.set(id, attempt);
    attempt.start();
  },
  "attempt.end": (runner, { item, reason }) => {
    runner.attempts.get(item)?.end(reason, true);
    runner.attempts.delete(item);
  },
  "call.settle": (runner, { item, call }) => runner.attempts.get(item)?.settle(call),
  "generator.pull": (runner, { item }) => runner.attempts.get(item)?.pull(),
  "child.start": (runner, { item: id, call }) => {
    const record = runner.state.items.get(id)?.memory?.get(call);
    if (record?.kind === "child") startChild(runner, { item: id, record: record as ChildRecord });
  },
  "child.cancel": (runner, { runId }) => cancelChild(runner, runId),
  "stream.publish": (runner, { sequence, event, origin, promptId }) => {
    publish(runner, { sequence, event: event as WorkflowEvent, origin, promptId });
  },
  "sender.tell": (runner, { ticket, receipt }) => {
    runner.tickets?.get(ticket)?.(receipt);
    runner.tickets?.delete(ticket);
  },
  note: (runner, { note }) => {
    if (note.kind === "run.idle" && runner.state.active === 0) runner.onIdle();
    if (runner.host.inspector.active) inspectNote(runner, note);
  },
  "run.finish": (runner, { outcome }) => {
    if (runner.host.inspector.active) inspectOutcome(runner, outcome);
    runner.finish(outcome);
  },
};

export function perform(runner: Runner, command: Command): void {
  (performers[command.type] as (runner: Runner, command: Command) => void)(runner, command);
}

interface Published {
  readonly sequence: number;
  readonly event: WorkflowEvent;
  readonly origin: string | null;
  readonly promptId: string | null;
}

function publish(runner: Runner, item: Published): void {
  const role = roleOf(item.event);
  const isLast = role === "stop" || role === "terminal";
  // The last event is in the outcome as well: a run that streams nothing else needs no stream for it.
  if (!isLast || runner.stream !== null) openStream(runner).publish(item);
  runner.published = item.sequence + 1;
  if (runner.host.inspector.active) inspectStreamed(runner, item);
  const { parent } = runner;
  if (parent === null) return runner.journal?.published?.(item);
  if (isLast) return;
  const origin = item.origin === null ? parent.name : `${parent.name}/${item.origin}`;
  parent.runner.submit({
    type: "stream.written",
    atMs: parent.runner.now(),
    item: null,
    attempt: 0,
    event: item.event,
    origin,
    promptId: item.promptId,
  });
}
