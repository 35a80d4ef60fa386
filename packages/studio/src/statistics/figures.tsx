/** Figures of what has ended, as tiles. */
import type { Figures } from "@millrace/client";
import type { ReactNode } from "react";
import { percent, took } from "../ui/figures.js";
import { grouped } from "../ui/format.js";

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
