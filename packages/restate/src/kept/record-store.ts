/** Where records are kept beside the runs: a store that the user names, such as `sqliteStore("records.db")`. */
import type { RunStore } from "millrace/runtime";

/** Every {@link RunStore} is one. No run is ever kept in it. */
export type RecordStore = Pick<RunStore, "record" | "records" | "writeRecords" | "watch">;
