/** What the caller may do here. Nothing is allowed until it is known, so that no button appears and vanishes again. */
import { createContext, type ReactNode, useContext } from "react";
import type { StudioConfig } from "../api/contract.types.js";
import { token } from "../api/credentials.js";
import { get } from "../api/request.js";
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
  delete: false,
};
const unknown: StudioConfig = {
  version: "",
  read_only: false,
  may: nothing,
  tenant: null,
  client: null,
  tenants: false,
  metrics: false,
  sources: false,
};

const Context = createContext<StudioConfig>(unknown);

export function StudioConfigProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const given = useStore(token);
  const reading: Reading<StudioConfig> = useRead(`config ${given}`, (signal) => get("/studio/config", {}, signal));
  return <Context value={reading.value ?? unknown}>{children}</Context>;
}

export function useStudioConfig(): StudioConfig {
  return useContext(Context);
}
