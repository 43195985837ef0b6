export type { CallOutcome, Observer, ObserverOptions, RequestObserver, ServerEvent } from "./calls/observe.ts";
export { defineObserver } from "./features/observe/define.ts";
