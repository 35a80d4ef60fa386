/** What the tick did, and the data of its step or the whole state after it. Every field links to the tick that changed it last. */

import type { HistoryEntry } from "@millrace/client";
import { type CSSProperties, type ReactNode, useMemo, useState } from "react";
import { chatsOf } from "../model/chat.js";
import { conversationsOf } from "../model/item-calls.js";
import type { Line } from "../model/log-entry-text.js";
import { pipelineStateOf } from "../model/pipeline-input.js";
import { eventsOf, type ItemKey } from "../model/run-data.js";
import type { RunStore } from "../model/run-store.js";
import { type StateRow, stateRows } from "../model/state-rows.js";
import { hrefOf } from "../route.js";
import { type Choice, Segmented } from "../ui/controls.js";
import { short } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Empty, Loading } from "../ui/states.js";
import { ChatView } from "./chat-view.js";
import { EventData } from "./data/event-data.js";
import { StepData, type StepDataProps } from "./data/step-data.js";
import { useItemCalls } from "./use-item-calls.js";
import type { Selection, Shown } from "./use-selection.js";
import { VirtualRows } from "./virtual-rows.js";

export interface StateViewProps {
  readonly run: RunStore;
  /** The handler of the run. */
  readonly rootId: string;
  readonly tick: number;
  /** Of the run. */
  readonly workflow: string;
  readonly selection: Selection;
  readonly onRunFrom: StepDataProps["onRunFrom"];
}

export function StateView({ run, rootId, tick, workflow, selection, onRunFrom }: StateViewProps): ReactNode {
  const { step, event, subject, shown, onShow, onGo } = selection;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const index = run.indexOf(tick);
  const entry = run.entries[index];
  const state = run.stateAt(tick);
  const calls = useItemCalls(run, subject);
  const chats = useMemo(() => {
    const ofItem = conversationsOf(calls);
    return ofItem.length > 0 ? ofItem : chatsOf(state);
  }, [calls, state]);
  const changes = entry?.runId === run.runId ? run.lineAt(index).changes : [];
  const rows = useMemo(() => {
    const view = { changes, tick, blame: run.blame, toggled };
    const ofPipeline = pipelineStateOf(state);
    if (shown !== "changed")
      return stateRows({ ...view, state: ofPipeline ?? state, folded: "internals", onlyChanged: false });
    const { internals: _, ...known } = ofPipeline ?? { internals: {} };
    return stateRows({ ...view, state: ofPipeline === null ? state : known, onlyChanged: true });
  }, [state, changes, tick, run, toggled, shown]);
  const { length } = run.entries;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries are one list, which grows
  const events = useMemo(() => {
    if (shown !== "data" || event === null) return null;
    return eventsOf(run.entries, { type: event, runId: run.runId, tick });
  }, [run, length, shown, event, tick]);
  // What the tick did is not shown beside the data of another item.
  const isOther = shown === "data" && entry !== undefined && !isOf(entry, { step, subject });
  const choices: Choice<Shown>[] = [
    { value: "data", label: "Data" },
    { value: "all", label: "State" },
    { value: "changed", label: "Changed" },
  ];
  if (chats.length > 0) choices.push({ value: "chat", label: "Chat" });
  const toggle = (id: string): void => {
    const next = new Set(toggled);
    if (!next.delete(id)) next.add(id);
    setToggled(next);
  };
  return (
    <section className="pane p-state" aria-labelledby="h-state">
      <div className="panehead">
        <h2 id="h-state">
          {events !== null ? "Events" : isOther ? "Step" : `${shown === "data" ? "Tick" : "After tick"} ${tick}`}
        </h2>
        <span className="sp" />
        <Segmented label="Show" choices={choices} value={shown} onChange={onShow} />
      </div>
      {entry !== undefined && events === null && !isOther && (
        <What
          entry={entry}
          line={shown === "data" ? { ...run.lineAt(index), message: null } : run.lineAt(index)}
          changes={changes}
          child={childOf(entry, run, rootId)}
        />
      )}
      {events !== null ? (
        <EventData type={event ?? ""} events={events} tick={tick} />
      ) : shown === "data" ? (
        <StepData {...{ run, rootId, workflow, selection, calls, onRunFrom }} entry={isOther ? undefined : entry} />
      ) : length === 0 ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : state === undefined ? (
        <Loading rows={4} />
      ) : shown === "chat" && chats.length > 0 ? (
        <ChatView chats={chats} />
      ) : rows.length === 0 ? (
        <Empty>{shown === "changed" ? "This tick changed nothing." : "The state is empty."}</Empty>
      ) : (
        <VirtualRows
          className="scroll tree"
          tabIndex={0}
          role="group"
          aria-label="State tree"
          count={rows.length}
          rowHeight={24}
          aim={-1}
          render={(place) => {
            const row = rows[place] as StateRow;
            return <Field key={row.id} row={row} onToggle={() => toggle(row.id)} onGo={onGo} />;
          }}
        />
      )}
    </section>
  );
}

interface Chosen {
  readonly step: string | null;
  readonly subject: ItemKey | null;
}

/** Whether the tick is that of the data that is shown. */
function isOf({ runId, item }: HistoryEntry, { step, subject }: Chosen): boolean {
  return subject === null ? step === null : item === subject.item && runId === subject.runId;
}

/** Address of the child that the tick is of; `null`: it is of the run that is shown. */
function childOf({ runId, number }: HistoryEntry, run: RunStore, rootId: string): string | null {
  return runId === run.runId ? null : hrefOf("child", rootId, runId, number);
}

interface WhatProps {
  readonly child: string | null;
  readonly entry: HistoryEntry;
  readonly line: Line;
  readonly changes: NonNullable<HistoryEntry["changes"]>;
}

const mostChanges = 4;

function What({ entry, line, changes, child }: WhatProps): ReactNode {
  const { item, attempt } = entry;
  return (
    <div className="what">
      <div className="row">
        <span className={line.tone === null ? "s-queued" : `s-${line.tone}`}>
          <Icon name={line.icon} />
        </span>
        <span className="cut">
          <bdi>{line.text.replace(/, attempt \d+$/, "")}</bdi>
          {item !== null && line.kind !== "housekeeping" && (
            <span className="muted num">
              {" "}
              item {item}, attempt {attempt ?? 1}
            </span>
          )}
        </span>
        {line.event !== null && <code className="ev end">{line.event}</code>}
        {child !== null && (
          <a className={line.event === null ? "link end" : "link"} href={child}>
            Child run
          </a>
        )}
      </div>
      {line.message !== null && (
        <div className="s-failed mono said" title={line.message}>
          {line.message}
        </div>
      )}
      {changes.length > 0 && (
        <div className="chg">
          {changes.slice(0, mostChanges).map((change) => (
            <div key={JSON.stringify(change.path)}>
              <span>{change.path.join(".")}</span>
              {"old" in change && (
                <del className="old" title={short(change.old, 2000)}>
                  {short(change.old, 40)}
                </del>
              )}
              <span aria-hidden="true">→</span>
              {"new" in change ? (
                <ins className="new" title={short(change.new, 2000)}>
                  {short(change.new, 60)}
                </ins>
              ) : (
                <span className="new">deleted</span>
              )}
            </div>
          ))}
          {changes.length > mostChanges && <span className="muted">and {changes.length - mostChanges} more</span>}
        </div>
      )}
    </div>
  );
}

interface FieldProps {
  readonly row: StateRow;
  readonly onToggle: () => void;
  readonly onGo: (tick: number) => void;
}

function Field({ row, onToggle, onGo }: FieldProps): ReactNode {
  const { key, depth, value, size, isOpen, isChanged, changedAt } = row;
  return (
    <div className={`k ${isChanged ? "ch" : ""}`} style={{ "--d": depth } as CSSProperties}>
      {size !== null && size > 0 ? (
        <button type="button" className="key fold" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name="next" className={isOpen ? "xs turned" : "xs"} />
          {key} <span className="muted">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
        </button>
      ) : (
        <>
          <span className="key">{key}</span>
          <span className={`v cut ${kindOf(value)}`} title={short(value, 2000)}>
            {size === 0 ? (Array.isArray(value) ? "[0]" : "{0}") : short(value, 200)}
          </span>
        </>
      )}
      {changedAt !== null && (
        <button
          type="button"
          className="by"
          title={`Last changed at tick ${changedAt}`}
          aria-label={`${key} was last changed at tick ${changedAt}. Go there`}
          onClick={() => onGo(changedAt)}
        >
          tick {changedAt}
        </button>
      )}
    </div>
  );
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return "s";
  return typeof value === "number" ? "n" : typeof value === "object" && value !== null ? "muted" : "";
}
