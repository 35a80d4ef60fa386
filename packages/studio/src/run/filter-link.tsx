import type { ReactNode } from "react";
import { type RunFilter, runFilter } from "../model/run-filter.js";
import { queryOf } from "../model/run-query.js";
import { hrefOf } from "../route.js";
import { useStore } from "../store.js";

export interface FilterLinkProps {
  /** What it adds to the filter of the list of runs. */
  readonly add: (before: RunFilter) => Partial<RunFilter>;
  /** What it leaves in the list: `team=berlin`. */
  readonly of: string;
  readonly children: ReactNode;
}

/** A chip that leads to the list of runs, narrowed down further. */
export function FilterLink({ add, of, children }: FilterLinkProps): ReactNode {
  const filter = useStore(runFilter);
  return (
    <a
      className="chip"
      title={`Only runs with ${of}`}
      href={hrefOf("runs", queryOf({ ...filter, ...add(filter) }))}
      onClick={() => runFilter.set({ ...filter, ...add(filter) })}
    >
      <span className="cut">{children}</span>
    </a>
  );
}
