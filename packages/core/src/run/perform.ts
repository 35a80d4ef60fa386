/**
 * One function per command.
 *
 * @module
 */
import type { Command } from "../engine/command.js";
import type { ChildRecord } from "../engine/state.js";
import { roleOf } from "../event/facts.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import { Attempt } from "./attempt/attempt.js";
import { cancelChild, startChild } from "./children.js";
import { inParent } from "./in-parent.js";
import { inspectCommand } from "./inspect-run.js";
import { openStream } from "./open-stream.js";
import type { LiveRun } from "./run.types.js";

/** Adding a command without a performer does not compile. */
type Performers = {
  readonly [Type in Command["type"]]: (run: LiveRun, command: Extract<Command, { readonly type: Type }>) => void;
};

const performers: Performers = {
  "attempt.start": (run, { item: id }) => {
    const item = run.state.items.get(id);
    if (item?.status !== "running") return;
    const attempt = new Attempt(run, item);
    run.attempts.set(id, attempt);
    attempt.start();
  },
  "attempt.end": (run, { item, reason }) => {
    run.attempts.get(item)?.end(reason, true);
    run.attempts.delete(item);
  },
  "call.settle": (run, { item, call }) => run.attempts.get(item)?.settle(call),
  "generator.pull": (run, { item }) => run.attempts.get(item)?.pull(),
  "child.start": (run, { item: id, call }) => {
    const record = run.state.items.get(id)?.calls?.get(call);
    if (record?.kind === "child") startChild(run, { item: id, record: record as ChildRecord });
  },
  "child.cancel": (run, { runId }) => cancelChild(run, runId),
  "stream.publish": (run, { type: _, ...item }) => publish(run, item as StreamedEvent),
  "receipt.send": (run, { ticket, receipt }) => {
    run.tickets?.get(ticket)?.(receipt);
    run.tickets?.delete(ticket);
  },
  note: (run, { note }) => {
    if (note.kind === "run.idle" && run.state.active === 0) run.onIdle();
  },
  "run.finish": (run, { outcome }) => run.finish(outcome),
};

export function perform(run: LiveRun, command: Command): void {
  if (run.host.inspector.active) inspectCommand(run, command);
  (performers[command.type] as (run: LiveRun, command: Command) => void)(run, command);
}

function publish(run: LiveRun, item: StreamedEvent): void {
  const role = roleOf(item.event);
  const isLast = role === "stop" || role === "terminal";
  // The last event is in the outcome as well: a run without other events needs no stream for it.
  if (!isLast || run.stream !== null) openStream(run).publish(item);
  run.published = item.sequence + 1;
  const { parent } = run;
  if (parent === null) return run.journal?.published?.(item);
  if (isLast) return;
  const { origin, writer } = inParent(run, { origin: item.origin, writer: item.writer });
  parent.run.submit({
    type: "stream.written",
    atMs: parent.run.now(),
    item: null,
    attempt: 0,
    event: item.event,
    origin,
    promptId: item.promptId,
    ...(writer !== undefined && { writer }),
    ...(item.call !== undefined && { call: item.call }),
  });
}
