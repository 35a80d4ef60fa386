/** Addresses of the pages. They are behind the `#`, so that the server has one page to serve. */
import { useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "runs"; readonly query: string }
  | { readonly page: "workflows" }
  | { readonly page: "workflow"; readonly name: string }
  | { readonly page: "run"; readonly id: string; readonly tick: number | null }
  | { readonly page: "child"; readonly id: string; readonly child: string; readonly tick: number | null }
  | { readonly page: "compare"; readonly a: string; readonly b: string }
  | { readonly page: "sessions" }
  | { readonly page: "audit" }
  | { readonly page: "queues" }
  | { readonly page: "schedules" }
  | { readonly page: "workers" }
  | { readonly page: "session"; readonly id: string }
  | { readonly page: "unknown"; readonly address: string };

export function parseRoute(hash: string): Route {
  const [page = "", first = "", second = "", third = ""] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (page === "" || page === "runs") return { page: "runs", query: first };
  if (page === "workflows" || page === "sessions" || page === "audit") return { page };
  if (page === "queues" || page === "schedules" || page === "workers") return { page };
  if (page === "workflow" && first !== "") return { page, name: first };
  if (page === "session" && first !== "") return { page, id: first };
  if (page === "run" && first !== "") return { page, id: first, tick: tickOf(second) };
  if (page === "child" && first !== "" && second !== "") return { page, id: first, child: second, tick: tickOf(third) };
  if (page === "compare" && first !== "" && second !== "") return { page, a: first, b: second };
  return { page: "unknown", address: hash };
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
  history.replaceState(null, "", href);
}

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
