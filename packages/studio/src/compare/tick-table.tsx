import { type ReactNode, type Ref, useState } from "react";
import { typeOf } from "../model/log-entry-text.js";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { plural, short } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Card } from "../ui/page.js";
import { Empty } from "../ui/states.js";
import type { ComparedTick, TickPair } from "./model/match-ticks.js";

export interface TickTableProps {
  /** Ids of the runs. */
  readonly a: string;
  readonly b: string;
  readonly pairs: readonly TickPair[];
  readonly forkAt: number | null;
  readonly tableRef: Ref<HTMLTableElement>;
}

/** More differences are shown on request. */
const pageSize = 200;

/** Ticks side by side; equal ones are folded. */
export function TickTable({ a, b, pairs, forkAt, tableRef }: TickTableProps): ReactNode {
  const [shown, setShown] = useState(pageSize);
  const rows = foldedRows(pairs);
  return (
    <Card
      title="Ticks"
      className="part"
      aside={
        <span className="muted small">equal ones are folded; fan-outs are compared item by item, times not at all</span>
      }
    >
      <table className="diffgrid two" ref={tableRef}>
        <thead className="sr">
          <tr>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {forkAt !== null && (
            <tr className="fold">
              <td colSpan={2}>
                {plural(forkAt, "equal tick")}: the fork begins after tick {forkAt}
              </td>
            </tr>
          )}
          {rows.slice(0, shown).map((row) =>
            "equal" in row ? (
              <tr key={`fold ${row.place}`} className="fold">
                <td colSpan={2}>{plural(row.equal, "equal tick")}</td>
              </tr>
            ) : (
              <tr key={row.place} className={`ne ${row.isFirst ? "first" : ""}`}>
                <TickCell id={a} tick={row.pair.a} />
                <TickCell id={b} tick={row.pair.b} />
              </tr>
            ),
          )}
        </tbody>
      </table>
      {pairs.length === 0 && forkAt === null && <Empty>Neither has ticks that are kept.</Empty>}
      {rows.length > shown && (
        <div className="tablefoot">
          <span className="num">
            {shown} of {rows.length} rows
          </span>
          <span className="grow" />
          <Button isSmall onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  );
}

type Row =
  | { readonly place: number; readonly equal: number }
  | { readonly place: number; readonly pair: TickPair; readonly isFirst: boolean };

function foldedRows(pairs: readonly TickPair[]): readonly Row[] {
  const rows: Row[] = [];
  let equal = 0;
  let isFirst = true;
  for (const [place, pair] of pairs.entries()) {
    if (pair.isEqual) {
      equal++;
      continue;
    }
    if (equal > 0) rows.push({ place: place - 1, equal });
    equal = 0;
    rows.push({ place, pair, isFirst });
    isFirst = false;
  }
  if (equal > 0) rows.push({ place: pairs.length - 1, equal });
  return rows;
}

function TickCell({ id, tick }: { readonly id: string; readonly tick: ComparedTick | null }): ReactNode {
  if (tick === null) {
    return (
      <td>
        <span className="muted">–</span>
      </td>
    );
  }
  const { entry, line } = tick;
  const content = contentOf(entry.tick);
  return (
    <td>
      <div className="row top">
        <a className="muted num at" href={hrefOf("run", id, entry.number)} aria-label={`Tick ${entry.number} of ${id}`}>
          {entry.number}
        </a>
        <span className={line.tone === null ? "s-queued" : `s-${line.tone}`}>
          <Icon name={line.icon} />
        </span>
        <span>
          <bdi>{line.text}</bdi> {line.event !== null && <code className="ink2">{line.event}</code>}
          {line.message !== null && <span className="s-failed said">{line.message}</span>}
          {line.changes.map(({ path, new: value }) => (
            <code key={JSON.stringify(path)} className="ink2 said">
              {path.join(".")} → {value === undefined ? "deleted" : short(value, 60)}
            </code>
          ))}
          {content !== null && (
            <code className="ink2 said" title={short(content, 2000)}>
              {short(content, 120)}
            </code>
          )}
        </span>
      </div>
    </td>
  );
}

/** Where runs differ is mostly in what came in, and in what came out. */
function contentOf(tick: { readonly [field: string]: unknown }): unknown {
  const event = tick["event"] ?? tick["output"];
  // Those of a pipeline only say where it continues.
  if (typeOf(event)?.startsWith("pipeline.") === true) return null;
  return (event as { readonly data?: unknown } | null | undefined)?.data ?? null;
}
