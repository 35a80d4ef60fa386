/** Icons of 16 by 16, drawn with the colour of the text around them. */
import { createElement, Fragment, type ReactElement, type ReactNode } from "react";

const ring = <circle cx="8" cy="8" r="6" />;

/** Shapes on top of each other; a text is that of a path. */
function drawing(...shapes: readonly (string | ReactElement)[]): ReactElement {
  const elements = shapes.map((shape) => (typeof shape === "string" ? createElement("path", { d: shape }) : shape));
  return createElement(Fragment, null, ...elements);
}

const drawings = {
  running: drawing(<circle cx="8" cy="8" r="6" opacity=".25" />, "M8 2a6 6 0 0 1 6 6"),
  waiting: drawing(ring, "M6.5 6v4M9.5 6v4"),
  done: drawing(ring, "m5.4 8.2 1.8 1.8 3.4-3.8"),
  failed: drawing(ring, "m6 6 4 4M10 6l-4 4"),
  cancelled: drawing(ring, "m4 12 8-8"),
  queued: <circle cx="8" cy="8" r="6" strokeDasharray="2.2 2.5" />,
  retry: drawing("M13 8a5 5 0 1 1-1.5-3.5L13 6", "M13 2.6V6H9.6"),
  runs: <path d="M2.5 4h7M2.5 8h11M5 12h6" />,
  flow: drawing(
    <rect x="1.8" y="5.8" width="4.4" height="4.4" rx="1" />,
    <rect x="10" y="1.8" width="4.2" height="4.2" rx="1" />,
    <rect x="10" y="10" width="4.2" height="4.2" rx="1" />,
    "M6.2 8h1.9V3.9H10M8.1 8v4.1H10",
  ),
  session: <path d="M13.5 7.5a5 5 0 0 1-7.3 4.4L3 13l1-3a5 5 0 1 1 9.5-2.5Z" />,
  search: drawing(<circle cx="7" cy="7" r="4.3" />, "m10.3 10.3 3.2 3.2"),
  person: drawing(<circle cx="8" cy="5.2" r="2.6" />, "M3 13.5c.6-2.7 2.5-4 5-4s4.4 1.3 5 4"),
  fork: drawing(
    <circle cx="4" cy="3.6" r="1.6" />,
    <circle cx="4" cy="12.4" r="1.6" />,
    <circle cx="12" cy="5" r="1.6" />,
    "M4 5.2v5.6M12 6.6c0 2.6-4.5 2-7.6 4.3",
  ),
  play: <path d="M5 3.2v9.6l7.6-4.8Z" fill="currentColor" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2" />,
  prev: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  next: <path d="M6 3.5 10.5 8 6 12.5" />,
  first: <path d="M11.5 3.5 7 8l4.5 4.5M4.5 3.5v9" />,
  last: <path d="M4.5 3.5 9 8l-4.5 4.5M11.5 3.5v9" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  minus: <path d="M3.5 8h9" />,
  fit: <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />,
  event: <path d="M9 1.8 3.5 9H8l-1 5.2L12.5 7H8Z" />,
  state: (
    <path d="M5.5 2.5c-1.6 0-2 .8-2 2v1.7C3.5 7.3 3 8 2.2 8c.8 0 1.3.7 1.3 1.8v1.7c0 1.2.4 2 2 2M10.5 2.5c1.6 0 2 .8 2 2v1.7c0 1.1.5 1.8 1.3 1.8-.8 0-1.3.7-1.3 1.8v1.7c0 1.2-.4 2-2 2" />
  ),
  stream: <path d="M2 5.5c2-2 4 2 6 0s4 2 6 0M2 10.5c2-2 4 2 6 0s4 2 6 0" />,
  clock: drawing(ring, "M8 4.8V8l2.2 1.5"),
  child: drawing("M4 2.5v7.5h6", "m8 7.5 2.5 2.5L8 12.5"),
  start: <circle cx="8" cy="8" r="3" fill="currentColor" />,
  compare: drawing(
    <rect x="2" y="3" width="5" height="10" rx="1" />,
    <rect x="9" y="3" width="5" height="10" rx="1" />,
  ),
  db: drawing(<ellipse cx="8" cy="4" rx="4.5" ry="1.8" />, "M3.5 4v8c0 1 2 1.8 4.5 1.8s4.5-.8 4.5-1.8V4"),
  contrast: drawing(ring, <path d="M8 2a6 6 0 0 1 0 12Z" fill="currentColor" />),
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  key: drawing(
    <rect x="1.8" y="4" width="12.4" height="8" rx="1.5" />,
    "M4.5 7h.01M7 7h.01M9.5 7h.01M11.7 7h.01M5 9.7h6",
  ),
  effect: <path d="m8 2 1.7 4.3L14 8l-4.3 1.7L8 14l-1.7-4.3L2 8l4.3-1.7Z" />,
  up: <path d="M8 13V3.5M4 7l4-4 4 4" />,
} as const satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof drawings;

export function Icon({ name, className = "" }: { readonly name: IconName; readonly className?: string }): ReactNode {
  return (
    <svg
      className={`i ${className}`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {drawings[name]}
    </svg>
  );
}
