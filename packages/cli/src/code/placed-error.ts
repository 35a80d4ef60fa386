/** Errors of Millrace that the user's code has caused while it was loaded, with the lines that are to blame. */
import { existsSync, readFileSync } from "node:fs";
import { frameOf, type Place, placeOf, shownPath } from "./code-place.js";
import { lineOfFinding } from "./line-of-finding.js";

interface MillraceError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A finding of the check of a workflow, with its place. */
export interface PlacedFinding {
  readonly step?: string;
  readonly message: string;
  readonly hint: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export class PlacedError extends Error {
  override name = "PlacedError";
  readonly code: string;
  readonly hint: string;
  /** Those of the error; `findings` are {@link PlacedFinding}. Without findings, `file` and `line` are added. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly frame: string | null;

  constructor(error: MillraceError, { message, ...rest }: Pick<PlacedError, "message" | "details" | "frame">) {
    super(message, { cause: error });
    this.code = error.code;
    this.hint = error.hint;
    this.details = rest.details;
    this.frame = rest.frame;
  }
}

/** Its own message and hint say more than those of this command. */
export function isMillraceError(error: unknown): error is MillraceError {
  const { code, hint } = (error ?? {}) as { readonly code?: unknown; readonly hint?: unknown };
  return typeof code === "string" && typeof hint === "string";
}

/** @param path The file that was loaded: for errors whose stack does not lead to the user's code. */
export function placedError(error: MillraceError, path: string): PlacedError {
  const place = placeOf(error);
  const { findings, ...details } = error.details ?? {};
  if (!Array.isArray(findings)) return place === null ? inFile(error, path) : atPlace(error, place);
  const file = place?.file ?? path;
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const workflow = String(details["workflow"] ?? "");
  const placed: PlacedFinding[] = (findings as PlacedFinding[]).map((finding) => {
    const line = lineOfFinding(text, { workflow, step: finding.step ?? null }) ?? place?.line ?? 1;
    return { ...finding, file, line };
  });
  return new PlacedError(error, {
    message: listed(workflow, placed),
    details: { ...details, findings: placed },
    frame: null,
  });
}

function atPlace(error: MillraceError, place: Place): PlacedError {
  const { file, line, column } = place;
  return new PlacedError(error, {
    message: `${shownPath(file)}:${line}:${column}: ${error.message}`,
    details: { ...error.details, ...place, text: error.message },
    frame: frameOf(place),
  });
}

function inFile(error: MillraceError, file: string): PlacedError {
  const details = { ...error.details, file, text: error.message };
  return new PlacedError(error, { message: `${shownPath(file)}: ${error.message}`, details, frame: null });
}

function listed(workflow: string, findings: readonly PlacedFinding[]): string {
  const lines = findings.map(({ file, line, message, hint }) => {
    return `${shownPath(file)}:${line}: ${message}${findings.length === 1 ? "" : ` ${hint}`}`;
  });
  return `Workflow "${workflow}" is invalid:\n- ${lines.join("\n- ")}`;
}
