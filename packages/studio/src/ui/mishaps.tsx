import { Component, type ReactNode } from "react";
import { ApiError } from "../api/request.js";
import { ErrorBox } from "./states.js";

interface MishapsProps {
  readonly children: ReactNode;
}
interface MishapsState {
  readonly error: ApiError | null;
}

/** A page that fails to draw itself says so, and the rest of the studio stays. React has this for classes only. */
export class Mishaps extends Component<MishapsProps, MishapsState> {
  override state: MishapsState = { error: null };

  static getDerivedStateFromError(error: unknown): MishapsState {
    const detail = error instanceof Error ? error.message : String(error);
    const hint = "This is a fault of the studio. Another page may work, and so may another try.";
    return { error: new ApiError({ status: 0, code: "STUDIO_FAULT", detail, hint }) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="page">
        <div className="panel">
          <ErrorBox error={error} onRetry={() => this.setState({ error: null })} />
        </div>
      </div>
    );
  }
}
