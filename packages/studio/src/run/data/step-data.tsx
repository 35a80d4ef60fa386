/** What went into a step and what came out: of the chosen item, else of that at the cursor. */
import type { HistoryEntry, RunAttempt } from "@millrace/client";
import { type ReactNode, useMemo } from "react";
import { CodeButton } from "../../graph/code-dialog.js";
import { placeOfCall } from "../../model/asked-again.js";
import type { ItemCall } from "../../model/item-calls.js";
import { attemptsOf, contentOfTick, failureOf, outputOf } from "../../model/run-data.js";
import type { RunStore } from "../../model/run-store.js";
import { useStudioConfig } from "../../shell/studio-config.js";
import { Button } from "../../ui/controls.js";
import { Empty } from "../../ui/states.js";
import type { Selection } from "../use-selection.js";
import { AttemptList, ItemChoice } from "./attempt-list.js";
import { CallData } from "./call-data.js";
import { CallList } from "./call-list.js";
import { DatumSection } from "./datum-section.js";
import { FailureSection } from "./failure-section.js";
import { ItemInput } from "./item-input.js";

export interface StepDataProps {
  readonly run: RunStore;
  readonly rootId: string;
  /** Of the run. */
  readonly workflow: string;
  readonly selection: Selection;
  /** Calls of the item that is shown. */
  readonly calls: readonly ItemCall[];
  /** Runs an item again in a fork, with another input; `null` where no fork may be made. */
  readonly onRunFrom: ((item: number, tick: number) => void) | null;
  /** The tick at the cursor, where it is of the item. */
  readonly entry: HistoryEntry | undefined;
}

export function StepData(props: StepDataProps): ReactNode {
  const { run, rootId, entry, selection, calls, workflow } = props;
  const { may } = useStudioConfig();
  const { step, subject, call: chosen, onCall, onGo } = selection;
  const { list: attempts } = run.attempts;
  const content = useMemo(() => (entry === undefined ? null : contentOfTick(entry)), [entry]);
  const { own, items } = useMemo(() => (subject === null ? none : attemptsOf(attempts, subject)), [attempts, subject]);
  const isUnreached = own.length === 0 && step !== null;
  const call = chosen === null ? undefined : calls.find((one) => one.call === chosen);
  if (call !== undefined) {
    const [first] = own;
    const label = first === undefined ? "Step" : run.facts.naming(first.step, first.runId).label;
    const again = may.override && first?.runId === rootId ? { runId: rootId, ...placeOfCall(first.item, call) } : null;
    return <CallData key={call.call} {...{ call, again, onGo }} step={label} onBack={() => onCall(null)} />;
  }
  if (own.length === 0 && content === null && step === null)
    return <Empty>This tick holds no data. Choose a step or another tick.</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section className="scroll data" tabIndex={0} aria-label="Data">
      {content !== null && entry !== undefined && <DatumSection title={contentTitle(entry)} datum={content} />}
      {own.length > 0 && <Item {...props} own={own} items={items} />}
      {isUnreached && (
        <>
          <ItemHead title={run.facts.naming(step, run.runId).label} code={{ workflow, step }} />
          <p className="muted">This step has not started yet.</p>
        </>
      )}
    </section>
  );
}

const none = { own: [], items: [] };

function contentTitle({ tick }: HistoryEntry): string {
  return tick.type === "run.started" ? "Input of the run" : tick.type === "effect.recorded" ? "Value" : "Event";
}

interface ItemProps extends StepDataProps {
  readonly own: readonly RunAttempt[];
  readonly items: readonly RunAttempt[];
}

function Item({ run, rootId, own, items, calls, selection, onRunFrom }: ItemProps): ReactNode {
  const { onItem, onGo, onCall } = selection;
  const first = own[0] as RunAttempt;
  const last = own.at(-1) as RunAttempt;
  const end = run.entries[run.indexOf(last.endedTick ?? -1)]?.tick;
  const failure = last.status === "completed" || end === undefined ? null : failureOf(end);
  const output = useMemo(() => (end === undefined ? null : outputOf(end)), [end]);
  const { step, runId } = first;
  return (
    <>
      <ItemHead
        title={run.facts.naming(step, runId).label}
        code={runId === rootId ? { workflow: first.workflow, step } : null}
      >
        <ItemChoice items={items} chosen={last} onItem={onItem} />
        {onRunFrom !== null && runId === rootId && (
          <Button kind="ghost" icon="fork" isSmall onClick={() => onRunFrom(first.item, first.startedTick)}>
            Run again from here
          </Button>
        )}
      </ItemHead>
      {failure !== null && <FailureSection failure={failure} code={last.error?.code ?? failure.code} />}
      <ItemInput rootId={rootId} first={first} />
      {output !== null && <DatumSection title="Output" datum={output} />}
      <CallList calls={calls} onCall={onCall} />
      <AttemptList attempts={own} onGo={onGo} />
    </>
  );
}

interface ItemHeadProps {
  readonly title: string;
  /** The step whose code is offered. */
  readonly code: { readonly workflow: string; readonly step: string } | null;
  readonly children?: ReactNode;
}

function ItemHead({ title, code, children }: ItemHeadProps): ReactNode {
  return (
    <div className="row wrap itemhead">
      <h3 className="cut">
        <bdi>{title}</bdi>
      </h3>
      {children}
      <span className="grow" />
      {code !== null && <CodeButton {...code} />}
    </div>
  );
}
