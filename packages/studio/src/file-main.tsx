/** The studio over a run file, without a server. */
import "./styles.js";
import type { ReactNode } from "react";
import { App } from "./app.js";
import { FilePage } from "./file/file-page.js";
import { openFile } from "./shell/open-file.js";
import { show } from "./show.js";
import { useStore } from "./store.js";

function FileStudio(): ReactNode {
  return useStore(openFile) === null ? <FilePage /> : <App />;
}

show(<FileStudio />);
