import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { connection } from "../api/connection.js";
import { signOut, token } from "../api/credentials.js";
import { hrefOf, type Route } from "../route.js";
import { useStore } from "../store.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { capital, grouped } from "../ui/format.js";
import { Icon, type IconName } from "../ui/icon.js";
import { useKeys } from "../ui/use-keys.js";
import { ConnectionBanner } from "./connection-banner.js";
import { KeyboardDialog } from "./keyboard-dialog.js";
import { NewerCodeBanner } from "./newer-code-banner.js";
import { openFile } from "./open-file.js";
import { type Overview, useOverview } from "./overview.js";
import { Palette } from "./palette.js";
import { useStudioConfig } from "./studio-config.js";
import { setTheme, theme, themes } from "./theme.js";

/** Brand and navigation around a page. On the page of a run they are a narrow rail. */
export function Shell({ route, children }: { readonly route: Route; readonly children: ReactNode }): ReactNode {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const overview = useOverview();
  useFocusOfPage(route);
  useKeys((event) => {
    if (event.key !== "?") return false;
    setHelpOpen(true);
    return true;
  });
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <div className={`app ${route.page === "run" || route.page === "child" ? "rail" : ""}`}>
        <nav className="side" aria-label="Studio">
          <Brand />
          <Pages route={route} overview={overview} />
          <Foot onHelp={() => setHelpOpen(true)} />
        </nav>
        <main id="main" tabIndex={-1}>
          <ConnectionBanner />
          <NewerCodeBanner />
          {children}
        </main>
      </div>
      <Palette />
      {isHelpOpen && <KeyboardDialog onClose={() => setHelpOpen(false)} />}
    </>
  );
}

/** A link that was followed, and is not on the next page, takes the focus along: the page gets it, so that Tab continues there. */
function useFocusOfPage({ page, ...rest }: Route): void {
  const address = page === "runs" ? page : JSON.stringify([page, { ...rest, tick: null, query: null }]);
  const known = useRef(address);
  useEffect(() => {
    if (known.current === address) return;
    known.current = address;
    const id = setTimeout(() => {
      if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
    }, FOCUS_AFTER_MS);
    return () => clearTimeout(id);
  }, [address]);
}

/** The page before is gone then. */
const FOCUS_AFTER_MS = 100;

export function BrandMark(): ReactNode {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="10" cy="8" r="5.5" />
      <path d="M10 2.5v11M4.5 8h11M2 17.5c2.7-2.2 5.3 1.4 8 0s5.3-2.2 8 0" />
    </svg>
  );
}

function Brand(): ReactNode {
  const { isReadOnly } = useStudioConfig();
  const file = useStore(openFile);
  return (
    <a className="brand" href={hrefOf("runs")} aria-label="Millrace Studio, home">
      <BrandMark />
      <span>Millrace</span>
      {isReadOnly && <span className="chip">{file === null ? "Read only" : "File"}</span>}
    </a>
  );
}

interface NavPage {
  readonly page:
    | "runs"
    | "inbox"
    | "failures"
    | "workflows"
    | "queues"
    | "budgets"
    | "schedules"
    | "workers"
    | "sessions"
    | "audit";
  readonly icon: IconName;
  /** Pages that are reached from it. */
  readonly below?: readonly Route["page"][];
  readonly count?: number | string | null;
  /** Whether the count is shown also where the navigation is narrow: somebody waits. */
  readonly isBadge?: boolean;
  /** @default true */
  readonly isThere?: boolean;
}

function Pages({ route, overview }: { readonly route: Route; readonly overview: Overview }): ReactNode {
  const { audit, queues, budgets, schedules } = useStudioConfig();
  const pages: readonly NavPage[] = [
    { page: "runs", icon: "runs", below: ["run", "child", "compare"], count: overview.runs },
    { page: "inbox", icon: "waiting", count: overview.asking, isBadge: true },
    { page: "failures", icon: "failed" },
    { page: "workflows", icon: "flow", below: ["workflow"], count: overview.workflows },
    { page: "queues", icon: "queued", isThere: queues },
    { page: "budgets", icon: "effect", isThere: queues && budgets },
    { page: "schedules", icon: "clock", isThere: schedules },
    { page: "workers", icon: "db", isThere: queues },
    { page: "sessions", icon: "session", below: ["session"], isThere: overview.hasSessions },
    { page: "audit", icon: "person", isThere: audit },
  ];
  return pages
    .filter(({ isThere = true }) => isThere)
    .map((one) => (
      <NavLink
        key={one.page}
        {...one}
        isCurrent={one.page === route.page || one.below?.includes(route.page) === true}
      />
    ));
}

function NavLink({
  page,
  icon,
  isCurrent,
  count = null,
  isBadge = false,
}: NavPage & { readonly isCurrent: boolean }): ReactNode {
  const link = useRef<HTMLAnchorElement>(null);
  const label = capital(page);
  // On a phone the navigation is a line that is longer than the screen.
  useLayoutEffect(() => {
    const line = link.current?.parentElement;
    if (!isCurrent || !link.current || !line) return;
    const { offsetLeft, offsetWidth } = link.current;
    const isSeen = offsetLeft >= line.scrollLeft && offsetLeft + offsetWidth <= line.scrollLeft + line.clientWidth;
    if (!isSeen) line.scrollLeft = offsetLeft - line.clientWidth / 3;
  }, [isCurrent]);
  return (
    <a className="nav" href={hrefOf(page)} title={label} ref={link} {...(isCurrent && { "aria-current": "page" })}>
      <Icon name={icon} />
      <span>{label}</span>
      {count !== null && (
        <span className={`count num ${isBadge ? "badgecount" : ""}`}>
          <span>{typeof count === "number" ? grouped(count) : count}</span>
          {isBadge && <span className="sr"> {count === "1" ? "question is open" : "questions are open"}</span>}
        </span>
      )}
    </a>
  );
}

function Foot({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const current = useStore(theme);
  const isLost = useStore(connection) === "reconnecting";
  const isSignedIn = useStore(token) !== null;
  const { tenant } = useStudioConfig();
  const file = useStore(openFile);
  const next = themes[(themes.indexOf(current) + 1) % themes.length] ?? "auto";
  const cycle = (): void => {
    setTheme(next);
    announce(`Colours: ${next}`);
  };
  return (
    <div className="foot">
      {file === null ? (
        <span className={`conn ${isLost ? "lost" : ""}`} role="status">
          {isLost ? "Reconnecting…" : "Connected"}
        </span>
      ) : (
        <span className="tenant cut" title={`${file}: nothing is sent anywhere`}>
          From <b>{file}</b>
        </span>
      )}
      {tenant !== null && (
        <span className="tenant cut" title="Tenant whose runs you see">
          Tenant <b>{tenant}</b>
        </span>
      )}
      {isSignedIn && (
        <Button kind="ghost" isSmall className="hidesm plainrow" onClick={signOut}>
          Sign out
        </Button>
      )}
      <Button kind="ghost" isSmall icon="key" className="hidesm plainrow keys-button" onClick={onHelp}>
        Keyboard <kbd>?</kbd>
      </Button>
      <Button
        kind="ghost"
        icon="contrast"
        className="cycle"
        aria-label={`Colours: ${current}. Change`}
        onClick={cycle}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div className="theme" role="group" aria-label="Colours">
        {themes.map((name) => (
          <button key={name} type="button" aria-pressed={name === current} onClick={() => setTheme(name)}>
            {capital(name)}
          </button>
        ))}
      </div>
    </div>
  );
}
