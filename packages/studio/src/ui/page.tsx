/** The frame of a page, and of a part of it. */
import { type ReactNode, useId } from "react";

export interface PageProps {
  readonly title: string;
  /** The page above it, to go back to. */
  readonly above?: { readonly title: string; readonly href: string };
  /** @default the one of a page that is read */
  readonly width?: "wide" | "wider";
  /** At the right of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, above, width, actions, children }: PageProps): ReactNode {
  return (
    <div className={`page ${width ?? ""}`}>
      <div className="head">
        {above && (
          <>
            <a className="muted" href={above.href}>
              {above.title}
            </a>
            <Slash />
          </>
        )}
        <h1 className={above && "cut"}>{title}</h1>
        {actions && (
          <>
            <span className="grow" />
            {actions}
          </>
        )}
      </div>
      {children}
    </div>
  );
}

/** Between a page and the one above it. */
export function Slash({ className = "" }: { readonly className?: string }): ReactNode {
  return (
    <span className={`muted ${className}`} aria-hidden="true">
      /
    </span>
  );
}

export interface CardProps {
  readonly title: string;
  /** In the line of the title. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Card({ title, aside, className = "", children }: CardProps): ReactNode {
  const heading = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={heading}>
      <div className="cardhead">
        <h2 className="sec" id={heading}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
