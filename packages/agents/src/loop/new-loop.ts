import { callKey } from "../run/call-key.js";
import { runLoop } from "./agent-loop.js";
import { EventSink } from "./event-sink.js";
import type { LoopRun } from "./loop-run.types.js";
import { newLedger } from "./result.js";

type Needed = "settings" | "ctx" | "session" | "events" | "runKey";

/** A run at its beginning, whose calls show events. */
export function newLoop(given: Pick<LoopRun, Needed> & Partial<LoopRun>): LoopRun {
  return {
    place: given.settings.id,
    path: "",
    ledger: newLedger(),
    history: [],
    unstored: [],
    said: [],
    turns: [],
    streams: given.events.emit !== undefined,
    media: [],
    pageTools: [],
    asked: {},
    override: null,
    conversation: null,
    sinkOf: (...call) => new EventSink(...call),
    keyOf: (run, _call, made) => callKey(run.runKey, made, run.turns),
    lead: runLoop,
    ...given,
  };
}
