/** Messages between `dev` and the process of one version of the code. */
import type { ErrorDescription } from "../output/cli-error.js";

export interface WorkerSetup {
  /** Without it, the config or a usual folder says what is served. */
  readonly file: string | undefined;
  readonly store: string | undefined;
  readonly host: string;
  /** `null`: callers need none. */
  readonly token: string | null;
  readonly cwd: string;
}

export type ToWorker =
  | { readonly type: "load"; readonly setup: WorkerSetup }
  | { readonly type: "serve"; readonly port: number; readonly isDefault: boolean }
  /** The next version cannot be loaded: this one keeps serving. */
  | { readonly type: "outdated"; readonly error: ErrorDescription }
  /** Accept no more requests, let running steps finish, and exit. */
  | { readonly type: "stop" };

export type FromWorker =
  /** `served`: the file or folder, as a path. */
  | { readonly type: "loaded"; readonly files: readonly string[]; readonly served: string }
  | { readonly type: "failed"; readonly files: readonly string[]; readonly error: ErrorDescription }
  | {
      readonly type: "serving";
      readonly urls: readonly string[];
      readonly port: number;
      readonly hasStudio: boolean;
      /** In clean lines, for people. */
      readonly lines: readonly string[];
    }
  /** The port is free. */
  | { readonly type: "closed" };
