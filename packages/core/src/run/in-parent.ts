import type { StreamedEvent } from "../stream/streamed-event.js";
import type { LiveRunCore, ParentLink } from "./run.types.js";

/** What a run shows, as its parent shows it: with the path of the child, and a writer that no other run has. */
export function inParent<Writer extends string | undefined>(
  { parent, state: { runId } }: Pick<LiveRunCore, "parent" | "state">,
  { origin, writer }: Pick<StreamedEvent, "origin"> & { readonly writer: Writer },
): { readonly origin: string; readonly writer: Writer } {
  const { name } = parent as ParentLink;
  // Of a child among what its parent has opened: the end of its run id.
  const number = runId.slice(runId.lastIndexOf("/") + 1);
  return {
    origin: origin === null ? name : `${name}/${origin}`,
    writer: (writer === undefined ? undefined : `${number}/${writer}`) as Writer,
  };
}
