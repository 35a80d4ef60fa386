/** The page of one run, or of a run that a step of it has started. */
import { type ReactNode, useEffect, useMemo } from "react";
import { useGraph } from "../graph/use-graph.js";
import { hrefOf, openInAddress, parseRoute, replaceAddress, withOpen } from "../route.js";
import { useStore } from "../store.js";
import { Page } from "../ui/page.js";
import { ErrorBox, Loading } from "../ui/states.js";
import { RunFeed } from "./run-feed.js";
import { RunLayout } from "./run-layout.js";

export interface RunPageProps {
  readonly id: string;
  /** The child of the run that is shown; `null` for the run itself. */
  readonly childId: string | null;
  readonly tick: number | null;
}

/** Whether the address is that of this page, at any tick. */
function isAt(id: string, childId: string | null): boolean {
  const route = parseRoute(location.hash);
  if (childId === null) return route.page === "run" && route.id === id;
  return route.page === "child" && route.id === id && route.child === childId;
}

export function RunPage({ id, childId, tick }: RunPageProps): ReactNode {
  const feed = useMemo(() => new RunFeed(id, childId), [id, childId]);
  useEffect(() => feed.start(), [feed]);
  const handler = useStore(feed.handler);
  const error = useStore(feed.error);
  const isRead = useStore(feed.isRead);
  const place = useStore(feed.place);
  const workflow = place?.workflow ?? handler?.workflow ?? null;
  const { value: whole } = useGraph(workflow);
  useEffect(() => {
    if (!isRead) return;
    if (tick !== null) feed.run.goTo(tick);
    const addressOf = (): string => {
      const cursor = feed.run.isLive ? [] : [feed.run.tick];
      const href = childId === null ? hrefOf("run", id, ...cursor) : hrefOf("child", id, childId, ...cursor);
      return withOpen(href, Object.fromEntries(openInAddress()));
    };
    let known = addressOf();
    // Only for a cursor that has moved, and on this page: the next page may have been asked for, and not be drawn yet.
    return feed.run.version.subscribe(() => {
      if (addressOf() !== known && isAt(id, childId)) replaceAddress((known = addressOf()));
    });
  }, [feed, id, childId, tick, isRead]);
  if (handler === null || !isRead) {
    return (
      <Page title={childId ?? id}>
        {error === null ? <Loading rows={8} /> : <ErrorBox error={error} onRetry={feed.retry} />}
      </Page>
    );
  }
  const ofChild = whole?.children?.find(({ name }) => name === handler.workflow) ?? null;
  return <RunLayout {...{ feed, handler, error, place }} graph={place === null ? whole : ofChild} />;
}
