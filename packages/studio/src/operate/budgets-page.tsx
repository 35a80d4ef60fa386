import type { DaySpending } from "@millrace/client/operate";
import { type ReactNode, useId, useState } from "react";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Spent } from "./spent.js";
import { useLive } from "./use-live.js";

/** What each tenant has spent of its budget, in a day. */
export function BudgetsPage(): ReactNode {
  const [day, setDay] = useState("");
  const reading = useRead(`budgets ${day}`, (signal) =>
    operator.budgets.tenants({ ...(day !== "" && { day }), signal }),
  );
  useLive(reading.reload);
  const id = useId();
  const shown = reading.value?.day ?? "";
  const actions = (
    <>
      <label className="muted" htmlFor={id}>
        Day
      </label>
      <input
        className="dayfield"
        id={id}
        type="date"
        value={day === "" ? shown : day}
        onChange={({ target }) => setDay(target.value)}
      />
    </>
  );
  return (
    <Page title="Budgets" width="wide" actions={actions}>
      <div className="panel">
        <Read reading={reading}>{(spending) => <Tenants spending={spending} />}</Read>
      </div>
    </Page>
  );
}

function Tenants({ spending: { day, timezone, tenants } }: { readonly spending: DaySpending }): ReactNode {
  if (tenants.length === 0) return <Empty>No tenant has spent anything on {day}.</Empty>;
  return (
    <table className="list still desk" aria-label={`Spent on ${day} (${timezone})`}>
      <thead>
        <tr>
          <th>Tenant</th>
          <th className="right">Dollars</th>
          <th className="right hide-sm">Tokens</th>
          <th className="right">Calls</th>
        </tr>
      </thead>
      <tbody>
        {tenants.map(({ tenant, ...budget }) => (
          <tr key={tenant}>
            <td className="main">
              <span className="cut mono" title={tenant}>
                {tenant === "" ? <span className="muted">no tenant</span> : tenant}
              </span>
            </td>
            <td className="right started">
              <Spent budget={budget} unit="usd" />
            </td>
            <td className="right started hide-sm">
              <Spent budget={budget} unit="tokens" />
            </td>
            <td className="right started">
              <Spent budget={budget} unit="calls" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
