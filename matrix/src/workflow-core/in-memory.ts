import { approved, asked, done, order, workflow } from "./order.ts";

const { stream, sendEvent } = workflow.createContext();
sendEvent(order.with("A-17"));
for await (const message of stream.until(done)) {
  if (asked.include(message)) sendEvent(approved.with(true));
  else if (done.include(message)) console.log("in memory:", message.data);
}
