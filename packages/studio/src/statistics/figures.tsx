/** Figures of what has ended, in words and as tiles. */
import type { Figures } from "@millrace/client";
import type { ReactNode } from "react";
import { duration, grouped } from "../ui/format.js";

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

export interface FigureTilesProps {
  readonly figures: Figures;
  readonly runsHref: string;
  readonly failedHref: string;
}

export function FigureTiles({ figures, runsHref, failedHref }: FigureTilesProps): ReactNode {
  return (
    <dl className="figures">
      <div>
        <dt>Runs ended</dt>
        <dd className="num">
          <a href={runsHref}>{grouped(figures.count)}</a>
        </dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd className={`num ${figures.failed > 0 ? "s-failed" : ""}`}>
          <a href={failedHref}>{percent(figures)}</a>
        </dd>
      </div>
      <div>
        <dt>Half took at most</dt>
        <dd className="num">{took(figures.p50Ms)}</dd>
      </div>
      <div>
        <dt>95 % took at most</dt>
        <dd className="num">{took(figures.p95Ms)}</dd>
      </div>
    </dl>
  );
}
