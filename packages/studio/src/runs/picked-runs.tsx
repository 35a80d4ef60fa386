import type { ReactNode } from "react";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";

export interface PickedRunsProps {
  readonly ids: readonly string[];
  readonly onClear: () => void;
}

/** A bar over the list for the runs that are to be compared. */
export function PickedRuns({ ids, onClear }: PickedRunsProps): ReactNode {
  const [a, b] = ids;
  if (a === undefined) return null;
  return (
    <div className="pick">
      {b === undefined ? (
        <span>Select one more to compare</span>
      ) : (
        <span className="cut">
          <span className="mono">{a}</span> and <span className="mono">{b}</span>
        </span>
      )}
      <Button kind="ghost" isSmall onClick={onClear}>
        Clear
      </Button>
      {b !== undefined && (
        <a className="btn primary sm" href={hrefOf("compare", a, b)}>
          <Icon name="compare" />
          Compare
        </a>
      )}
    </div>
  );
}
