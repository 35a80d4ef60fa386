/** Figures of what has ended, in words. */
import type { Figures } from "@millrace/client";
import { duration, grouped } from "./format.js";

/** `2.1 %`; `–` for nothing. */
export function percent({ count, failureRate }: Figures): string {
  if (count === 0) return "–";
  const share = failureRate * 100;
  return `${share === 0 || share >= 9.95 ? Math.round(share) : share.toFixed(1)}\u2009%`;
}

export function took(ms: number | null): string {
  return ms === null ? "–" : duration(ms);
}

/** All figures in one sentence. @param noun What is counted, in the plural. */
export function sentenceOf(figures: Figures, noun: string): string {
  const { count, p50Ms, p95Ms } = figures;
  return `${grouped(count)} ${noun}, ${percent(figures)} failed, half took at most ${took(p50Ms)}, 95\u2009% at most ${took(p95Ms)}`;
}
