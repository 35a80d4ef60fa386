/** The attempts of an item, and the choice of another item of its step. */
import type { RunAttempt } from "@millrace/client";
import type { ReactNode } from "react";
import type { ItemKey } from "../../model/run-data.js";
import { duration } from "../../ui/format.js";

export interface AttemptListProps {
  readonly attempts: readonly RunAttempt[];
  readonly onGo: (tick: number) => void;
}

/** Each leads to the tick at which it ended, or began. */
export function AttemptList({ attempts, onGo }: AttemptListProps): ReactNode {
  return (
    <section className="datum" aria-label="Attempts">
      <h3>{attempts.length === 1 ? "Attempt" : "Attempts"}</h3>
      <ol className="attempts">
        {attempts.map(({ attempt, status, startedAtMs, startedTick, endedAtMs, endedTick, error }) => (
          <li key={attempt}>
            <button type="button" className="link num" onClick={() => onGo(endedTick ?? startedTick)}>
              {attempt}
            </button>{" "}
            <span className={status === "failed" || status === "retrying" ? "s-failed" : ""}>{words[status]}</span>{" "}
            {endedAtMs !== null && <span className="num muted">{duration(endedAtMs - startedAtMs)}</span>}{" "}
            {error !== null && <bdi className="muted">{error.message}</bdi>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const words: Readonly<Record<RunAttempt["status"], string>> = {
  queued: "queued",
  running: "running",
  waiting: "waiting",
  completed: "completed",
  retrying: "failed, tried again",
  restarted: "restarted",
  failed: "failed",
  cancelled: "cancelled",
};

export interface ItemChoiceProps {
  /** The last attempt of each item. */
  readonly items: readonly RunAttempt[];
  readonly chosen: RunAttempt;
  readonly onItem: (item: ItemKey) => void;
}

export function ItemChoice({ items, chosen: { runId, item: chosen }, onItem }: ItemChoiceProps): ReactNode {
  if (items.length < 2) return null;
  return (
    <select aria-label="Item" value={chosen} onChange={(event) => onItem({ runId, item: Number(event.target.value) })}>
      {items.map(({ item, status }) => (
        <option key={item} value={item}>
          item {item}, {words[status]}
        </option>
      ))}
    </select>
  );
}
