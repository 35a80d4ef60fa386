/** The dates of days in a time zone. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Such as `2026-11-29`. */
export function dayOf(atMs: number, timezone: string): string {
  let format = formats.get(timezone);
  if (format === undefined) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    formats.set(
      timezone,
      (format = new Intl.DateTimeFormat("en", { timeZone: timezone, calendar: "iso8601", ...parts })),
    );
  }
  const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return `${part["year"]}-${part["month"]}-${part["day"]}`;
}

export function isDay(text: unknown): boolean {
  return typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text);
}

export function isTimezone(timeZone: unknown): boolean {
  if (typeof timeZone !== "string" || timeZone === "") return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }) !== null;
  } catch {
    return false; // it is what the question is
  }
}
