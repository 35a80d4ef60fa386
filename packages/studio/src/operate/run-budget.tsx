import { Fragment, type ReactNode } from "react";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { Spent, type Unit, usedOf } from "./spent.js";
import { useLive } from "./use-live.js";

const words: readonly (readonly [Unit, string])[] = [
  ["usd", ""],
  ["tokens", "tokens"],
  ["calls", "calls"],
];

/** What a run with its children has spent of its budget, read again while it is open. Nothing for a run that spends nothing. */
export function RunBudget({ runId, isOpen }: { readonly runId: string; readonly isOpen: boolean }): ReactNode {
  const key = `budget ${runId} ${isOpen}`;
  const { value, reload } = useRead(key, (signal) => operator.budgets.run(runId, { signal }));
  useLive(isOpen ? reload : nothing);
  if (value === null || words.every(([unit]) => usedOf(value, unit) === 0)) return null;
  const known = words.filter(([unit]) => value.allowed[unit] !== undefined || usedOf(value, unit) > 0);
  return (
    <span title="Spent by this run with its children">
      <b>Budget</b>
      {known.map(([unit, word], index) => (
        <Fragment key={unit}>
          {index > 0 && " · "}
          <Spent budget={value} unit={unit} word={word} />
        </Fragment>
      ))}
    </span>
  );
}

function nothing(): void {}
