import type { Found } from "./measure.ts";
import { bytes } from "./measures/bytes.ts";
import { claims } from "./measures/claims.ts";
import { commits } from "./measures/commits.ts";
import { encrypted } from "./measures/encrypted.ts";
import { looks } from "./measures/looks.ts";
import { oldSnapshot } from "./measures/old-snapshot.ts";
import { queued } from "./measures/queued.ts";
import { renewals } from "./measures/renewals.ts";
import { runs } from "./measures/runs.ts";
import { stored } from "./measures/stored.ts";
import { takeOver } from "./measures/take-over.ts";
import { watching } from "./measures/watching.ts";
import { workers } from "./measures/workers.ts";

export const measures: { readonly [name: string]: (url: string) => Promise<Found[]> } = {
  commits,
  runs,
  claims,
  queued,
  renewals,
  watching,
  stored,
  takeOver,
  workers,
  oldSnapshot,
  bytes,
  looks,
  encrypted,
};
