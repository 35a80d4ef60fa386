import "./styles.js";
import { App } from "./app.js";
import { show } from "./show.js";

show(<App />);
