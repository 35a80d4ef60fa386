/** Nodes of steps, resources, people and groups. */

import type { StepFigures } from "@millrace/client";
import type { NodeProps } from "@xyflow/react";
import { type ReactNode, useContext } from "react";
import { percent, sentenceOf, took } from "../ui/figures.js";
import { duration, plural, rounded } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { type ShownStatus, StatusIcon, toneOf, wordOf } from "../ui/status.js";
import type { DrawnNode, GraphOverlay, LabelledCall, StepOverlay } from "./drawing.types.js";
import { dataOf, Ends, type GraphView, GraphViewContext } from "./graph-view.js";
import type { PlacedGroup } from "./layout.js";

/** A step whose question is open waits, also when another step asks for it: it is about to run once more. */
export function overlaid(key: string, covers: readonly string[], { steps }: GraphOverlay): StepOverlay | undefined {
  const own = steps[key];
  const asking = covers.map((other) => steps[other]).find((other) => other !== undefined && other.waiting > 0);
  if (asking === undefined) return own;
  const { waiting, waitsFor } = asking;
  return { ...asking, ...own, status: "waiting", total: (own?.total ?? 0) + waiting, waiting, waitsFor };
}

const shownAs: Readonly<Record<StepOverlay["status"], ShownStatus>> = {
  idle: "idle",
  queued: "queued",
  running: "running",
  waiting: "waiting",
  retrying: "running",
  done: "done",
  failed: "failed",
  caught: "failed",
};

export function StepNode(props: NodeProps): ReactNode {
  const node = dataOf(props);
  const { overlay, figures, runsHref, selected, onSelect } = useContext(GraphViewContext);
  const ended = overlay === null ? figures?.find((one) => one.step === node.key) : undefined;
  const step = overlay === null ? undefined : overlaid(node.key, node.covers, overlay);
  const status = step === undefined ? null : shownAs[step.status];
  const classes = ["node", "step", status === null ? "" : `is-${status}`, selected === node.name ? "sel" : ""];
  if (node.depth > 0) classes.push("many");
  const body = (
    <>
      <span className="t">
        {status !== null && <span className="sr">{wordOf(status)}: </span>}
        <span className={toneOf(status ?? "idle")}>
          {status === null ? <Icon name={idleIcon(node)} /> : <StatusIcon status={status} />}
        </span>
        <span className="cut">{node.label}</span>
      </span>
      {ended !== undefined && <span className="u" />}
      {step === undefined && ended === undefined && <Notes node={node} />}
      {step !== undefined && <Counts step={step} note={node.note} />}
      {step !== undefined && step.calls.length > 0 && <Calls calls={step.calls} />}
      {step !== undefined && step.total > 1 && <Meter step={step} />}
    </>
  );
  const facts = [
    ...(node.depth > 0 ? ["once for each element of a fan-out"] : []),
    ...(ended === undefined ? [] : [sentenceOf(ended, "attempts")]),
  ];
  const title = facts.length === 0 ? node.label : `${node.label}: ${facts.join("; ")}`;
  return (
    <>
      <Ends />
      {onSelect === null ? (
        <div className={classes.join(" ")} title={title}>
          {body}
        </div>
      ) : (
        <button
          type="button"
          className={classes.join(" ")}
          title={title}
          data-step={node.key}
          aria-pressed={selected === node.name}
          onClick={() => onSelect(node.name)}
        >
          {body}
        </button>
      )}
      {ended !== undefined && <Ended figures={ended} runsHref={runsHref} />}
    </>
  );
}

function idleIcon({ note }: DrawnNode): "failed" | "runs" | "queued" {
  if (note === "on failure") return "failed";
  return note === "" ? "queued" : "runs";
}

interface EndedProps {
  readonly figures: StepFigures;
  readonly runsHref: GraphView["runsHref"];
}

/** How its attempts have ended, over the lower half of the node: a link to the runs, which must not be inside of a button. */
function Ended({ figures, runsHref }: EndedProps): ReactNode {
  const { step, count, failed, p95Ms } = figures;
  const numbers = (
    <>
      {failed > 0 ? (
        <span className="num s-failed">✕ {percent(figures)}</span>
      ) : (
        <span className="num">×{rounded(count)}</span>
      )}
      <span className="num">{took(p95Ms)}</span>
    </>
  );
  return (
    <>
      {runsHref === null ? (
        <span className="ended">{numbers}</span>
      ) : (
        <a
          className="ended"
          href={runsHref(failed > 0 ? step : null)}
          title={failed > 0 ? "Lists the runs that failed at this step" : "Lists the runs"}
        >
          {numbers}
        </a>
      )}
      <span className="meter ofended">
        {failed > 0 && <i className="f" style={{ flex: failed }} />}
        {count > failed && <i className="d" style={{ flex: count - failed }} />}
      </span>
    </>
  );
}

function Notes({ node }: { readonly node: DrawnNode }): ReactNode {
  if (node.note === "" && node.streams.length === 0) return null;
  return (
    <span className="u">
      {node.note}
      {node.streams.length > 0 && (
        <span className="cut" title={`Shows ${node.streams.join(", ")}`}>
          <Icon name="stream" className="xs" />
          {node.streams.join(", ")}
        </span>
      )}
    </span>
  );
}

function Counts({ step, note }: { readonly step: StepOverlay; readonly note: string }): ReactNode {
  const parts: ReactNode[] = [];
  if (step.total > 1) {
    parts.push(
      <span key="done" className="num">
        <b>{step.done}</b>/{step.total}
      </span>,
    );
  }
  if (step.running > 0 && step.total > 1) parts.push(count("running", `● ${step.running}`, `${step.running} running`));
  if (step.retrying > 0)
    parts.push(count("failed", `↻ ${step.retrying}`, `${step.retrying} waiting for the next attempt`));
  else if (step.retries > 0) parts.push(count("", `↻ ${step.retries}`, plural(step.retries, "retry")));
  if (step.caught > 0)
    parts.push(count("failed", `✕ ${step.caught}`, `${step.caught} failed after all retries and caught`));
  if (step.waiting > 0) {
    const words = step.waitsFor === "person" ? "for a person" : "for time";
    parts.push(count("waiting", words, `${step.waiting} waiting`));
  }
  const isReached = step.status !== "idle" && step.status !== "queued";
  if (parts.length === 0 && isReached && step.elapsedMs !== null) parts.push(count("", duration(step.elapsedMs), ""));
  if (parts.length === 0) parts.push(note || (step.status === "queued" ? "queued" : isReached ? "" : "not reached"));
  return <span className="u">{parts}</span>;
}

const signs = { running: "● ", failed: "✕ ", done: "" } as const;

/** The labels of its calls, as far as there is room. */
function Calls({ calls }: { readonly calls: readonly LabelledCall[] }): ReactNode {
  const words = calls.map(({ label, status }) => `${signs[status ?? "done"]}${label}`);
  return (
    <span className="u calls" title={words.join("\n")}>
      {words.join(" · ")}
    </span>
  );
}

function count(tone: string, text: string, title: string): ReactNode {
  return (
    <span key={text} className={`num ${tone === "" ? "" : `s-${tone}`}`} {...(title !== "" && { title })}>
      {text}
    </span>
  );
}

function Meter({ step }: { readonly step: StepOverlay }): ReactNode {
  const parts: readonly (readonly [string, number])[] = [
    ["d", step.done],
    ["f", step.failed + step.caught],
    ["r", step.running],
    ["w", step.waiting + step.retrying],
    ["q", step.queued],
  ];
  return (
    <span className="meter">
      {parts.map(([kind, size]) => size > 0 && <i key={kind} className={kind} style={{ flex: size }} />)}
    </span>
  );
}

export function ResourceNode(props: NodeProps): ReactNode {
  const node = dataOf(props);
  return (
    <>
      <Ends />
      <div className="node resource" title={`${node.name}: a resource`}>
        <Icon name="db" />
        <span className="cut">{node.label}</span>
      </div>
    </>
  );
}

/** Whoever is asked: the question above, the answer below. */
export function HumanNode(props: NodeProps): ReactNode {
  const node = dataOf(props);
  const { overlay } = useContext(GraphViewContext);
  const { askedBy, covers } = node;
  const asking = askedBy === null || overlay === null ? undefined : overlaid(askedBy, covers, overlay);
  const isLive = asking !== undefined && asking.waiting > 0 && asking.waitsFor === "person";
  return (
    <>
      <Ends />
      <div
        className={`node human ${isLive ? "live" : ""}`}
        title={`${(askedBy ?? "").split("›").at(-1)} asks a person`}
      >
        <Icon name="person" />
        <span className="cut">
          <bdi>{node.label}</bdi>
          {node.note !== "" && <br />}
          {node.note}
        </span>
      </div>
    </>
  );
}

export function GroupNode(props: NodeProps): ReactNode {
  const group = props.data["group"] as PlacedGroup;
  const { overlay } = useContext(GraphViewContext);
  return (
    <div className="group">
      <span>
        {group.title}
        {overlay !== null && <GroupCount group={group} overlay={overlay} />}
      </span>
    </div>
  );
}

function GroupCount({ group, overlay }: { readonly group: PlacedGroup; readonly overlay: GraphOverlay }): ReactNode {
  const steps = group.steps.map((key) => overlay.steps[key]).filter((step) => step !== undefined);
  const rounds = Math.max(0, ...steps.map(({ total }) => total));
  const done = steps.filter((step) => step.done > 0).length;
  const text = group.kind === "loop" ? plural(rounds, "iteration") : `${done}/${group.steps.length}`;
  return (group.kind === "loop" ? rounds : done) > 0 ? <b className="num"> {text}</b> : null;
}
