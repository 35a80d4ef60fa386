/** The durable calls of an item: each leads to its data. */
import { type ReactNode, useState } from "react";
import type { ItemCall } from "../../model/item-calls.js";
import { Button } from "../../ui/controls.js";
import { duration, grouped } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";

const MOST = 50;

export interface CallListProps {
  readonly calls: readonly ItemCall[];
  readonly onCall: (call: string) => void;
}

export function CallList({ calls, onCall }: CallListProps): ReactNode {
  const [showsAll, setAll] = useState(false);
  if (calls.length === 0) return null;
  const shown = showsAll ? calls : calls.slice(0, MOST);
  return (
    <section className="datum" aria-label="Calls">
      <h3>{calls.length === 1 ? "Call" : "Calls"}</h3>
      <ol className="calls-of">
        {shown.map((call) => (
          <li key={call.call}>
            <button type="button" onClick={() => onCall(call.call)}>
              <Icon name={call.model === null ? "effect" : "session"} className="xs" />
              <bdi className="cut">{call.label}</bdi>
              <CallFacts call={call} />
            </button>
          </li>
        ))}
      </ol>
      {shown.length < calls.length && (
        <Button kind="ghost" isSmall onClick={() => setAll(true)}>
          Show all {grouped(calls.length)}
        </Button>
      )}
    </section>
  );
}

const words: Readonly<Record<ItemCall["status"], string>> = {
  running: "running",
  waiting: "failed, tried again later",
  completed: "",
  failed: "failed",
  interrupted: "interrupted",
};

/** How it ended, its tokens and its time. */
export function CallFacts({ call }: { readonly call: ItemCall }): ReactNode {
  const { status, attempts, startedAtMs, endedAtMs, model } = call;
  const isBad = status === "failed" || status === "waiting";
  const facts = [
    attempts > 1 ? `attempt ${attempts}` : "",
    model === null || model.record === "none"
      ? ""
      : `${grouped(model.usage.inputTokens)} + ${grouped(model.usage.outputTokens)} tokens`,
    endedAtMs === null ? "" : duration(endedAtMs - startedAtMs),
  ];
  return (
    <span className="callmarks num">
      {words[status] !== "" && <span className={isBad ? "s-failed" : "muted"}>{words[status]}</span>}
      {facts.filter(Boolean).map((fact) => (
        <span key={fact} className="muted">
          {fact}
        </span>
      ))}
    </span>
  );
}
