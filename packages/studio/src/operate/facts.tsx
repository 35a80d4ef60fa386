/** What the pages of operators say in the same way. */
import type { QueueLimitsShown } from "@millrace/client/operate";
import type { ReactNode } from "react";
import { duration } from "../ui/format.js";
import { Ago } from "../ui/time.js";

export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <span>
      <b>{label}</b>
      {children}
    </span>
  );
}

export function limitText({ concurrency, perKey, rate }: QueueLimitsShown): string {
  const parts = [
    concurrency === null ? "" : `${concurrency} at once`,
    perKey === null ? "" : `${perKey} per key`,
    rate === null
      ? ""
      : `${rate.limit} in ${duration(rate.perMs)
          .replace(/\.0+ | 0 s$/, " ")
          .trim()}`,
  ];
  return parts.filter(Boolean).join(", ") || "none";
}

interface ChangedProps {
  readonly atMs: number;
  readonly by: { readonly user?: string; readonly door: string } | null;
}

export function Changed({ atMs, by }: ChangedProps): ReactNode {
  return (
    <>
      <Ago atMs={atMs} />
      {by?.user !== undefined && ` by ${by.user}`}
    </>
  );
}
