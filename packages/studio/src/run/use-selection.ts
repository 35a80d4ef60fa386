import { useMemo, useState } from "react";
import { type ItemKey, subjectOf } from "../model/run-data.js";
import type { RunStore } from "../model/run-store.js";
import { openInAddress } from "../route.js";

/** What the last pane shows. */
export type Shown = "data" | "all" | "changed" | "chat";

export interface Selection {
  readonly step: string | null;
  /** Type of the events that are shown. */
  readonly event: string | null;
  /** The item whose data is shown: the chosen one, or that at the cursor. */
  readonly subject: ItemKey | null;
  /** Id of the call whose data is shown, of the item; `null`: that of the item itself. */
  readonly call: string | null;
  readonly onCall: (call: string | null) => void;
  readonly shown: Shown;
  readonly onShow: (shown: Shown) => void;
  /** Moves the cursor. */
  readonly onGo: (tick: number) => void;
  /** Moves the cursor, and shows the data of the tick. */
  readonly onOpen: (tick: number) => void;
  /** Chooses a step, and shows its data; `null` chooses none. */
  readonly onSelect: (step: string | null, item?: ItemKey, call?: string) => void;
  /** Shows the events of a type. */
  readonly onEvent: (type: string) => void;
  readonly onItem: (item: ItemKey) => void;
  /** Shows the log of all steps again. */
  readonly onClear: () => void;
}

interface SelectionFacts {
  readonly onMove: () => void;
  /** Brings the data into view where the panes are tabs. */
  readonly onData: () => void;
}

export function useSelection(run: RunStore, { onMove, onData }: SelectionFacts): Selection {
  const [step, setStep] = useState<string | null>(() => openInAddress().get("step"));
  const [event, setEvent] = useState<string | null>(null);
  const [item, setItem] = useState<ItemKey | null>(null);
  const [call, setCall] = useState<string | null>(null);
  const [shown, onShow] = useState<Shown>(shownInAddress);
  const showData = (): void => {
    onShow("data");
    onData();
  };
  const onGo = (tick: number): void => {
    onMove();
    setItem(null);
    setCall(null);
    run.goTo(tick);
  };
  const onOpen = (tick: number): void => {
    onGo(tick);
    setEvent(null);
    showData();
  };
  const onSelect = (name: string | null, of: ItemKey | null = null, made: string | null = null): void => {
    setStep(name);
    setItem(of);
    setCall(made);
    setEvent(null);
    if (name !== null) showData();
  };
  const onEvent = (type: string): void => {
    onSelect(null);
    setEvent(type);
    showData();
  };
  const subject = useSubject(run, { step, item });
  const onClear = (): void => onSelect(null);
  const onItem = (of: ItemKey): void => {
    setItem(of);
    setCall(null);
  };
  // The call may be of the item at the cursor, which may move on.
  const onCall = (made: string | null): void => {
    if (subject !== null) setItem(subject);
    setCall(made);
  };
  const moves = { onGo, onOpen, onSelect, onEvent, onItem, onCall, onClear };
  return { step, event, subject, call, shown, onShow, ...moves };
}

const panes: readonly Shown[] = ["data", "all", "changed", "chat"];

function shownInAddress(): Shown {
  const asked = openInAddress().get("shown");
  return panes.find((pane) => pane === asked) ?? "all";
}

interface Chosen {
  readonly step: string | null;
  readonly item: ItemKey | null;
}

function useSubject(run: RunStore, { step, item }: Chosen): ItemKey | null {
  const { tick, runId, facts } = run;
  const { list: attempts } = run.attempts;
  const entry = run.entries[run.indexOf(tick)];
  return useMemo(
    () => subjectOf({ attempts, naming: facts.naming, runId, entry, tick, step, item }),
    [attempts, facts, runId, entry, tick, step, item],
  );
}
