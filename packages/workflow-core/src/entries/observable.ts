/** Streams for RxJS. */
import { Observable } from "rxjs";
import type { WorkflowEventData } from "../event.js";
import { WorkflowStream } from "../stream.js";

/** An observable of a stream, which one subscriber reads. */
export const toObservable = (
  stream: ReadableStream<WorkflowEventData<any>> | WorkflowStream,
): Observable<WorkflowEventData<any>> =>
  new Observable((subscriber) => {
    const isOver = (): boolean => subscriber.closed;
    WorkflowStream.fromReadableStream<WorkflowEventData<any>>(stream)
      .until((event) => {
        subscriber.next(event);
        return isOver();
      })
      .forEach(() => {})
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
  });
