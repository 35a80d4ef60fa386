/** The studio over a run file, without a server. */
import "./styles.js";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { FilePage } from "./file/file-page.js";
import { openFile } from "./shell/open-file.js";
import { applyTheme } from "./shell/theme.js";
import { useStore } from "./store.js";

function FileStudio(): ReactNode {
  return useStore(openFile) === null ? <FilePage /> : <App />;
}

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <FileStudio />
  </StrictMode>,
);
