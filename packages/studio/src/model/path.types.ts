import type { ChangedValue } from "@millrace/client";

/** Place in a state: names of fields, positions in lists. */
export type Path = ChangedValue["path"];
