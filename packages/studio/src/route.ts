/** Addresses of the pages. They are behind the `#`, so that the server has one page to serve. */
import { useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "runs"; readonly query: string }
  | { readonly page: "workflows" }
  | { readonly page: "workflow"; readonly name: string }
  | { readonly page: "run"; readonly id: string; readonly tick: number | null }
  | { readonly page: "child"; readonly id: string; readonly child: string; readonly tick: number | null }
  /** `others`: runs that may take the place of `b`. */
  | { readonly page: "compare"; readonly a: string; readonly b: string; readonly others: readonly string[] }
  | { readonly page: "inbox" }
  | { readonly page: "sessions" }
  | { readonly page: "audit" }
  /** `workflow`: `""` for all. */
  | { readonly page: "failures"; readonly workflow: string }
  | { readonly page: "queues" }
  | { readonly page: "budgets" }
  | { readonly page: "schedules" }
  | { readonly page: "workers" }
  | { readonly page: "session"; readonly id: string }
  | { readonly page: "unknown"; readonly address: string };

export function parseRoute(hash: string): Route {
  const [page = "", first = "", second = "", third = "", ...rest] = pathOf(hash)
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (page === "" || page === "runs") return { page: "runs", query: first };
  if (page === "inbox" || page === "workflows" || page === "sessions" || page === "audit") return { page };
  if (page === "failures") return { page, workflow: first };
  if (page === "queues" || page === "budgets" || page === "schedules" || page === "workers") return { page };
  if (page === "workflow" && first !== "") return { page, name: first };
  if (page === "session" && first !== "") return { page, id: first };
  if (page === "run" && first !== "") return { page, id: first, tick: tickOf(second) };
  if (page === "child" && first !== "" && second !== "") return { page, id: first, child: second, tick: tickOf(third) };
  if (page === "compare" && first !== "" && second !== "")
    return { page, a: first, b: second, others: [third, ...rest].filter(Boolean) };
  return { page: "unknown", address: hash };
}

/** The address without what of its page is open: `#/run/a/7?step=check`. Names in the path have no `?`, which is escaped there. */
function pathOf(hash: string): string {
  return hash.split("?", 1)[0] as string;
}

/** What of the page is open, such as the chosen step, by name. */
export function openInAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(pathOf(location.hash).length));
}

/** The address with these parts of the page open; `null` for one that is as at first. */
export function withOpen(href: string, open: Readonly<Record<string, string | null>>): string {
  const parts = new URLSearchParams(Object.entries(open).filter((part): part is [string, string] => part[1] !== null));
  return parts.size === 0 ? pathOf(href) : `${pathOf(href)}?${parts}`;
}

function tickOf(part: string): number | null {
  return /^\d+$/.test(part) ? Number(part) : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

/** `href` of a page: `hrefOf("run", id, 7)`. */
export function hrefOf(page: Exclude<Route["page"], "unknown">, ...parts: (string | number)[]): string {
  return ["#", page, ...parts.map((part) => encodeURIComponent(part))].join("/");
}

export function go(href: string): void {
  location.hash = href;
}

/** Changes the address without a step in the browser's history, such as for the tick that a slider moves over. */
export function replaceAddress(href: string): void {
  history.replaceState(history.state, "", href);
}

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
