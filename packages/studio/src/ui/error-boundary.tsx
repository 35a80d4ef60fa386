import { ClientError } from "@millrace/client";
import { Component, type ReactNode } from "react";
import { PartMissingError } from "../api/later.js";
import { ErrorBox } from "./states.js";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}
interface ErrorBoundaryState {
  readonly error: ClientError | null;
  readonly retry: "draw" | "load";
}

/** A page that fails to draw itself reports it, and the rest of the studio stays. React has this for classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null, retry: "draw" };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    const message = error instanceof Error ? error.message : String(error);
    const isMissing = error instanceof PartMissingError;
    const hint = isMissing
      ? "The server may have another version of the studio by now: load the page again."
      : "This is a fault of the studio. Another page may work, and so may another try.";
    const code = isMissing ? "STUDIO_PART_MISSING" : "STUDIO_FAULT";
    return { error: new ClientError({ code, message, hint, cause: error }), retry: isMissing ? "load" : "draw" };
  }

  override render(): ReactNode {
    const { error, retry } = this.state;
    if (error === null) return this.props.children;
    const again = (): void => (retry === "load" ? location.reload() : this.setState({ error: null }));
    return (
      <div className="page">
        <div className="panel">
          <ErrorBox error={error} onRetry={again} />
        </div>
      </div>
    );
  }
}
