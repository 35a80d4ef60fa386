/** The page of one run. */
import { type ReactNode, useEffect, useMemo } from "react";
import type { WorkflowGraphData } from "../api/contract.types.js";
import { get } from "../api/request.js";
import { useRead } from "../api/use-read.js";
import { hrefOf, replaceAddress } from "../route.js";
import { ErrorBox, Loading } from "../ui/states.js";
import { useStore } from "../ui/store.js";
import { Cockpit } from "./cockpit.js";
import { RunFeed } from "./run-feed.js";

export function RunPage({ id, tick }: { readonly id: string; readonly tick: number | null }): ReactNode {
  const feed = useMemo(() => new RunFeed(id), [id]);
  useEffect(() => feed.start(), [feed]);
  const handler = useStore(feed.handler);
  const error = useStore(feed.error);
  const isRead = useStore(feed.isRead);
  const workflow = handler?.workflow_name ?? null;
  const graph = useRead(workflow, (signal) =>
    get<{ readonly graph: WorkflowGraphData }>(
      `workflows/${encodeURIComponent(workflow ?? "")}/representation`,
      {},
      signal,
    ),
  );
  useEffect(() => {
    if (!isRead) return;
    if (tick !== null) feed.run.goTo(tick);
    const addressOf = (): string => (feed.run.isLive ? hrefOf("run", id) : hrefOf("run", id, feed.run.tick));
    let known = addressOf();
    // Only for a cursor that has moved: somebody may be writing another address at this moment.
    return feed.run.subscribe(() => {
      if (addressOf() !== known) replaceAddress((known = addressOf()));
    });
  }, [feed, id, tick, isRead]);
  if (handler === null || !isRead) {
    return (
      <div className="page">
        <div className="head">
          <h1>{id}</h1>
        </div>
        {error === null ? <Loading rows={8} /> : <ErrorBox error={error} onRetry={feed.retry} />}
      </div>
    );
  }
  return <Cockpit feed={feed} handler={handler} graph={graph.value?.graph ?? null} error={error} />;
}
