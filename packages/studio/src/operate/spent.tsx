import type { Amounts, BudgetReport } from "@millrace/client/operate";
import type { ReactNode } from "react";
import { grouped } from "../ui/format.js";

export type Unit = keyof Amounts;

const full = 1;
const nearly = 0.9;

interface SpentProps {
  readonly budget: BudgetReport;
  readonly unit: Unit;
  /** After the amounts; `""` where a heading names the unit. @default "" */
  readonly word?: string;
}

/** `$0.32 of $0.50`, in the colour of what is left. Calls at work are named beside it. */
export function Spent({ budget, unit, word = "" }: SpentProps): ReactNode {
  const { spent, reserved, allowed } = budget;
  const limit = allowed[unit];
  const share = limit === undefined ? 0 : usedOf(budget, unit) / Math.max(limit, Number.MIN_VALUE);
  const tone = share >= full ? "s-failed" : share >= nearly ? "s-waiting" : "";
  return (
    <span className="num">
      <span className={tone}>{amountIn(unit, spent[unit])}</span>
      {limit !== undefined && ` of ${amountIn(unit, limit)}`}
      {word !== "" && ` ${word}`}
      {reserved[unit] > 0 && (
        <span className="muted hide-sm" title="Reserved by calls at work: at most so much">
          {" "}
          + {amountIn(unit, reserved[unit])} at work
        </span>
      )}
    </span>
  );
}

/** Dollars with at least two digits, and two of a smaller amount. */
function amountIn(unit: Unit, amount: number): string {
  if (unit !== "usd") return grouped(Math.ceil(amount));
  const digits = amount === 0 || amount >= 1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(Math.min(digits, 9)).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

/** What is spent or reserved of a unit. */
export function usedOf({ spent, reserved }: BudgetReport, unit: Unit): number {
  return spent[unit] + reserved[unit];
}
