import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { isSignedOut } from "./api/credentials.js";
import { later } from "./api/later.js";
import { parseRoute, type Route, useHash } from "./route.js";
import { RunsPage } from "./runs/runs-page.js";
import { SessionPage } from "./sessions/session-page.js";
import { SessionsPage } from "./sessions/sessions-page.js";
import { Shell } from "./shell/shell.js";
import { StudioConfigProvider } from "./shell/studio-config.js";
import { SignInPage } from "./sign-in/sign-in-page.js";
import { useStore } from "./store.js";
import { Announcer } from "./ui/announce.js";
import { ErrorBoundary } from "./ui/error-boundary.js";
import { capital } from "./ui/format.js";
import { Page } from "./ui/page.js";
import { Empty, Loading } from "./ui/states.js";

// What the first page needs no part of is loaded with the page that does.
const AuditPage = lazy(later(async () => (await import("./audit/audit-page.js")).AuditPage));
const InboxPage = lazy(later(async () => (await import("./inbox/inbox-page.js")).InboxPage));
const FailuresPage = lazy(later(async () => (await import("./failures/failures-page.js")).FailuresPage));
const QueuesPage = lazy(later(async () => (await import("./operate/pages.js")).QueuesPage));
const BudgetsPage = lazy(later(async () => (await import("./operate/pages.js")).BudgetsPage));
const SchedulesPage = lazy(later(async () => (await import("./operate/pages.js")).SchedulesPage));
const WorkersPage = lazy(later(async () => (await import("./operate/pages.js")).WorkersPage));
const RunPage = lazy(later(async () => (await import("./run/run-page.js")).RunPage));
const ComparePage = lazy(later(async () => (await import("./compare/compare-page.js")).ComparePage));
const WorkflowsPage = lazy(later(async () => (await import("./workflows/workflows-page.js")).WorkflowsPage));
const WorkflowPage = lazy(later(async () => (await import("./workflows/workflow-page.js")).WorkflowPage));

export function App(): ReactNode {
  const route = parseRoute(useHash());
  const mustSignIn = useStore(isSignedOut);
  useEffect(() => {
    document.title = titleOf(route);
  });
  return (
    <>
      {mustSignIn ? (
        <SignInPage />
      ) : (
        <StudioConfigProvider>
          <Shell route={route}>
            <ErrorBoundary key={route.page}>
              <Suspense fallback={<Loading />}>{pageOf(route)}</Suspense>
            </ErrorBoundary>
          </Shell>
        </StudioConfigProvider>
      )}
      <Announcer />
    </>
  );
}

function pageOf(route: Route): ReactNode {
  switch (route.page) {
    case "runs":
      return <RunsPage query={route.query} />;
    case "inbox":
      return <InboxPage />;
    case "workflows":
      return <WorkflowsPage />;
    case "workflow":
      return <WorkflowPage key={route.name} name={route.name} />;
    case "run":
      return <RunPage key={route.id} id={route.id} childId={null} tick={route.tick} />;
    case "child":
      return <RunPage key={route.child} id={route.id} childId={route.child} tick={route.tick} />;
    case "compare":
      return <ComparePage key={route.a} a={route.a} b={route.b} others={route.others} />;
    case "sessions":
      return <SessionsPage />;
    case "session":
      return <SessionPage key={route.id} id={route.id} />;
    case "audit":
      return <AuditPage />;
    case "failures":
      return <FailuresPage workflow={route.workflow} />;
    case "queues":
      return <QueuesPage />;
    case "budgets":
      return <BudgetsPage />;
    case "schedules":
      return <SchedulesPage />;
    case "workers":
      return <WorkersPage />;
    case "unknown":
      return <UnknownPage />;
  }
}

function UnknownPage(): ReactNode {
  return (
    <Page title="Nothing here">
      <div className="panel">
        <Empty>
          The studio has no page of this address.{" "}
          <a className="btn sm" href="#/runs">
            All runs
          </a>
        </Empty>
      </div>
    </Page>
  );
}

function titleOf(route: Route): string {
  const page = capital(route.page);
  const { child, id, name } = route as { readonly [part in "child" | "id" | "name"]?: string };
  return [child ?? id ?? name, page, "Millrace Studio"].filter(Boolean).join(" · ");
}
