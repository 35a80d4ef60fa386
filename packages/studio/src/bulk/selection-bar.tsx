import { type ReactNode, useState } from "react";
import type { RunFilter } from "../model/run-filter.js";
import { queryOf } from "../model/run-query.js";
import { hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";
import { actionsFor, actionWords, type ListAction, runsText, type Selection } from "./bulk-action.js";
import { BulkDialog } from "./bulk-dialog.js";

export interface SelectionBarProps {
  readonly selection: Selection;
  readonly filter: RunFilter;
  /** How many match; `undefined` where it is not counted. */
  readonly total: number | undefined;
  readonly onSelect: (selection: Selection) => void;
}

/** A bar over the list for the chosen runs: what can be done to them, and to all that match. */
export function SelectionBar({ selection, filter, total, onSelect }: SelectionBarProps): ReactNode {
  const [action, setAction] = useState<ListAction | null>(null);
  const { may } = useStudioConfig();
  const isAll = selection === "all";
  if (selection.length === 0) return null;
  const actions = actionsFor(filter.status).filter((one) => may[actionWords[one].deed]);
  return (
    <>
      <section className="pick" aria-label="Chosen runs">
        <span>{isAll ? allOf(total) : `${runsText(selection.length)} chosen`}</span>
        {!isAll && actions.length > 0 && queryOf(filter) !== "" && (
          <Button kind="ghost" isSmall onClick={() => onSelect("all")}>
            Select all {total === undefined ? "that match" : total.toLocaleString("en")}
          </Button>
        )}
        {!isAll && selection.length === 2 && (
          <a className="btn sm" href={hrefOf("compare", ...selection)}>
            <Icon name="compare" />
            Compare
          </a>
        )}
        {actions.map((one) => (
          <Button key={one} isSmall icon={actionWords[one].icon} onClick={() => setAction(one)}>
            {actionWords[one].verb}
          </Button>
        ))}
        <Button kind="ghost" isSmall onClick={() => onSelect([])}>
          Clear
        </Button>
      </section>
      {action !== null && (
        <BulkDialog
          {...{ action, selection, filter }}
          onClose={() => setAction(null)}
          onStarted={() => {
            setAction(null);
            onSelect([]);
            scrollTo(0, 0); // to the progress
          }}
        />
      )}
    </>
  );
}

function allOf(total: number | undefined): string {
  return total === undefined ? "All that match" : `All ${total.toLocaleString("en")} that match`;
}
