/** What the caller may do here. Nothing is allowed until it is known, so that no button appears and vanishes again. */

import type { ServerConfig } from "@millrace/client";
import { createContext, type ReactNode, useContext } from "react";
import { client } from "../api/client.js";
import { token } from "../api/credentials.js";
import { type Reading, useRead } from "../api/use-read.js";
import { useStore } from "../store.js";

const nothing = {
  start: false,
  send: false,
  answer: false,
  cancel: false,
  resume: false,
  retry: false,
  fork: false,
  override: false,
  delete: false,
  operate: false,
};
const unknown: ServerConfig = {
  version: "",
  isReadOnly: false,
  may: nothing,
  tenant: null,
  client: null,
  hasTenants: false,
  hasMetrics: false,
  sources: false,
  tests: false,
  audit: false,
  queues: false,
  budgets: false,
  schedules: false,
};

const Context = createContext<ServerConfig>(unknown);

export function StudioConfigProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const given = useStore(token);
  const reading: Reading<ServerConfig> = useRead(`config ${given}`, (signal) => client.config({ signal }));
  return <Context value={reading.value ?? unknown}>{children}</Context>;
}

export function useStudioConfig(): ServerConfig {
  return useContext(Context);
}
