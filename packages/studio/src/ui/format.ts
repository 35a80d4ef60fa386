/** Times, durations and counts in words. Durations have three figures. */

export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const minutes = Math.floor(Math.round(ms / 1_000) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(ms / 1_000) % 60} s`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
  return `${(ms / 86_400_000).toFixed(1).replace(/\.0$/, "")} d`;
}

/** `+1.56s`, `+10:10`, `+1:02:03`, `+3d 4h`: how long after the beginning, for a column. */
export function since(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `+${duration(Math.max(0, Math.min(ms, 59_900))).replace(" ", "")}`;
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600), Math.floor(seconds / 86_400)];
  const two = (number: number): string => String(number % 60).padStart(2, "0");
  if (hours === 0) return `+${minutes}:${two(seconds)}`;
  return days === 0 ? `+${hours}:${two(minutes)}:${two(seconds)}` : `+${days}d ${hours % 24}h`;
}

/** How long ago, in words. */
export function ago(thenMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - thenMs) / 1_000);
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Time of the day. */
export function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en-GB");
}

/** Date and time, for titles. */
export function dateAndTime(atMs: number): string {
  return new Date(atMs).toLocaleString("en-GB");
}

export function plural(count: number, word: string): string {
  const many = word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
  return `${grouped(count)} ${count === 1 ? word : many}`;
}

/** `100 000`, with thin spaces. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `100k`, where there is little room. */
export function rounded(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** An object with fields, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as JSON on one line, cut to `max` letters. */
export function short(value: unknown, max = 64): string {
  if (value === undefined) return "–";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
