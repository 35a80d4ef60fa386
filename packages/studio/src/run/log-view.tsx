/** The ticks as sentences. Those after the cursor stay, in grey. */
import type { HistoryEntry } from "@millrace/client";
import { type CSSProperties, type ReactNode, type Ref, useMemo, useState, useSyncExternalStore } from "react";
import { everything, type LogFilter, LogRows } from "../model/log-rows.js";
import { lastUpTo } from "../model/numbers.js";
import { contentOfTick, outputOf } from "../model/run-data.js";
import type { RunStore } from "../model/run-store.js";
import { textOfTicks } from "../model/stream-fold.js";
import { Button, type Choice, Segmented, Switch } from "../ui/controls.js";
import { short, since } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Empty } from "../ui/states.js";
import { VirtualRows } from "./virtual-rows.js";

export interface LogViewProps {
  readonly run: RunStore;
  readonly tick: number;
  /** When the run began. */
  readonly fromMs: number;
  readonly step: string | null;
  /** Steps that ran for several items: their item is shown. */
  readonly many: ReadonlySet<string>;
  /** Shows all steps again. */
  readonly onClear: () => void;
  readonly onGo: (tick: number) => void;
  readonly boxRef: Ref<HTMLDivElement>;
  readonly searchRef: Ref<HTMLInputElement>;
  /** Called with the ticks that are shown, for the keys that go from one to the next. */
  readonly rowsRef: { current: readonly number[] };
}

export function LogView(props: LogViewProps): ReactNode {
  const { run, step, rowsRef } = props;
  const [kind, setKind] = useState<LogFilter["kind"]>("all");
  const [text, setText] = useState("");
  const [showsHousekeeping, setHousekeeping] = useState(false);
  const facts = run.facts;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other facts make other sentences
  const log = useMemo(
    () => new LogRows(run, { ...everything, kind, step, text, showsHousekeeping }),
    [run, facts, kind, step, text, showsHousekeeping],
  );
  const { rows, counts } = log.update();
  rowsRef.current = rows;
  const clear = (): void => {
    setKind("all");
    setText("");
  };
  return (
    <section className="pane p-log" aria-labelledby="h-log">
      <LogHead {...props} text={text} onText={setText} />
      <div className="filters">
        <Segmented label="Kinds" choices={choicesOf(counts)} value={kind} onChange={setKind} />
        {counts.housekeeping > 0 && (
          <Switch isOn={showsHousekeeping} onChange={setHousekeeping}>
            Housekeeping
          </Switch>
        )}
      </div>
      {rows.length === 0 ? (
        <Empty>
          {run.entries.length === 0 ? "Nothing has happened yet." : "No tick matches."}{" "}
          {(kind !== "all" || text !== "") && (
            <Button isSmall onClick={clear}>
              Clear filters
            </Button>
          )}
        </Empty>
      ) : (
        <LogList {...props} log={log} rows={rows} />
      )}
    </section>
  );
}

interface LogHeadProps extends LogViewProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

function LogHead({ run, step, onClear, searchRef, text, onText }: LogHeadProps): ReactNode {
  const label = step === null ? "" : run.facts.naming(step, run.runId).label;
  return (
    <div className="panehead">
      <h2 id="h-log">Log</h2>
      {step !== null && (
        <button type="button" className="chip unselect" aria-label={`Only ${label}. Show all steps`} onClick={onClear}>
          <span className="cut">{label}</span> ✕
        </button>
      )}
      <span className="sp" />
      <input
        type="search"
        ref={searchRef}
        placeholder="Filter"
        aria-label="Filter the log"
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  );
}

const narrow = matchMedia("(max-width: 860px)");

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

/** The views are tabs, and rows are as high as a finger. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

function LogList(props: LogViewProps & { readonly log: LogRows; readonly rows: readonly number[] }): ReactNode {
  const { run, tick, rows, boxRef } = props;
  const isNarrow = useIsNarrow();
  const aim = lastUpTo(rows, run.indexOf(tick), (index) => index);
  return (
    <VirtualRows
      className="scroll log"
      style={{ "--digits": `${Math.max(3, String(run.last).length)}ch` } as CSSProperties}
      role="listbox"
      tabIndex={0}
      aria-label="Ticks"
      {...(aim >= 0 && { "aria-activedescendant": `t${run.entries[rows[aim] as number]?.number}` })}
      boxRef={boxRef}
      count={rows.length}
      rowHeight={isNarrow ? 38 : 28}
      aim={aim}
      render={(place) => (
        <LogRow
          key={rows[place]}
          {...props}
          index={rows[place] as number}
          end={props.log.endOf(rows[place] as number)}
          place={place}
          size={rows.length}
        />
      )}
    />
  );
}

function choicesOf(counts: LogRows["counts"]): readonly Choice<LogFilter["kind"]>[] {
  const choices: readonly (Choice<LogFilter["kind"]> & { readonly of: number })[] = [
    { value: "all", label: "All", of: 1 },
    { value: "steps", label: "Steps", of: counts.steps },
    { value: "events", label: "Events", of: counts.events },
    { value: "state", label: "State", of: counts.state },
    { value: "stream", label: "Stream", of: counts.stream },
    { value: "failures", label: "Failures", of: counts.failures, count: counts.failures },
  ];
  return choices.filter(({ of }) => of > 0).map(({ of, ...choice }) => choice);
}

interface LogRowProps extends LogViewProps {
  readonly index: number;
  /** Place of the last tick of the row. */
  readonly end: number;
  readonly place: number;
  readonly size: number;
}

/** As much of a stream as a row has room for. */
const MOST_SHOWN = 240;

function LogRow({ run, index, end, place, size, tick, fromMs, many, onGo }: LogRowProps): ReactNode {
  const entry = run.entries[index];
  if (entry === undefined) return null;
  const { kind, text, icon, tone, event, message, changes } = run.lineAt(index);
  const { number, step, item, runId } = entry;
  const upTo = end === index ? index : Math.max(index, Math.min(end, run.indexOf(tick)));
  const streamed = kind === "stream" ? textOfTicks(run.entries, { from: index, to: upTo, most: MOST_SHOWN }) : "";
  const isData = kind === "events" || kind === "steps";
  const fields = isData && message === null ? fieldsOf(entry) : "";
  const lastNumber = run.entries[end]?.number ?? number;
  const shownChanges = changes.slice(0, 2).map((change) => `${change.path.join(".")} ${short(change.new, 14)}`);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys go from tick to tick
    <div
      className={`r ${number > tick ? "after" : ""}`}
      role="option"
      id={`t${number}`}
      aria-selected={number <= tick && tick <= lastNumber}
      aria-posinset={place + 1}
      aria-setsize={size}
      data-n={number}
      onClick={() => onGo(number)}
    >
      <span className="n">{number}</span>
      <span className="at">{since(entry.atMs - fromMs)}</span>
      <span className={tone === null ? "s-queued" : `s-${tone}`}>
        <Icon name={icon} />
      </span>
      <span className="cut" title={message ?? undefined}>
        {runId !== run.runId && <span className="muted">child › </span>}
        <bdi>{text}</bdi>
        {step !== null && item !== null && many.has(`${runId}#${step}`) && <span className="muted num"> #{item}</span>}
        {event !== null && <span className="ev"> {event}</span>}
        {fields !== "" && <span className="muted mono"> {fields}</span>}
        {end > index && <span className="muted num"> ×{end - index + 1}</span>}
        {streamed !== "" && <span className="ink2"> {streamed}</span>}
        {message !== null && <span className="muted"> {message}</span>}
        {fields === "" && shownChanges.length > 0 && <span className="ev"> {shownChanges.join(", ")}</span>}
      </span>
    </div>
  );
}

/** What came in or out with the event of the row: its fields, or the content of a step of a pipeline. */
function fieldsOf(entry: HistoryEntry): string {
  const datum = outputOf(entry.tick) ?? contentOfTick(entry);
  const isEmpty = datum === null || JSON.stringify(datum.value) === "{}";
  return isEmpty ? "" : short(datum.value, MOST_SHOWN);
}
