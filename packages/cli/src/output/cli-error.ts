/** Errors of the command itself. Those of Millrace, of a store and of a server pass through with their own codes. */

export type CliErrorCode =
  | "CODE_FAILED"
  | "CODE_REQUIRED"
  | "FILE_UNKNOWN"
  | "INPUT_NOT_JSON"
  | "INTERRUPTED"
  | "OPTION_INVALID"
  | "OUTPUT_UNKNOWN"
  | "PACKAGE_MISSING"
  | "PORT_IN_USE"
  | "PROMPT_UNKNOWN"
  | "RUN_FINISHED"
  | "RUN_UNKNOWN"
  | "SERVER_UNREACHABLE"
  | "STORE_UNSUPPORTED"
  | "SYNTAX_INVALID"
  | "WORKFLOW_AMBIGUOUS"
  | "WORKFLOW_MISSING"
  | "WORKFLOW_UNKNOWN";

interface CliErrorOptions {
  readonly code: CliErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Lines that show the place, such as the line of the code. */
  readonly frame?: string;
  readonly cause?: unknown;
}

/** Codes whose reason is how the command was called. */
const wrongUse: ReadonlySet<string> = new Set([
  "CODE_REQUIRED",
  "FILE_UNKNOWN",
  "INPUT_NOT_JSON",
  "OPTION_INVALID",
  "OUTPUT_UNKNOWN",
  "WORKFLOW_AMBIGUOUS",
]);

export class CliError extends Error {
  override name = "CliError";
  readonly code: CliErrorCode;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly frame: string | null;

  constructor(options: CliErrorOptions) {
    super(options.message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = options.code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    this.frame = options.frame ?? null;
  }
}

/** An option or a value of the command that a person has to correct. */
export function invalidOption(message: string, hint: string, details: CliErrorOptions["details"] = {}): CliError {
  return new CliError({ code: "OPTION_INVALID", message, hint, details });
}

/** The parts of an error that are printed. */
export interface ErrorDescription {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly frame: string | null;
  /** The stack of an unexpected error; `null` for all others. */
  readonly stack: string | null;
}

export function describeError(error: unknown): ErrorDescription {
  const { code, message, hint, details, frame, stack } = error as Partial<CliError>;
  if (typeof code !== "string" || typeof hint !== "string") {
    const text = typeof message === "string" ? message : String(error);
    return { code: "INTERNAL", message: text, hint: null, details: {}, frame: null, stack: stack ?? null };
  }
  // What a request was is of no use to a person, unless it was no Millrace server that answered.
  const text =
    (code as string) === "REQUEST_REFUSED" ? message : message?.replace(/^[A-Z]+ \S+ was answered with \d+: /, "");
  const known = { code, message: text ?? "", hint, details: details ?? {}, frame: frame ?? null, stack: null };
  if ((code as string) === "NETWORK_FAILED") return unreachable(known, error, "cannot be reached");
  if ((code as string) === "REQUEST_TIMEOUT") return unreachable(known, error, "does not answer");
  return { ...known, hint: ownHint(code, error) ?? hint };
}

/** The hint speaks of the options of a program; this is what the command has in their place. */
function ownHint(code: string, error: unknown): string | null {
  const { status } = error as { readonly status?: number };
  if (status === 401) return "Pass the token of the server with `--token`, or in MILLRACE_TOKEN.";
  return ownHints[code] ?? null;
}

const ownHints: Readonly<Record<string, string>> = {
  RESPONSE_INVALID: "Look whether `--url` leads to a Millrace server, and not to a page or a proxy.",
  RUN_ID_CONFLICT: "Use another `--id`, or leave it out.",
  STORE_UNREACHABLE: "Look whether the database runs, and whether `--store` leads to it.",
  STORE_BUSY: "Look for a program that keeps a write transaction open, and call it again.",
};

function unreachable(described: ErrorDescription, error: unknown, what: string): ErrorDescription {
  const { url } = error as { readonly url?: string };
  const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : "The server";
  return {
    ...described,
    code: "SERVER_UNREACHABLE",
    message: `${origin} ${what}.`,
    hint: "Check that the server runs there, and that `--url` is right.",
  };
}

/** Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export function exitCodeOf(code: string): number {
  if (code === "INTERRUPTED") return 130;
  return wrongUse.has(code) ? 2 : 1;
}
