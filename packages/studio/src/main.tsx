import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/list.css";
import "./styles/run.css";
import "./styles/graph.css";
import "./styles/timeline.css";
import "./styles/log.css";
import "./styles/state.css";
import "./styles/prompt.css";
import "./styles/transport.css";
import "./styles/workflow.css";
import "./styles/compare.css";
import "./styles/dialog.css";
import "./styles/operate.css";
import "./styles/narrow.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { applyTheme } from "./shell/theme.js";

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
