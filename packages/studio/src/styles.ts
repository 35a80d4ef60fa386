/** All styles of the studio, in their order. */
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
import "./styles/inbox.css";
import "./styles/transport.css";
import "./styles/workflow.css";
import "./styles/compare.css";
import "./styles/dialog.css";
import "./styles/narrow.css";
