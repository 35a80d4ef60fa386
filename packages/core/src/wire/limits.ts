/** Which ids, labels and keys callers of a server may choose. */

/** Ids of runs and sessions: a path of a URL can hold them. */
export const outsideId: { readonly pattern: RegExp; readonly longest: number; readonly meaning: string } = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
  pattern: /^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]+$/u,
  longest: 200,
  meaning: "an id has no line ends and no other control characters, and is neither `.` nor `..`, which no URL can hold",
};

/** Names of labels. Those that start with `millrace.` are reserved for the server. */
export const labelPattern: RegExp = /^(?!millrace\.)[^=]{1,100}$/u;

/** What a search may look for. */
export const searchPattern: RegExp = /^\P{C}*$/u;

export const most = {
  promptId: 1_000,
  labels: 50,
  labelValue: 255,
  /** Names of queues and the like. */
  name: 255,
  scheduleName: 150,
  search: 200,
  idempotencyKey: 200,
  page: 1_000,
  sessionPage: 100,
} as const;

export const statuses = ["running", "completed", "failed", "cancelled"] as const;
